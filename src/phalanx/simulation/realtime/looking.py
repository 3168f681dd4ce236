"""Read access to a live run from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from phalanx.simulation.realtime.priority import raised_priority

LOOK_PERIOD = 2e-2  # [s] between two looks


@contextmanager
def looking(
    look: Callable[[], object], stop: Callable[[], None], *, raised: bool = False
) -> Iterator[None]:
    """Look every 20 ms until the block ends.

    Args:
        look: What to do.
        stop: Ends the block soon; called when a look fails.
        raised: Whether the thread that looks asks the system to go before most others.

    Raises:
        BaseException: What a look raised, once the block has ended.
    """
    done, failed = threading.Event(), list[BaseException]()

    def keep_looking() -> None:
        with raised_priority(first=False) if raised else nullcontext():
            while not done.wait(LOOK_PERIOD):
                try:
                    look()
                except BaseException as error:
                    failed.append(error)
                    return stop()

    thread = threading.Thread(target=keep_looking, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    if failed:
        raise failed[0]
