"""Global-Reset line: decoding of a chip's mode from one wire, tick by tick.

The line is the same for all chips, so all of them are always in the same mode. In data mode it is
False, and True for one tick at the start of each cycle. Held True for longer, it ends data mode,
and then a gap says what to do: one tick starts a program cycle, two ticks a maintenance cycle,
three lead back to data mode. The source does not say how chips are told of maintenance.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

HELD = 2  # ticks of True that end data mode
RELEASED = 3  # ticks of False that begin it


class ResetEvent(Enum):
    """Meaning of a tick to a chip."""

    FLOP = "flop"  # of the cycle under way, in data mode
    CYCLE = "cycle"  # the same, and the first of a new cycle
    PROGRAM = "program"
    MAINTENANCE = "maintenance"
    NOTHING = "nothing"


@dataclass
class ModeSense:
    """The part of a chip that listens to the line.

    Attributes:
        held: Whether data mode has ended.
        high: Ticks for which the line has been True without a break.
        low: The same for False.
    """

    held: bool = False
    high: int = 0
    low: int = 0

    def step(self, line: bool) -> ResetEvent:
        """What the next tick means."""
        if not line:
            self.high, self.low = 0, self.low + 1
            if not self.held:
                return ResetEvent.FLOP
            self.held = self.low < RELEASED
            return ResetEvent.NOTHING
        gap, self.low = self.low, 0
        self.high += 1
        if self.held:
            return {1: ResetEvent.PROGRAM, 2: ResetEvent.MAINTENANCE}.get(gap, ResetEvent.NOTHING)
        self.held = self.high >= HELD
        return ResetEvent.NOTHING if self.held else ResetEvent.CYCLE
