"""Facts of a result: one description, which the command line prints as tables or as JSON.

A result says what it is in parts, each with its text to print and the values behind it for
programs, and knows nothing of terminals: :func:`phalanx.cli.console.say` is the one printer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

Values = Mapping[str, Any]


@final
@dataclass(frozen=True)
class Styled:
    """Text that stands out: ``bold``, ``dim``, ``bold red`` and the like."""

    text: str
    style: str


Cell = str | Styled


@final
@dataclass(frozen=True)
class Fact:
    """A line with a name before it, and the values that it speaks of."""

    name: str
    text: str
    values: Values = field(default_factory=dict)


@final
@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes:
        title: Above it.
        left: Heads of its first columns, aligned left.
        right: Heads of the next ones, aligned right.
        rows: Their cells, those at the end may be missing; an empty row divides sections.
        caption: Below it.
        wrapped: Heads of the last columns, whose texts go on in the next line.
        gap: Empty characters after each cell.
        values: For programs.
    """

    title: str
    left: Sequence[str]
    right: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    wrapped: Sequence[str] = ()
    gap: int = 0
    values: Values = field(default_factory=dict)


@final
@dataclass(frozen=True)
class TextTree:
    """A tree of lines: the first is its root, ``parents`` has the number of each other's parent."""

    lines: Sequence[Sequence[Cell]]
    parents: Sequence[int]


# texts are lines; several make up one line
Part = Cell | Sequence[Cell] | Fact | TextTable | TextTree


@final
@dataclass(frozen=True)
class Facts:
    """Facts of a result, to print or to write as JSON.

    Attributes:
        parts: In their order; an empty text is an empty line.
        values: For programs, what is in no part.
    """

    parts: Sequence[Part]
    values: Values = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """All values, as JSON has them."""
        found = dict(self.values)
        for part in self.parts:
            if isinstance(part, Fact | TextTable):
                found |= part.values
        return found

    def __add__(self, other: Facts) -> Facts:
        """Facts one after the other."""
        return Facts([*self.parts, *other.parts], {**self.values, **other.values})


def named_texts(title: str, rows: Mapping[str, str]) -> TextTable:
    """Names and what they are, a row each; long texts go on in the next line."""
    return TextTable(title, ("",), (), list(rows.items()), wrapped=("",), gap=1)


def finite(x: float) -> float | None:
    """A number as JSON has it: null where it is infinite, or none."""
    return float(x) if abs(x) < float("inf") else None


def duration(seconds: float) -> str:
    """Three digits and a unit: ``17.3 ns``."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
