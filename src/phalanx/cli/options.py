"""Options that several commands share, and checks of what came with them."""

from __future__ import annotations

import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from phalanx.errors import InvalidInput

Threads = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="For large batches; all processors.", show_default=False),
]


class Dtype(StrEnum):
    """The numbers kernels compute in."""

    float64 = "float64"
    float32 = "float32"

    @property
    def literal(self) -> Literal["float64", "float32"]:
        """As the library's signatures spell it."""
        return self.value

    @property
    def itemsize(self) -> int:
        """Of a number [byte]."""
        return 8 if self is Dtype.float64 else 4


def check_writable(path: Path, *suffixes: str, force: bool = True) -> None:
    """Fail before the work, not after it.

    Raises:
        InvalidInput: When the suffix is none of ``suffixes``, nothing can be written there, or
            a file is there and ``force`` is not set.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidInput(
            f"cannot write {path.name}: its suffix must be one of {', '.join(suffixes)}."
        )
    try:
        folder = path.absolute().parent
        with suppress(FileNotFoundError):
            path.lstat()
    except (OSError, ValueError) as error:  # too long a name, a loop of links, a NUL
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"cannot write {path}: {reason}.") from None
    if not folder.is_dir():
        raise InvalidInput(f"cannot write {path.name}: there is no folder {folder}.")
    if path.is_dir():
        raise InvalidInput(f"cannot write {path}: it is a folder.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InvalidInput(f"cannot write {path}: no permission.")
    if path.exists() and not force:
        raise InvalidInput(f"{path} exists; --force overwrites it.")
