"""A run by the clock, with a page beside it if wanted."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.simulation.realtime.latest import Latest, Snapshot
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.scenario import Scenario
    from phalanx.view.viewer.viewer import Viewer

PAGE_PERIOD = 1 / 30  # [s] between two looks at the machine


def run_realtime(scenario: Scenario, speed: float, view: bool) -> Recording:
    """Run by the clock and say how well time was kept; Ctrl-C ends the run early."""
    live = scenario.live(speed=speed)
    done = threading.Event()
    with ExitStack() as stack:
        if view:
            from phalanx.view.viewer.viewer import Viewer

            viewer = stack.enter_context(Viewer(scenario.mechanism, sliders=False))
            console.out().print(f"{scenario.mechanism.name} at {viewer.url}", soft_wrap=True)
            page = threading.Thread(target=_show, args=(viewer, live.latest, done), daemon=True)
            stack.callback(page.join)
            stack.callback(done.set)
            page.start()
        console.err().print(f"{scenario.duration / speed:g} s by the clock; Ctrl-C ends it.")
        try:
            live.run()
        except KeyboardInterrupt:
            console.err().print("Ended early.")
    console.out().print(f"[bold]timing[/] {live.loop.timing}", soft_wrap=True)
    recording = live.recording
    assert recording is not None
    return recording


def _show(viewer: Viewer, latest: Latest[Snapshot], done: threading.Event) -> None:
    while not done.wait(PAGE_PERIOD):
        snapshot = latest.value
        if snapshot is not None:
            viewer.show(snapshot.q)
