"""Rate limit for messages from one page."""

from __future__ import annotations

from enum import Enum
from typing import final

HANDLED = 200  # messages a second; a page sends about 40
ENDURED = 2000  # a second; more cost the machine's process too much time even to throw away


class Verdict(Enum):
    """Decision on a message."""

    HANDLE = "handle"
    DROP = "drop"
    CUT = "cut"


@final
class RateLimit:
    """Counts the messages of one page, second by second."""

    def __init__(self) -> None:
        """Start with a full allowance."""
        self._begin = float("-inf")
        self._count = 0

    def judge(self, now: float) -> Verdict:
        """What to do with a message that came ``now`` [s]."""
        if now - self._begin >= 1.0:
            self._begin, self._count = now, 0
        self._count += 1
        if self._count <= HANDLED:
            return Verdict.HANDLE
        return Verdict.DROP if self._count <= ENDURED else Verdict.CUT
