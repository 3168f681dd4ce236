"""Folder of an excavator's recordings, named by start time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from phalanx.base.errors import WriteError


def whole_recordings(folder: Path, unfinished: Collection[Path]) -> list[str]:
    """Names of the recordings in a folder but for the unfinished, the latest last.

    One that ends while this looks is left out, since it was unfinished before.
    """
    found = folder.glob("excavator-*.mcap")
    return sorted(path.stem for path in found if path not in unfinished)


def title_of(name: str) -> str:
    """Title of a recording: its start time, such as ``18 Nov 2026, 14:05:09``; else its name."""
    day, _, rest = name.removeprefix("excavator-").partition("-")
    clock, _, number = rest.partition("-")
    try:
        begun = datetime.strptime(day + clock, "%Y%m%d%H%M%S")
    except ValueError:
        return name
    return f"{begun.day} {begun:%b %Y, %H:%M:%S}" + (f" ({number})" if number else "")


def unused_file(folder: Path) -> Path:
    """A file for a new recording; the folder is made if it is not there.

    Raises:
        WriteError: When there can be no such folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"recordings cannot go to {folder}: {error.strerror or error}.") from None
    stem = f"excavator-{datetime.now():%Y%m%d-%H%M%S}"
    candidates = (folder / f"{stem}{end}.mcap" for end in ("", *(f"-{k}" for k in range(2, 1000))))
    return next(path for path in candidates if not path.exists())
