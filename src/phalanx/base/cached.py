"""Fork-safe cached properties and locks.

``functools.cached_property`` of Python 3.11 holds one lock for all instances of a class while a
value is computed. A child that is forked meanwhile inherits that lock as taken, by a thread that it
does not have, and waits for ever. Here nothing is locked, as in Python 3.12: two threads that ask
at the same time may both compute the value, and the first one stays. Where something must not be
done twice, :class:`ForkSafeLock` is a lock that a child finds free.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar, final, overload

T = TypeVar("T", covariant=True)


@final
class cached_property(Generic[T]):
    """A property that is computed once per instance, without a lock."""

    def __init__(self, func: Callable[[Any], T]) -> None:
        """Compute the value by ``func(instance)`` when it is first asked for."""
        self.func = func
        self.__doc__ = func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember under which name the value is kept."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Any:
        """Return the value; once it is kept, Python finds it without coming here."""
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self.func(instance))


@final
class ForkSafeLock:
    """A reentrant lock for ``with`` that no thread of the parent holds in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def acquire(self, longest: float = -1.0) -> bool:
        """Take it once it is free; False when that takes longer than ``longest`` [s], if given."""
        return self._lock.acquire(timeout=longest)

    def release(self) -> None:
        """Let it go."""
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def renew(self) -> None:
        """Forget an owner that is not this thread; for the only thread of a new child."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


_locks: weakref.WeakSet[ForkSafeLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in tuple(_locks):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
