"""Work that a fork waits for.

A child has only the thread that forked. What others were in the midst of stays as it was, for ever:
a module that is being imported is locked in the child, and so is CasADi while it builds an
expression, without any lock of ours. Where Phalanx does such work it says so, and a fork begins
when the work of all other threads is done.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import Counter
from contextlib import AbstractContextManager, ExitStack
from typing import Any, final

LONGEST = 10.0  # [s] that a fork waits; work that takes longer may wait for the thread that forks


@final
class _ForkWaits:
    """Threads at such work. None of them waits for another; a fork waits for all."""

    def __init__(self) -> None:
        """Nobody is at work."""
        self._changed = threading.Condition()
        self._threads: Counter[int] = Counter()
        self._locks: list[AbstractContextManager[Any]] = []
        self._held = ExitStack()

    def then_hold(self, lock: AbstractContextManager[Any]) -> None:
        """Have a fork take a lock too, of somebody else's library, after it has waited."""
        _watch_forks()
        self._locks.append(lock)

    def __enter__(self) -> None:
        """Begin such work; it may be nested."""
        _watch_forks()
        with self._changed:
            self._threads[threading.get_ident()] += 1

    def __exit__(self, *error: object) -> None:
        """The work is done."""
        me = threading.get_ident()
        with self._changed:
            self._threads[me] -= 1
            if not self._threads[me]:
                del self._threads[me]
                self._changed.notify_all()

    def before(self) -> None:
        """Wait until no other thread is at work; none begins before the fork is done."""
        me = {threading.get_ident()}
        self._changed.acquire()
        self._changed.wait_for(lambda: self._threads.keys() <= me, LONGEST)
        for lock in tuple(self._locks):
            self._held.enter_context(lock)

    def after_in_parent(self) -> None:
        """Let them go on."""
        self._held.close()
        self._changed.release()

    def after_in_child(self) -> None:
        """Forget threads that are not here."""
        self._held.close()
        me = threading.get_ident()
        self._threads = Counter({who: n for who, n in self._threads.items() if who == me})
        self._changed = threading.Condition()


fork_waits = _ForkWaits()


@functools.cache
def _watch_forks() -> None:
    # what was registered last is called first before a fork. Logging takes its lock there, for
    # which the work may wait, so it has to come before.
    import logging  # noqa: F401

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=fork_waits.before,
            after_in_parent=fork_waits.after_in_parent,
            after_in_child=fork_waits.after_in_child,
        )
