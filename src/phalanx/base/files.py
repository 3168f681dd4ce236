"""Safe file access: sizes, kinds and encodings are checked before a file is read.

A name may be too long, hold a NUL, or begin with ``~nobody``; behind it may be a folder, a pipe
that never ends, a device, or more bytes than memory. Every reader of Phalanx begins here, so that
all of these are a :class:`ReadError` with the reason. Who calls puts the file's name in front of it
(:func:`naming_file`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from phalanx.base.errors import InvalidModel, MissingExtra, PhalanxError, ReadError

_PIECE = 2**24
_BEYOND = 1 << 30  # bytes that no file that is held has
# Windows has no pipes among files, and tells text from bytes
_READ = os.O_RDONLY | sum(
    getattr(os, flag, 0) for flag in ("O_CLOEXEC", "O_NONBLOCK", "O_NOINHERIT", "O_BINARY")
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@contextmanager
def naming_file(path: Path | str) -> Iterator[None]:
    """Put the file's name in front of what goes wrong while it is read."""
    try:
        yield
    except MissingExtra:
        raise
    except InvalidModel as error:
        raise InvalidModel(f"{path}: {error}") from error
    except PhalanxError as error:
        raise ReadError(f"{path}: {error}") from error


def home_path(path: str | os.PathLike[str]) -> Path:
    """The path, with ``~`` and ``~name`` as the home folders they stand for.

    Raises:
        ReadError: When there is no such user.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ReadError(f"{path}: {error}") from error


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """An ordinary file, to read.

    Raises:
        ReadError: When there is none, it is something else, or it cannot be read.
    """
    try:
        descriptor = _descriptor(path)
        with os.fdopen(descriptor, "rb") as file:
            yield file
    except OSError as error:
        raise ReadError(f"cannot be read: {_reason(error)}.") from error


def read_bytes(path: Path, largest: int) -> bytes:
    """All bytes of a file.

    Raises:
        ReadError: As of :func:`opened`, and when it has more than ``largest`` bytes.
    """
    content = b""
    with opened(path) as file:
        # by pieces: Python would make room for as many bytes as are asked for
        while len(content) <= largest and (piece := file.read(_PIECE)):
            content += piece
    if len(content) > largest:
        raise ReadError(f"larger than the {_size(largest)} read.")
    return content


def read_text(path: Path, largest: int) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    Raises:
        ReadError: As of :func:`read_bytes`, and when the bytes are no such text.
    """
    content = read_bytes(path, largest)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadError(f"line {line}: not UTF-8 text: {error.reason}.") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ReadError(f"line {line}: not text: it holds a NUL.")
    return text


def hold_alone(file: BinaryIO) -> None:
    """Keep other processes from doing the same with this file, until it is closed.

    Raises:
        OSError: When one does already.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where what is locked cannot be read: a byte far behind the end
        import msvcrt

        locking: Any = msvcrt
        file.seek(_BEYOND)
        locking.locking(file.fileno(), locking.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _descriptor(path: Path) -> int:
    try:
        # a pipe without a writer would hold up an ordinary open for ever
        descriptor = os.open(path, _READ)
    except ValueError as error:  # a NUL, or half a character, in the name
        raise ReadError(f"cannot be read: no file can have this name ({error}).") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((name for test, name in _KINDS if test(mode)), "something else")
        raise ReadError(f"cannot be read: it is {kind}, not a file.")
    return descriptor


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{error.strerror} (looked in {os.getcwd()})"
    if error.errno == errno.ENXIO:  # a socket, or a pipe without a reader
        return "it is no file"
    return error.strerror or str(error)


def _size(size: int) -> str:
    return f"{size / 2**20:g} MB" if size >= 2**20 else f"{size / 2**10:g} kB"
