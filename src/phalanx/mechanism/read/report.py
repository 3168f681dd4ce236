"""What a reader says about a file: errors that name it, and warnings for what was left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from phalanx.errors import InvalidModel, ReadError, UnknownName


class ModelWarning(UserWarning):
    """A model that was read, but not all of it, or with something in it that is often a mistake."""


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Put the file's name in front of what goes wrong while it is read."""
    try:
        yield
    except InvalidModel as error:
        raise InvalidModel(f"{path}: {error}") from error
    except (ReadError, UnknownName) as error:
        raise ReadError(f"{path}: {error}") from error


def warn_about(path: Path, what: str, names: Sequence[str]) -> None:
    """One warning per file and reason, listing the first few names; none without names."""
    if names:
        shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        # 4: past this function, the reader and load(), to the line of the user who called load
        warnings.warn(ModelWarning(f"{path}: {what}: {shown}."), stacklevel=4)
