"""Polling thread beside a live run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from phalanx.simulation.realtime.priority import raised_priority

POLL_PERIOD = 2e-2  # [s] between two calls


@contextmanager
def polling(
    look: Callable[[], object], stop: Callable[[], None], *, raised: bool = False
) -> Iterator[None]:
    """Call a function every 20 ms, in a thread of its own, until the block ends.

    Args:
        look: The function.
        stop: Ends the block soon; called when the function fails.
        raised: Whether the thread asks the system to go before most others.

    Raises:
        BaseException: What the function raised, once the block has ended.
    """
    done, failed = threading.Event(), list[BaseException]()

    def keep_calling() -> None:
        with raised_priority(first=False) if raised else nullcontext():
            while not done.wait(POLL_PERIOD):
                try:
                    look()
                except BaseException as error:
                    failed.append(error)
                    return stop()

    thread = threading.Thread(target=keep_calling, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    if failed:
        raise failed[0]
