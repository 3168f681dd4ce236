"""Warnings of readers about what was left out of a file or is doubtful."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SHOWN_NAMES = 8


# of meshes that a path leads to, out of the folders that a reader may open
NOT_OPENED = (
    "meshes outside the model's folder are not opened, so these are not drawn (name their folder "
    "in package_paths if you trust it)"
)


class ModelWarning(UserWarning):
    """A model that was read, but not all of it, or with something in it that is often a mistake."""


@dataclass(frozen=True)
class Remark:
    """Something about a model that its user should know: what it is, and of whom."""

    what: str
    names: Sequence[str]

    def __str__(self) -> str:
        """The remark with its first few names."""
        return f"{self.phrase}."

    @property
    def phrase(self) -> str:
        """The same without a full stop."""
        more = len(self.names) - SHOWN_NAMES
        shown = ", ".join(self.names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
        return f"{self.what}: {shown}"


@dataclass(frozen=True)
class Unsupported(Remark):
    """Something that a file says and that is not honoured.

    Attributes:
        quiet: Whether it is listed with the mechanism only, and no reason for a warning: nobody
            expects it to act.
    """

    quiet: bool = False


def unsupported_phrases(remarks: Sequence[Remark]) -> list[str]:
    """Phrases on everything unsupported, quiet ones too, for ``Mechanism.unsupported``."""
    return [x.phrase for x in remarks if isinstance(x, Unsupported) and x.names]


def warn_about(path: Path, remarks: Sequence[Remark]) -> None:
    """One warning per remark that is about someone, at the line that called ``load``.

    What is not honoured comes in one warning for all of it.
    """
    ignored = []
    for remark in remarks:
        if not remark.names:
            continue
        if isinstance(remark, Unsupported):
            ignored += [] if remark.quiet else [remark.phrase]
        else:
            warnings.warn(ModelWarning(f"{path}: {remark}"), stacklevel=3)
    if ignored:
        warnings.warn(ModelWarning(f"{path}: not honoured: {'; '.join(ignored)}."), stacklevel=3)
