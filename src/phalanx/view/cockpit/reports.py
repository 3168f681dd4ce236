"""Messages to a cockpit's pages, as JSON.

``hello`` comes first and describes machine and page; ``state`` whenever who drives or what can be
replayed changes; ``window`` whenever something happens to the page's own 3-D view; ``telemetry``
many times a second; ``past`` when a replay was moved to another time; ``notice`` when something
asked for was not done; ``beat`` in answer to one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from phalanx.simulation.realtime.controls import Controls
from phalanx.simulation.realtime.timing import LoopTiming
from phalanx.view.cockpit.control_handover import ControlHandover
from phalanx.view.cockpit.instruments import PLAIN
from phalanx.view.cockpit.machine import CockpitMachine, Telemetry, charts_of
from phalanx.view.replay.playback import Playback

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)  # of a replay, that a page offers


def hello(machine: CockpitMachine, page: int, view_port: int, locked: bool) -> str:
    """First report to a page: description of machine and page.

    Args:
        machine: The machine.
        page: Number of the page.
        view_port: Where the 3-D view is served.
        locked: Whether driving needs a token.
    """
    shown = machine.instruments
    return _json(
        type="hello",
        page=page,
        machine=shown.title or machine.mechanism.name,
        joints=shown.joints,
        modes=tuple(shown.modes),
        mode_titles=dict(shown.modes),
        charts=[asdict(chart) for chart in charts_of(machine)],
        speeds=SPEEDS,
        remembers=hasattr(machine, "past"),
        axes={mode: [asdict(axis) for axis in shown.axes.get(mode, PLAIN)] for mode in shown.modes},
        view_port=view_port,
        locked=locked,
    )


def state(handover: ControlHandover, pages: Sequence[int], recordings: Mapping[str, str]) -> str:
    """Report on clients, the holder of the controls, requests, and recordings (titles by name)."""
    return _json(
        type="state",
        holder=handover.holder,
        wishes=handover.wishes,
        pages=pages,
        recordings=[{"name": name, "title": title} for name, title in recordings.items()],
    )


def window(*, is_open: bool, has_cab: bool, cab: bool) -> str:
    """Whether the page's own 3-D view is there, has a seat in the cab, and is seen from it."""
    return _json(type="window", open=is_open, has_cab=has_cab, cab=cab)


def beat(sent: float) -> str:
    """A page's beat, sent back."""
    return _json(type="beat", sent=sent)


def telemetry(now: Telemetry, loop: Controls, timing: LoopTiming, playback: Playback | None) -> str:
    """The machine's state; what is not known is null.

    Args:
        now: The state.
        loop: The machine's clock.
        timing: How it goes.
        playback: Of the recording that is shown, if any.
    """
    return _json(
        type="telemetry",
        **_plotted(now),
        running=not loop.paused,
        mode=now.mode,
        recording=bool(now.recording),
        replaying=now.replaying,
        period=_rounded(loop.period),
        step_median=_rounded(timing.step_median),
        step_p99=_rounded(timing.step_p99),
        missed_share=_rounded(timing.missed_share),
        late=_rounded(timing.drift),
        fault=now.fault,
        replay=None if playback is None else _position(playback),
    )


def _position(playback: Playback) -> dict[str, Any]:
    return {
        "begin": playback.begin,
        "end": playback.end,
        "playing": playback.playing,
        "speed": playback.speed,
    }


def past(before: Iterable[Telemetry]) -> str:
    """What plots show of the time before, oldest first."""
    return _json(type="past", samples=[_plotted(then) for then in before])


def _plotted(now: Telemetry) -> dict[str, Any]:
    return {
        "time": _rounded(now.time, 10),
        "desired": _all_rounded(now.desired),
        "angles": _all_rounded(now.angles),
        "rates": _all_rounded(now.rates),
        "spool": _all_rounded(now.spool),
        "pressures": {label: _rounded(p) for label, p in now.pressures.items()},
        "torque": _all_rounded(now.torque),
        "payload": _rounded(now.payload),
    }


def _all_rounded(values: Iterable[float]) -> list[float | None]:
    return [_rounded(value) for value in values]


def _rounded(value: float, digits: int = 6) -> float | None:
    """As many digits as a screen can show: JSON of a full double is three times as long."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _json(**facts: Any) -> str:
    return json.dumps(facts, separators=(",", ":"), allow_nan=False)
