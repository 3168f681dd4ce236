"""A clock that waits for nobody."""

from __future__ import annotations


class FakeClock:
    """Waits by jumping to the deadline."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def wait_until(self, deadline, wake) -> None:
        if not wake.is_set():
            self.time = max(self.time, deadline)
