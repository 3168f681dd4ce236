"""``phalanx simulate --realtime``: a run in real time, shown on a page if requested."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from phalanx.base.facts import Facts, Styled
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.simulation.realtime.latest import Latest, Snapshot
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.scenario import Scenario
    from phalanx.view.viewer.viewer import Viewer

PAGE_PERIOD = 1 / 30  # [s] between updates of the page


def run_realtime(scenario: Scenario, speed: float, view: bool) -> Recording:
    """Run in real time and print the timing errors; Ctrl-C ends the run early."""
    live = scenario.live(speed=speed)
    done = threading.Event()
    with ExitStack() as stack:
        if view:
            from phalanx.view.viewer.viewer import Viewer

            viewer = stack.enter_context(Viewer(scenario.mechanism, sliders=False))
            console.print_facts(Facts([f"{scenario.mechanism.name} at {viewer.url}"]))
            page = threading.Thread(target=_show, args=(viewer, live.latest, done), daemon=True)
            stack.callback(page.join)
            stack.callback(done.set)
            page.start()
        console.print_note(f"{scenario.duration / speed:g} s in real time; stop with Ctrl-C.")
        try:
            live.run()
        except KeyboardInterrupt:
            console.print_note("Stopped early.")
    console.print_facts(Facts([(Styled("timing", "bold"), f" {live.loop.timing}")]))
    recording = live.recording
    assert recording is not None
    return recording


def _show(viewer: Viewer, latest: Latest[Snapshot], done: threading.Event) -> None:
    while not done.wait(PAGE_PERIOD):
        snapshot = latest.value
        if snapshot is not None:
            viewer.show(snapshot.q)
