"""Real-time thread priority, where the system grants it.

On Linux a thread may ask to go before all others (a first-in first-out policy), or at least before
most (a negative nice value). Root may, and users with the right limits; no others, and then
nothing changes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

RANK = 10  # among threads that go first; 1 is enough to be before all that do not
NICE = -10


@contextmanager
def raised_priority(*, first: bool) -> Iterator[str]:
    """Let the thread that enters go before others until it leaves; threads it starts inherit that.

    A thread that keeps time waits for the interpreter whenever another of its process has it. So
    those should be raised too, a little less, or the one that keeps time waits for other threads.

    Args:
        first: Before all others, or before most.

    Yields:
        What was granted: "real-time", "raised" or "normal".
    """
    granted, undo = "normal", None
    if first:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(RANK))
            granted, undo = "real-time", _ordinary
        except (OSError, AttributeError):
            pass
    if undo is None:
        thread = threading.get_native_id()
        try:
            usual = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, NICE)
            granted, undo = "raised", lambda: os.setpriority(os.PRIO_PROCESS, thread, usual)
        except (OSError, AttributeError):
            pass
    try:
        yield granted
    finally:
        if undo is not None:
            undo()


def _ordinary() -> None:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
