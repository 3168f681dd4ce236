"""What a cockpit asks of a machine, and what the machine tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Mechanism
from phalanx.view.cockpit.axes import Axes

Array = NDArray[np.float64]


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


class CockpitMachine(Protocol):
    """A machine that a person operates with two sticks.

    ``command``, ``centre`` and ``telemetry`` are called many times a second and return at once;
    the others may take their time. All are called from threads of the cockpit.
    """

    @property
    def mechanism(self) -> Mechanism:
        """What is drawn."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the operated joints."""

    @property
    def modes(self) -> tuple[str, ...]:
        """How sticks can be understood, such as ``JOINT``."""

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

    def replay(self, name: str | None) -> None:
        """Show a recording; None goes back to the machine."""

    def telemetry(self) -> Telemetry:
        """The latest state."""
