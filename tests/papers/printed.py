"""Tables of the sources beside the same computed here: docs/sources_*.md, made and checked.

``<source>/printed.toml`` has what stands in a source, ``<source>/ours.py`` a function for each
table, which returns a value for each row. A value agrees when it is the printed one to its last
digit; a row says why it differs if, and only if, it does.

    python tests/papers/printed.py               write the pages of all sources anew
    python tests/papers/printed.py khan wong     of some
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
SOURCES = ("dhanaraj", "khan", "lathrop", "sharf", "wong")
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")
HALF_A_DIGIT = 0.5 + 1e-6
HEAD = """\
# {title}

{about}

The tables are made from `tests/papers/{source}/printed.toml` by `python tests/papers/printed.py`.
A test recomputes every value of the column "ours" and compares this page. An empty last column
means that ours is what stands there, to its last digit.
"""


@dataclass(frozen=True)
class Row:
    """What stands in the source, and why ours is not that."""

    what: str
    printed: str
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Numbers of a source that one function computes.

    Attributes:
        source: Folder of the source.
        title: Heading.
        where: Where they stand, or who computed them.
        ours: Name of the function in ``ours.py``; none where nothing can be computed.
        rows: A value each.
        slow: Whether it takes more than some seconds.
    """

    source: str
    title: str
    where: str
    ours: str | None
    rows: tuple[Row, ...]
    slow: bool = False

    @cache  # noqa: B019
    def values(self) -> tuple[Any, ...]:
        """What we compute, a value for each row."""
        assert self.ours is not None
        function = getattr(import_module(f"papers.{self.source}.ours"), self.ours)
        values = tuple(function())
        assert len(values) == len(self.rows), f"{self.ours}: {len(values)} values"
        return values

    def lines(self) -> Iterator[str]:
        """The table as Markdown."""
        yield f"## {self.title}"
        yield ""
        yield f"{self.where[0].upper()}{self.where[1:]}."
        yield ""
        if self.ours is None:
            yield "| | printed | why it is not computed |"
            yield "| --- | --- | --- |"
            for row in self.rows:
                yield f"| {row.what} | {row.printed} | {row.why} |"
        else:
            yield "| | printed | ours | why they differ |"
            yield "| --- | --- | --- | --- |"
            for row, value in zip(self.rows, self.values(), strict=True):
                ours = as_printed(row.printed, value)
                yield f"| {row.what} | {row.printed} | {ours} | {row.why} |"
        yield ""

    @property
    def block(self) -> str:
        """The table as it stands on the page."""
        return "\n".join(self.lines())


@cache
def description(source: str) -> dict[str, Any]:
    """The data file of a source."""
    return tomllib.loads((HERE / source / "printed.toml").read_text(encoding="utf-8"))


@cache
def tables(source: str) -> tuple[Table, ...]:
    """All tables of a source."""
    return tuple(
        Table(
            source,
            table["title"],
            table["where"],
            table.get("ours"),
            tuple(Row(*row) for row in table["rows"]),
            table.get("slow", False),
        )
        for table in description(source)["table"]
    )


def page_of(source: str) -> Path:
    """The page of a source."""
    return DOCS / f"sources_{source}.md"


def page(source: str) -> str:
    """Its text."""
    told = description(source)
    head = HEAD.format(title=told["title"], about=told["about"].strip(), source=source)
    return "\n".join([head, *(table.block for table in tables(source))])


def tokens(printed: str) -> list[str]:
    """The numbers of a printed text."""
    return NUMBER.findall(printed)


def numbers(value: Any) -> list[float]:
    """A value as numbers."""
    return [float(x) for x in np.atleast_1d(np.asarray(value, dtype=float)).ravel()]


def unit(token: str) -> float:
    """One in the last digit of a printed number."""
    mantissa, _, power = token.partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


def is_equal(token: str, value: float) -> bool:
    """Whether a value is a printed number to its last digit."""
    return abs(value - as_float(token)) <= HALF_A_DIGIT * unit(token)


def as_float(token: str) -> float:
    """A printed number."""
    return float(token.replace("−", "-"))


def agrees(printed: str, value: Any) -> bool:
    """Whether a value is what is printed."""
    if isinstance(value, str):
        return value == printed
    pairs = list(zip(tokens(printed), numbers(value), strict=True))
    return all(is_equal(token, x) for token, x in pairs)


def as_printed(printed: str, value: Any) -> str:
    """A value in the form in which the printed one stands, with as many digits."""
    if isinstance(value, str):
        return value
    found = tokens(printed)
    ours: Sequence[float] = numbers(value)
    assert len(found) == len(ours), f"{printed!r} has {len(found)} numbers, ours {len(ours)}"
    rest = iter(zip(found, ours, strict=True))
    return NUMBER.sub(lambda _: _shown(*next(rest)), printed)


def _shown(token: str, value: float) -> str:
    if is_equal(token, value):
        return token
    mantissa, exponent, _ = token.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if exponent:
        mantissa, _, power = f"{value:.{decimals}e}".partition("e")
        return f"{mantissa}e{int(power)}"
    text = f"{value:.{decimals}f}"
    return text if float(text) else text.lstrip("-")


if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]
    for name in sys.argv[1:] or SOURCES:
        page_of(name).write_text(page(name), encoding="utf-8")
        print(page_of(name))
