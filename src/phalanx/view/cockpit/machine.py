"""Interface between a cockpit and its machine: commands, telemetry, recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Mechanism
from phalanx.simulation.realtime.controls import Controls
from phalanx.view.cockpit.instruments import Chart, Instruments, plain_charts
from phalanx.view.replay.playback import Playback

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Telemetry:
    """A machine at one time. A number that is not known is NaN.

    Attributes:
        time: Of the machine [s].
        mode: How it understands the sticks.
        recording: Whether it is being recorded.
        replaying: Name of the recording that is shown instead of the machine, if any.
        q: Positions of the mechanism, shape (nq,).
        desired: Angles that the operated joints should have [rad], shape (joints,).
        angles: Angles that they have [rad], shape (joints,).
        rates: Their rates [rad/s], shape (joints,).
        spool: Openings of their valves, -1 to 1, shape (joints,).
        pressures: By label, such as ``boom.head`` [MPa].
        torque: Of the operated joints [N·m], shape (joints,).
        payload: What the machine carries [kg].
        fault: Why it stands still without being paused; empty when all is well.
    """

    time: float
    mode: str
    recording: bool
    replaying: str | None
    q: Array
    desired: Sequence[float] | Array
    angles: Sequence[float] | Array
    rates: Sequence[float] | Array
    spool: Sequence[float] | Array
    pressures: Mapping[str, float]
    torque: Sequence[float] | Array
    payload: float
    fault: str = ""


class CockpitMachine(Protocol):
    """A machine that is operated with two sticks.

    ``command``, ``centre`` and ``telemetry`` are called many times a second and return at once; the
    others may take their time. All are called from threads of the cockpit.
    """

    @property
    def mechanism(self) -> Mechanism:
        """What is drawn."""

    @property
    def instruments(self) -> Instruments:
        """Display names of it and its parts, and what is plotted."""

    @property
    def loop(self) -> Controls:
        """Its clock, which the cockpit starts and pauses, and whose timing it shows."""

    def command(self, sticks: Sequence[float]) -> None:
        """Deflect the sticks: left x, left y, right x, right y, each within -1 to 1."""

    def centre(self) -> None:
        """Let go of the sticks: spools go to the middle."""

    def set_mode(self, mode: str) -> None:
        """Understand sticks in another way."""

    def reset(self) -> None:
        """Go back to the begin."""

    def record(self, on: bool) -> str | None:
        """Begin or end a recording; the name of the one that ended, if any."""

    def recordings(self) -> list[str]:
        """Names of what can be replayed."""

    def recording_title(self, name: str) -> str:
        """Display name of a recording; its name where this is missing."""

    def replay(self, name: str | None) -> str | None:
        """Show a recording; None goes back to the machine. What is to be said about it, if any."""

    @property
    def playback(self) -> Playback | None:
        """Plays, pauses and seeks in the recording that is shown; None when there is none."""

    def past(self, span: float, samples: int) -> Sequence[Telemetry]:
        """A replay's last seconds before the time shown, oldest first; plots begin with them.

        May be missing; then plots begin empty wherever a replay is moved to.
        """

    def telemetry(self) -> Telemetry:
        """The latest state, of the machine or of the recording that is shown."""


def charts_of(machine: CockpitMachine) -> tuple[Chart, ...]:
    """The plots of a machine; plain ones where it says nothing about them."""
    shown = machine.instruments
    if shown.charts:
        return shown.charts
    try:
        labels = tuple(machine.telemetry().pressures)
    except Exception:  # who looks at every tick says so
        labels = ()
    return plain_charts(shown.joints, labels)
