"""Compile cache, in-process: an equal description compiles nothing.

Policy: the most recent ones are kept, a few dozen, and the one that was not used for longest goes
first. A description that is being compiled is compiled once; other threads that need it wait. What
has no key is made anew. Nothing cached holds a value of a run: it is machine code and sizes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, final

from phalanx.base.cached import ForkSafeLock
from phalanx.simulation.setup.content_hash import NoContent, content

T = TypeVar("T")

MOST = 32


@final
class _Place:
    """Where something is, or will be when it is made."""

    def __init__(self) -> None:
        self.lock = ForkSafeLock()
        self.made: list[Any] = []


@final
class CompileCache:
    """Least-recently-used (LRU) cache by content key."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._lock = ForkSafeLock()
        self._places: OrderedDict[Hashable, _Place] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    def clear(self) -> None:
        """Forget all; what is in use stays whole."""
        with self._lock:
            self._places.clear()

    def get_or_make(self, parts: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return the cached value for equal parts, or make it now.

        Args:
            parts: All that it is made of.
            make: Makes it; what it raises is raised, and nothing is kept.
        """
        try:
            key = content(parts)
        except NoContent:
            return make()
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self.most:
                self._places.popitem(last=False)
        with place.lock:
            if not place.made:
                try:
                    place.made.append(make())
                except BaseException:
                    self._forget(key, place)
                    raise
            thing: T = place.made[0]
        return thing

    def _forget(self, key: Hashable, place: _Place) -> None:
        with self._lock:
            if self._places.get(key) is place:
                del self._places[key]


# of all runs of this process
COMPILED = CompileCache()
