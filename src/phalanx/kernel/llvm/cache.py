"""Disk cache of object code: a kernel is compiled once per user and processor.

Policy: one file per kernel, named by a hash of everything the code depends on. A file is a header,
the hash of what follows, and the content; one that is damaged, foreign, no plain file or not the
user's own is ignored and built again. Files appear whole (written aside, then renamed), so any
number of processes may start at once; what a killed writer left aside goes an hour later. The
oldest files go when the folder grows beyond a limit. A folder that cannot be used, because there is
none or because others may write to it, costs time, never an error; what came from elsewhere is held
in memory then.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import math
import os
import re
import stat
import struct
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import llvmlite
import llvmlite.binding as llvm
import numpy as np

from phalanx.kernel.graph.read_casadi import Shapes
from phalanx.kernel.llvm.target import Target

_log = logging.getLogger("phalanx.kernel")

_MAGIC = b"phalanx-kernel-1\n"
_SUFFIX = ".kernel"
_ASIDE = ".part"
_STALE = 3600.0  # [s] after which no process still writes to a file aside
_LIMIT_BYTES = 1 << 30
_KEY = re.compile(r"[0-9a-f]{64}")  # what comes from elsewhere names no other file


# what came from elsewhere and found no folder to stay in
_HELD: dict[str, Entry] = {}


@dataclass(frozen=True)
class Entry:
    """Cache entry of a kernel: facts that JSON can hold, and object code."""

    facts: dict[str, Any]
    code: bytes


def folder() -> Path | None:
    """Return the cache folder: ``$PHALANX_CACHE_DIR``, or ``phalanx`` in the user's cache folder.

    None for a user without a home.
    """
    own = os.environ.get("PHALANX_CACHE_DIR")
    if own:
        return Path(own)
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = str(Path.home() / "Library" / "Caches")
        else:
            base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:  # neither the environment nor the system knows one
        return None
    return Path(base) / "phalanx"


def key(
    function: ca.Function, shapes: Shapes | None, dtype: str, target: Target, loop: str = ""
) -> str:
    """Return the cache key: a hash of everything that the object code depends on."""
    facts = [sorted((shapes or {}).items()), dtype, repr(target), loop, versions()]
    digest = hashlib.sha256(json.dumps(facts, default=list).encode())
    digest.update(function.serialize().encode())
    return digest.hexdigest()


def compiler_sources() -> list[Path]:
    """All files between an expression and its object code."""
    return sorted(Path(__file__).parents[1].rglob("*.py"))


@functools.cache
def versions() -> list[str]:
    """This compiler, by its own text (passes and loops too), and what it builds on."""
    source = hashlib.sha256()
    for path in compiler_sources():
        source.update(path.read_bytes())
    return [
        source.hexdigest(),
        llvmlite.__version__,
        str(llvm.llvm_version_info),
        llvm.get_process_triple(),
        ca.CasadiMeta.version(),
        np.__version__,
        sys.implementation.cache_tag or "",
    ]


def load(name: str) -> Entry | None:
    """Return the entry, if it is there and intact."""
    if name in _HELD:
        return _HELD[name]
    place = _trusted_folder()
    if place is None:
        return None
    path = place / (name + _SUFFIX)
    try:
        content = _read(path)
        if content is None:
            _log.warning("%s is no plain file that is yours alone; ignored", path)
            return None
        entry = decode(name, content)
        if entry is None:
            _log.debug("%s is damaged; ignored", path)
        else:
            with contextlib.suppress(OSError):
                os.utime(path)  # the least recently used go first
        return entry
    except OSError as error:
        _log.debug("no cached kernel: %s", error)
        return None


def _read(path: Path) -> bytes | None:
    """The bytes of a plain file of the user's; anything else is not even waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        status = os.fstat(handle)
        if not (stat.S_ISREG(status.st_mode) and _is_private(status)):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def store(name: str, entry: Entry) -> None:
    """Write an entry, if the folder can be written."""
    try:
        place = folder()
        if place is None:
            _say_once("there is no home folder and no PHALANX_CACHE_DIR")
            return
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _trusted_folder() is None:
            return
        # a temporary file is readable and writeable by its owner only
        handle, temporary = tempfile.mkstemp(dir=place, suffix=_ASIDE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(encode(name, entry))
            target = place / (name + _SUFFIX)
            if target.is_dir() and not target.is_symlink():
                target.rmdir()  # the only thing that a file cannot take the place of
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):  # it may have got its name already
                os.unlink(temporary)
            raise
        prune(place, _LIMIT_BYTES)
    except OSError as error:
        _log.debug("kernel not cached: %s", error)


def _trusted_folder() -> Path | None:
    """The folder, unless another user could write or delete files there."""
    place = folder()
    if place is None:
        return None
    try:
        status = place.stat()
    except OSError:
        return None
    if _is_private(status):
        return place
    _say_once(
        f"others may write to {place}; take that right away (chmod go-w), or name a folder of "
        "your own in PHALANX_CACHE_DIR"
    )
    return None


@functools.cache
def _say_once(reason: str) -> None:
    _log.warning("kernels are not kept, and built again in every process: %s.", reason)


def prune(place: Path, limit: int) -> None:
    """Remove what writers left aside, and the least recently used beyond ``limit`` bytes."""
    now = time.time()
    for _, _, path in _files(place, until=now - _STALE, suffix=_ASIDE):
        path.unlink(missing_ok=True)
    found = _files(place, until=math.inf, suffix=_SUFFIX)
    total = sum(size for _, size, _ in found)
    for _, size, path in found:
        if total <= limit:
            break
        path.unlink(missing_ok=True)
        total -= size


def _files(place: Path, *, until: float, suffix: str) -> list[tuple[float, int, Path]]:
    """Time of last use, size and path of plain files, the oldest first."""
    found = []
    for path in place.glob("*" + suffix):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue  # another process was faster
        if stat.S_ISREG(status.st_mode) and status.st_mtime <= until:
            found.append((status.st_mtime, status.st_size, path))
    return sorted(found)


def _is_private(status: os.stat_result) -> bool:
    """Whether it is the user's, and no other user may write to it: such machine code may be run."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def adopt(name: str, data: bytes) -> bool:
    """Import an entry that another process encoded for this kind of processor.

    Returns:
        Whether it is intact and what its name says; one that is not is left alone.
    """
    entry = decode(name, data) if _KEY.fullmatch(name) else None
    if entry is None:
        return False
    if load(name) is None:
        store(name, entry)
        if load(name) is None:
            _HELD[name] = entry
    return True


def encode(name: str, entry: Entry) -> bytes:
    """The bytes of an entry: a header, the hash of what follows, and that."""
    facts = json.dumps({"key": name, "facts": entry.facts}).encode()
    content = struct.pack("<I", len(facts)) + facts + entry.code
    return _MAGIC + hashlib.sha256(content).digest() + content


def decode(name: str, data: bytes) -> Entry | None:
    """The entry of this name, or None where bytes are damaged or of another."""
    start = len(_MAGIC) + 32
    content = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(content).digest() != data[start - 32 : start]:
        return None
    # the hash is right, so this was written on purpose, and perhaps not by this program
    try:
        (size,) = struct.unpack_from("<I", content)
        header = json.loads(content[4 : 4 + size])
    except (struct.error, ValueError, RecursionError):
        return None
    match header:
        case {"key": str(found), "facts": dict(facts)} if found == name:
            return Entry(facts, content[4 + size :])
    return None
