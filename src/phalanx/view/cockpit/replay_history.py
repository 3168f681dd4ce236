"""Replay history: the seconds of plots before the time that is shown.

While a replay plays, pages draw what they hear. When its time jumps, and when a page comes, they
get what they have missed; ten times a second at most, since it is long.
"""

from __future__ import annotations

from math import inf
from typing import final

from phalanx.view.cockpit import reports
from phalanx.view.cockpit.machine import CockpitMachine, Telemetry

SPAN = 20.0  # [s] that plots show
SAMPLES = 100
PERIOD = 0.1  # [s] between two reports
JUMP = 0.5  # [s] of a recording between two looks; less is its own motion


@final
class ReplayHistory:
    """Knows which time pages saw last."""

    def __init__(self, machine: CockpitMachine) -> None:
        self._tell = getattr(machine, "past", None)  # a machine may remember nothing
        self.forget()

    def forget(self) -> None:
        """A page has connected that has no history yet."""
        self._seen, self._stale, self._told = -inf, False, -inf

    def of(self, latest: Telemetry, now: float) -> str | None:
        """A report of the time before, if pages need it at ``now`` on the clock [s]."""
        if latest.replaying is None or self._tell is None:
            self._seen = -inf
            return None
        self._stale |= not 0 <= latest.time - self._seen <= JUMP
        self._seen = latest.time
        if not self._stale or now - self._told < PERIOD:
            return None
        self._stale, self._told = False, now
        return reports.past(self._tell(SPAN, SAMPLES))
