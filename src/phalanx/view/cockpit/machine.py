"""What a cockpit asks of a machine, and what the machine tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Mechanism
from phalanx.view.cockpit.axes import Axes
from phalanx.view.cockpit.charts import Chart

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Replayed:
    """Where a replay is.

    Attributes:
        begin: First time of the recording [s].
        end: Its last time [s].
        playing: Whether time moves on.
        speed: Recorded seconds a second.
    """

    begin: float
    end: float
    playing: bool
    speed: float


@final
@dataclass(frozen=True, eq=False)
class Telemetry:
    """A machine at one time. A number that is not known is NaN.

    Attributes:
        time: Of the machine [s].
        running: Whether its clock runs.
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
        period: Time from one step to the next [s].
        step_median: Time a step takes [s].
        step_p99: Time that 99 of 100 steps do not exceed [s].
        missed_share: Share of the steps that were not done when the next was due.
        late: How far the machine is behind the clock [s].
        fault: Why it stands still though nobody paused it; empty when all is well.
        replay: Where the replay is, if it can be paused and moved.
    """

    time: float
    running: bool
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
    period: float
    step_median: float
    step_p99: float
    missed_share: float
    late: float
    fault: str = ""
    replay: Replayed | None = None


class CockpitMachine(Protocol):
    """A machine that a person operates with two sticks.

    ``command``, ``centre``, ``telemetry`` and what winds a replay (``play``, ``seek``,
    ``set_replay_speed``) are called many times a second and return at once; the others may take
    their time. All are called from threads of the cockpit.
    """

    @property
    def mechanism(self) -> Mechanism:
        """What is drawn."""

    @property
    def title(self) -> str:
        """What people call it; the mechanism's name where it is missing."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the operated joints."""

    @property
    def modes(self) -> tuple[str, ...]:
        """How sticks can be understood, such as ``JOINT``."""

    @property
    def mode_titles(self) -> Mapping[str, str]:
        """What people call the modes; the modes themselves where it is missing."""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Plots to choose from, those shown at first before others; plain where it is missing."""

    @property
    def axes(self) -> Mapping[str, Axes]:
        """What each axis of the sticks does, in words, by mode; plain words where it is missing."""

    def command(self, sticks: Sequence[float]) -> None:
        """Deflect the sticks: left x, left y, right x, right y, each within -1 to 1."""

    def centre(self) -> None:
        """Let go of the sticks: spools go to the middle."""

    def set_mode(self, mode: str) -> None:
        """Understand sticks in another way."""

    def start(self) -> None:
        """Let the clock run."""

    def pause(self) -> None:
        """Stop the clock."""

    def reset(self) -> None:
        """Go back to the begin."""

    def record(self, on: bool) -> str | None:
        """Begin or end a recording; the name of the one that ended, if any."""

    def recordings(self) -> list[str]:
        """Names of what can be replayed."""

    def recording_title(self, name: str) -> str:
        """What people call a recording; its name where this is missing."""

    def replay(self, name: str | None) -> str | None:
        """Show a recording; None goes back to the machine. What is to be said about it, if any."""

    def play(self, on: bool) -> None:
        """Let the replay go on, or stand still."""

    def seek(self, time: float) -> None:
        """Show another time of the recording [s]."""

    def set_replay_speed(self, speed: float) -> None:
        """Replay so many recorded seconds a second."""

    def past(self, span: float, samples: int) -> Sequence[Telemetry]:
        """A replay's last seconds before the time shown, oldest first; plots begin with them.

        May be missing; then plots begin empty wherever a replay is moved to.
        """

    def telemetry(self) -> Telemetry:
        """The latest state."""
