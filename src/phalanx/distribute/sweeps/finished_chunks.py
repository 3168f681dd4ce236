"""Zarr store that shows only the chunks that are done.

What else lies in the folders of arrays is half a chunk, of a process that was killed or still
writes, and no seal vouches for it. Import this module where Zarr is needed: it is an extra.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

from zarr.storage import LocalStore  # noqa: TID253


@final
class FinishedChunks(LocalStore):
    """A folder of Zarr that has files of some chunks only."""

    _arrays: frozenset[str] = frozenset()
    _done: frozenset[str] = frozenset()

    def of(self, arrays: Iterable[str], done: Iterable[int]) -> FinishedChunks:
        """Hide other chunks of these arrays."""
        self._arrays, self._done = frozenset(arrays), frozenset(map(str, done))
        return self

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        """The content of a file; None for one that is not there, or hidden."""
        match key.split("/"):
            case [name, "c", number, *_] if name in self._arrays and number not in self._done:
                return None
        return await super().get(key, prototype, byte_range)
