"""Waiting for something to come true, however busy the machine is.

No test waits a fixed while for what others do, and none compares times: where something must come
true, it is waited for, longer than any machine needs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

LONG = 180.0  # [s]; a test that works does not take it

T = TypeVar("T")


def eventually(condition: Callable[[], T], every: float = 0.005) -> T:
    """What a condition returns once it is true; an AssertionError if it never is.

    Args:
        condition: What to wait for.
        every: Time between looks [s].
    """
    end = time.monotonic() + LONG
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come true"
        time.sleep(every)
    return found


def falls_asleep(thread: threading.Thread) -> None:
    """Wait until a thread uses no processor because it waits for something."""
    state = Path(f"/proc/self/task/{thread.native_id}/stat")
    if not state.exists():
        pytest.skip("this system does not tell what a thread does")
    # the name before the state may hold anything, brackets too
    eventually(lambda: state.read_text().rpartition(")")[2].split()[0] == "S")


class Clock:
    """Stands for the module ``time``: its time moves on only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = process_time = monotonic

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        time.sleep(1e-4)  # others may go on

    def work(self, seconds: float) -> None:
        self.now += seconds
