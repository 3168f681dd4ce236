"""Exceptions of Phalanx: what came, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

_LONGEST_SHOWN = 60
_LONGEST_OBJECT = 80  # what is longer says less than its type
# what stands in files and on command lines; its first characters say most
_WRITTEN = (str, int, float, list, dict, tuple, bytes)
# looks only at the first few parts of a value, which may stand for gigabytes
_BRIEF = Repr()
_BRIEF.maxstring = _BRIEF.maxother = _LONGEST_SHOWN


def shown(value: Any) -> str:
    """A value as it was written, short enough for a line of a message; else its type."""
    try:
        text = _BRIEF.repr(value) if isinstance(value, _WRITTEN) else repr(value)
    except ValueError:  # Python does not write whole numbers of thousands of digits
        return f"a {type(value).__name__} of thousands of digits"
    except Exception:  # whatever a stranger's repr does, the message is about something else
        return f"a {type(value).__name__}"
    if isinstance(value, _WRITTEN):
        return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
    said = len(text) <= _LONGEST_OBJECT and "\n" not in text and not text.startswith("<")
    return text if said else f"a {type(value).__name__}"


class PhalanxError(Exception):
    """Base of every error that Phalanx raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The message and what is kept beside it: an error of a worker has to reach who waits."""
        return _told_again, (type(self), self.args), dict(vars(self))


def _told_again(kind: type[PhalanxError], args: tuple[Any, ...]) -> PhalanxError:
    # not by its constructor, which makes the message of other arguments
    return kind.__new__(kind, *args)


class UnknownName(PhalanxError):
    """A name that is not there, with the nearest one that is."""

    def __init__(self, owner: str, kind: str, name: str, known: Iterable[str]) -> None:
        """Say which ``kind`` of thing ``owner`` lacks, and what it has."""
        known = list(known)
        name = name if isinstance(name, str) else shown(name)
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        some = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
        y = kind.endswith("y") and kind[-2:] != "ey"
        kinds = kind.removesuffix("y") + "ies" if y else kind + "s"
        listed = f" {kinds.capitalize()}: {some}." if known else f" It has no {kinds}."
        super().__init__(f"{owner} has no {kind} '{name}'.{hint}{listed}")
        self.name = name


class InvalidModel(PhalanxError):
    """A mechanism that no machine can have: its data contradict mechanics or each other."""


class InvalidInput(PhalanxError):
    """An argument of the wrong shape, type or value."""


class UnsupportedLoad(PhalanxError):
    """A load of a machine that a way of running it cannot let act, and does not leave out."""

    def __init__(self, owner: str, load: str, way: str, instead: str = "") -> None:
        """Say which load of whom, which way of running lacks it, and what to do instead."""
        usual = "Take that load off to go without it, or use simulate or rollout, which have it."
        super().__init__(
            f"{owner} has {load}, which {way} cannot let act and would leave out. "
            f"{instead or usual}"
        )


class ReadError(PhalanxError):
    """A file that cannot be read, with the place and the reason."""


class WriteError(PhalanxError):
    """A file that cannot be written; what was to be written is not lost.

    Attributes:
        recording: What a run had recorded until then, where a run was being recorded.
    """

    def __init__(self, message: str, recording: Any = None) -> None:
        super().__init__(message)
        self.recording = recording


class MissingExtra(PhalanxError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        """Say how to install what ``feature`` needs."""
        from phalanx.base.installation import install_command

        super().__init__(f"{feature} needs the extra '{extra}': {install_command(extra)}")


class CompileError(PhalanxError):
    """An expression that cannot be turned into machine code."""
