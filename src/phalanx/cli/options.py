"""Options that several commands share, and checks of what came with them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from phalanx.cli.choices import OneOf
from phalanx.errors import InvalidInput

Threads = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="For large batches; all processors.", show_default=False),
]
Dtype = Annotated[str, OneOf("phalanx.kernel.build:DTYPES"), typer.Option(help="Of the numbers.")]
Json = Annotated[bool, typer.Option("--json", help="For programs.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]


@dataclass(frozen=True)
class Numerics:
    """How kernels compute."""

    threads: Threads = None
    dtype: Dtype = "float64"

    @property
    def options(self) -> dict[str, Any]:
        """As the library's functions take them."""
        return {"threads": self.threads, "dtype": self.dtype}


def check_picture(path: Path) -> None:
    """Fail if a figure cannot be written there.

    Raises:
        InvalidInput: When its suffix is none of a picture, or nothing can be written there.
    """
    from phalanx.view.draw import SUFFIXES

    check_writable(path, *SUFFIXES)


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
