"""Portable object code: compiled in one process, used in others with the same processor.

Policy: a bundle holds entries as files of the cache do, each with its own hash and the kind of
processor and compiler that it is for. Each also has a seal: a keyed hash (HMAC) whose key comes
from the work that the code is for, so that code that was altered under way, or that belongs to
other work, is not taken, although its own hash may be right. Who opens a bundle takes what is
of its own kind, sealed, intact and named as it says; the rest is left alone, and compiled when it
is needed. A process remembers the names of what it linked, and of what it had to compile, so that
it can be said what a piece of work needs and that nothing was compiled twice.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from phalanx.base.cached import ForkSafeLock
from phalanx.kernel.llvm import cache
from phalanx.kernel.llvm.target import host_target

_log = logging.getLogger("phalanx.kernel")

# [byte]; a machine's kernels are a hundredth of it, and a process that had many sends the latest
_LARGEST = 32 << 20

_lock = ForkSafeLock()
_linked: dict[str, None] = {}
_built: dict[str, None] = {}


def linked(name: str) -> None:
    """Remember that this process uses an entry."""
    with _lock:
        _linked.pop(name, None)
        _linked[name] = None


def built(name: str) -> None:
    """Remember that this process uses an entry that it had to compile."""
    linked(name)
    with _lock:
        _built[name] = None


def names_linked() -> tuple[str, ...]:
    """Entries that this process uses, the latest last."""
    with _lock:
        return tuple(_linked)


def names_built() -> tuple[str, ...]:
    """Entries that this process had to compile, the latest last."""
    with _lock:
        return tuple(_built)


@functools.cache
def kind() -> str:
    """A name for all processes that can run each other's object code."""
    return hashlib.sha256(repr((host_target(), cache.versions())).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class PortableCode:
    """Entries by name, each with the kind of processor it is for, its bytes and their seal."""

    entries: Mapping[str, tuple[str, bytes, bytes]] = field(default_factory=dict)

    @staticmethod
    def of(names: Iterable[str], key: bytes) -> PortableCode:
        """The entries of these names that are kept here, the last ones if they are too many.

        Args:
            names: Of entries.
            key: Of the work that they are for; who unpacks them must have the same.
        """
        found: dict[str, tuple[str, bytes, bytes]] = {}
        size = 0
        for name in reversed(tuple(names)):
            entry = cache.load(name)
            if entry is None:
                continue
            data = cache.encode(name, entry)
            size += len(data)
            if size > _LARGEST:
                break
            found[name] = kind(), data, _seal(key, name, kind(), data)
        return PortableCode(found)

    def __bool__(self) -> bool:
        """Whether there is something in it."""
        return bool(self.entries)

    def __or__(self, other: PortableCode) -> PortableCode:
        """Both; what is in this one stays as it is."""
        return PortableCode({**other.entries, **self.entries})

    def names_for_here(self) -> tuple[str, ...]:
        """Entries of this process's kind."""
        return tuple(name for name, entry in self.entries.items() if entry[0] == kind())

    def unpack(self, key: bytes) -> tuple[str, ...]:
        """Put what is of this process's kind, and sealed, where kernels are looked for.

        Args:
            key: Of the work that the entries are for.

        Returns:
            Names of the entries that were taken.
        """
        taken = []
        for name in self.names_for_here():
            made_for, data, seal = self.entries[name]
            is_sealed = hmac.compare_digest(seal, _seal(key, name, made_for, data))
            if is_sealed and cache.adopt(name, data):
                taken.append(name)
            else:
                _log.warning(
                    "object code %.80r arrived damaged or altered; it is compiled here instead",
                    name,
                )
        return tuple(taken)


def _seal(key: bytes, name: str, made_for: str, data: bytes) -> bytes:
    """A keyed hash of an entry."""
    content = repr((name, made_for)).encode() + hashlib.sha256(data).digest()
    return hmac.digest(key, content, "sha256")
