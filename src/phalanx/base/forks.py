"""Fork safety: a fork waits for imports and expressions of other threads.

A child has only the thread that forked. What others were in the midst of stays as it was, for ever:
a module that is being imported is locked in the child, and so is CasADi while it builds an
expression, without any lock of ours. A fork begins when no other thread imports anything, and when
the work is done that Phalanx names here.
"""

from __future__ import annotations

import _imp
import importlib
import logging  # noqa: F401
import os
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager, ExitStack
from typing import Any, final

LONGEST = 10.0  # [s] that a fork waits; work that takes longer may wait for the thread that forks


@final
class _ForkWaits:
    """Threads at such work. None of them waits for another; a fork waits for all."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._threads: Counter[int] = Counter()
        self._locks: list[AbstractContextManager[Any]] = []
        self._held = ExitStack()
        self._imports_end = True

    def then_hold(self, lock: AbstractContextManager[Any]) -> None:
        """Have a fork take a lock of another library too, after it has waited."""
        self._locks.append(lock)

    def __enter__(self) -> None:
        with self._changed:
            self._threads[threading.get_ident()] += 1

    def __exit__(self, *error: object) -> None:
        me = threading.get_ident()
        with self._changed:
            self._threads[me] -= 1
            if not self._threads[me]:
                del self._threads[me]

    def before(self) -> None:
        """Wait until no other thread is at work; none begins before the fork is done."""
        me = {threading.get_ident()}
        end = time.monotonic() + LONGEST
        self._changed.acquire()
        _imp.acquire_lock()  # which every import takes for a moment as it begins
        while time.monotonic() < end and not (
            self._threads.keys() <= me and (_importing() <= me or not self._imports_end)
        ):
            _imp.release_lock()
            self._changed.wait(1e-3)
            _imp.acquire_lock()
        # a program that runs inside the import of a module is not waited for again
        self._imports_end = _importing() <= me
        self._held.callback(_imp.release_lock)
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


def _importing() -> set[int]:
    """Threads that hold the lock of a module; only CPython tells."""
    references = getattr(getattr(importlib, "_bootstrap", None), "_module_locks", {})
    locks = (reference() for reference in tuple(references.values()))
    return {lock.owner for lock in locks if getattr(lock, "owner", None) is not None}


fork_waits = _ForkWaits()


# What was registered last is called first before a fork. Logging takes its lock there, for which
# the work may wait, so it is imported before. All of it is done at once, with Phalanx itself: a
# child that is forked while another thread imports logging would find that locked.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=fork_waits.before,
        after_in_parent=fork_waits.after_in_parent,
        after_in_child=fork_waits.after_in_child,
    )
