"""Object code on disk, so that a kernel is compiled once per user and processor.

Policy: one file per kernel, named by a hash of everything the code depends on. A file is a header,
the hash of what follows, and the content; one that is damaged, foreign or not the user's own is
ignored and built again. Files appear whole (written aside, then renamed), so any number of
processes may start at once. The oldest files go when the folder grows beyond a limit. A folder that
cannot be used costs time, never an error.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import os
import stat
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import llvmlite
import llvmlite.binding as llvm
import numpy as np

from phalanx.kernel.read_casadi import Shapes
from phalanx.kernel.target import Target

_log = logging.getLogger("phalanx.kernel")

_MAGIC = b"phalanx-kernel-1\n"
_SUFFIX = ".kernel"
_LIMIT_BYTES = 1 << 30


@dataclass(frozen=True)
class Entry:
    """What is kept of a kernel: facts that JSON can hold, and object code."""

    facts: dict[str, Any]
    code: bytes


def folder() -> Path:
    """Where entries live: ``$PHALANX_CACHE_DIR``, or ``phalanx`` in the user's cache folder."""
    own = os.environ.get("PHALANX_CACHE_DIR")
    if own:
        return Path(own)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "phalanx"


def key(
    function: ca.Function, shapes: Shapes | None, dtype: str, target: Target, loop: str = ""
) -> str:
    """A name that changes whenever the object code would."""
    facts = [sorted((shapes or {}).items()), dtype, repr(target), loop, _versions()]
    digest = hashlib.sha256(json.dumps(facts, default=list).encode())
    digest.update(function.serialize().encode())
    return digest.hexdigest()


@functools.cache
def _versions() -> list[str]:
    """This code generator, by its own text, and what it builds on."""
    source = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
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
    """The entry, if it is there and intact."""
    path = folder() / (name + _SUFFIX)
    try:
        with open(path, "rb") as file:
            if not _is_private(os.fstat(file.fileno())):
                _log.warning("%s is not yours alone; ignored", path)
                return None
            content = file.read()
        entry = _decode(name, content)
        if entry is None:
            _log.debug("%s is damaged; ignored", path)
        else:
            with contextlib.suppress(OSError):
                os.utime(path)  # the least recently used go first
        return entry
    except OSError as error:
        _log.debug("no cached kernel: %s", error)
        return None


def store(name: str, entry: Entry) -> None:
    """Keep the entry, if the folder lets us."""
    try:
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        # a temporary file is readable and writeable by its owner only
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_encode(name, entry))
            os.replace(temporary, place / (name + _SUFFIX))
        except BaseException:
            os.unlink(temporary)
            raise
        prune(place, _LIMIT_BYTES)
    except OSError as error:
        _log.debug("kernel not cached: %s", error)


def prune(place: Path, limit: int) -> None:
    """Remove the least recently used entries until the folder holds at most ``limit`` bytes."""
    found = []
    for path in place.glob("*" + _SUFFIX):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue  # another process was faster
        found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            break
        path.unlink(missing_ok=True)
        total -= size


def _is_private(status: os.stat_result) -> bool:
    """Machine code is run only if nobody else could have written it."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _encode(name: str, entry: Entry) -> bytes:
    facts = json.dumps({"key": name, "facts": entry.facts}).encode()
    content = struct.pack("<I", len(facts)) + facts + entry.code
    return _MAGIC + hashlib.sha256(content).digest() + content


def _decode(name: str, data: bytes) -> Entry | None:
    start = len(_MAGIC) + 32
    content = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(content).digest() != data[start - 32 : start]:
        return None
    (size,) = struct.unpack_from("<I", content)
    header = json.loads(content[4 : 4 + size])
    if header["key"] != name:
        return None
    return Entry(header["facts"], content[4 + size :])
