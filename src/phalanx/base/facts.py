"""Facts of a result: one description that is printed as tables or as JSON.

A result consists of parts, each with its text and the values for JSON, and does not depend on a
terminal. :func:`phalanx.cli.console.print_facts` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

Values = Mapping[str, Any]


@final
@dataclass(frozen=True)
class Styled:
    """Text with a style, such as ``bold``, ``dim`` or ``bold red``."""

    text: str
    style: str


Cell = str | Styled


@final
@dataclass(frozen=True)
class Fact:
    """A line with a name, and its values for JSON."""

    name: str
    text: str
    values: Values = field(default_factory=dict)


@final
@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes:
        title: Line above the table.
        left: Heads of the first columns, aligned left.
        right: Heads of the next columns, aligned right.
        rows: Cells; those at the end may be missing. An empty row separates sections.
        caption: Text below the table.
        wrapped: Heads of the last columns, whose texts wrap.
        gap: Number of spaces after each cell.
        values: Values for JSON.
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
    """A tree of lines: the first is the root, ``parents`` has the parent of each other line."""

    lines: Sequence[Sequence[Cell]]
    parents: Sequence[int]


# a text is a line; a sequence of cells is one line
Part = Cell | Sequence[Cell] | Fact | TextTable | TextTree


@final
@dataclass(frozen=True)
class Facts:
    """A result as text and values.

    Attributes:
        parts: Lines, tables and trees in order; an empty text is an empty line.
        values: Values for JSON that belong to no part.
    """

    parts: Sequence[Part]
    values: Values = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """All values, for JSON."""
        data = dict(self.values)
        for part in self.parts:
            if isinstance(part, Fact | TextTable):
                data |= part.values
        return data

    def __add__(self, other: Facts) -> Facts:
        """Concatenate facts."""
        return Facts([*self.parts, *other.parts], {**self.values, **other.values})


def named_texts(title: str, rows: Mapping[str, str]) -> TextTable:
    """Return a table of names and texts; long texts wrap."""
    return TextTable(title, ("",), (), list(rows.items()), wrapped=("",), gap=1)


def finite(x: float) -> float | None:
    """Return a number for JSON: None for infinities and NaN."""
    return float(x) if abs(x) < float("inf") else None


def duration(seconds: float) -> str:
    """Return a time with three digits and a unit: ``17.3 ns``."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
