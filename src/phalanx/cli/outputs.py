"""Output files of commands: one check for all of them, before any work.

An option that writes is declared ``Annotated[Path | None, Writes((".npz",)), typer.Option(...)]``.
Before the command runs, :func:`phalanx.cli.groups.spread` checks that the file can be written and
does not exist yet, and adds the option ``--force``, which overwrites existing files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, final

import typer

from phalanx.base.errors import InvalidInput

Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]


@final
@dataclass(frozen=True)
class Writes:
    """The file that an option writes.

    Attributes:
        suffixes: Allowed suffixes; empty for any.
        picture: Whether suffixes of pictures are allowed too.
        inside: Name of the file if the option names its folder.
        later: Whether the command itself checks, with :func:`check_output`, because names depend on
            other options, or processes share a file.
    """

    suffixes: tuple[str, ...] = ()
    picture: bool = False
    inside: str = ""
    later: bool = False

    def check(self, path: Path, *, force: bool) -> None:
        """Fail before the work, not after it.

        Raises:
            InvalidInput: When nothing can be written there, or a file is there and ``force`` is
                not set.
        """
        if self.inside:
            check_report(path, self.inside, force=force)
            return
        suffixes = self.suffixes
        if self.picture:
            from phalanx.view.plots.draw import SUFFIXES

            suffixes += tuple(SUFFIXES)
        check_output(path, suffixes, force=force)


def check_output(path: Path, suffixes: Sequence[str] = (), *, force: bool) -> None:
    """Fail if a file cannot, or must not, be written.

    Raises:
        InvalidInput: When the suffix is none of ``suffixes``, nothing can be written there, or a
            file is there and ``force`` is not set.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidInput(
            f"cannot write {path.name}: its suffix must be one of {', '.join(suffixes)}."
        )
    folder = _folder(path)
    if not folder.is_dir():
        raise InvalidInput(f"cannot write {path.name}: there is no folder {folder}.")
    if path.is_dir():
        raise InvalidInput(f"cannot write {path}: it is a folder.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InvalidInput(f"cannot write {path}: no permission.")
    if path.exists() and not force:
        raise InvalidInput(f"{path} exists; --force overwrites it.")


def check_report(folder: Path, name: str, *, force: bool) -> None:
    """Fail if the file ``name`` cannot, or must not, be written into a folder, which may be new.

    Raises:
        InvalidInput: When that is no folder, nothing can be written there, or the file is there and
            ``force`` is not set.
    """
    _folder(folder)
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"cannot write into {folder}: it is a file; name a folder.")
    if folder.is_dir():
        check_output(folder / name, force=force)
        return
    above = next(place for place in folder.absolute().parents if place.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise InvalidInput(f"cannot write into {folder}: no permission in {above}.")


def check_name(path: Path) -> None:
    """Fail if a path to write to is a bare number, which was meant for another option.

    Raises:
        InvalidInput: When it is.
    """
    try:
        float(str(path))
    except ValueError:
        return
    raise InvalidInput(
        f"cannot write to '{path}': a number stands where a file or folder is named. Give it a "
        f"folder or a suffix (out/{path}) if that is its name."
    )


def _folder(path: Path) -> Path:
    """Return the folder of a file.

    Raises:
        InvalidInput: When no file can have that name.
    """
    check_name(path)
    try:
        with suppress(FileNotFoundError):
            path.lstat()
        return path.absolute().parent
    except (OSError, ValueError) as error:  # too long a name, a loop of links, a NUL
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"cannot write {path}: {reason}.") from None
