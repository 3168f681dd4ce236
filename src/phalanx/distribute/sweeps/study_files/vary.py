"""Reader of the table ``[vary]`` of a study file: which cases there are.

::

    [vary]
    kind = "random"        # grid, table, random or quasi
    cases = 2000

    [vary.values]
    "link_3.mass" = { uniform = [4.0, 5.6] }
    "q0.joint_2" = { normal = [0.0, 0.1] }

A grid has lists of values, or ``{ from = 0.0, to = 1.0, count = 11 }``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.table_file import read_named_table
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.distributions import (
    Choice,
    Distribution,
    LogUniform,
    Normal,
    Uniform,
)
from phalanx.distribute.sweeps.drawn_cases import METHODS, Quasi, Random
from phalanx.distribute.sweeps.listed_cases import Grid, Table
from phalanx.simulation.scenario.section import Section, of_kind

KINDS = {
    "grid": ("values",),
    "table": ("values", "file"),
    "random": ("values", "cases"),
    "quasi": ("values", "cases", "method"),
}
SPAN = ("from", "to", "count")
DISTRIBUTIONS = {"uniform": Uniform, "log-uniform": LogUniform, "normal": Normal, "choice": Choice}
MOST_OF_AN_AXIS = 10_000_000


def read_cases(table: Section) -> Cases:
    """The cases of a study.

    Args:
        table: The table ``[vary]``.

    Raises:
        ReadError: When a value is wrong, with its file and key.
        UnknownName: When a key or kind does not exist.
    """
    kind, table = of_kind(table, KINDS)
    if kind == "table" and "file" in table.values:
        return _from_file(table)
    values = table.section("values", None)
    if values is None or not values.values:
        raise ReadError(f"{table.owner} has no table [vary.values], which says what is varied.")
    if kind in ("grid", "table"):
        lists = {name: _list(part, key) for name, (part, key) in _leaves(values).items()}
        return values.made(values.place, lambda: Grid(lists) if kind == "grid" else Table(lists))
    spreads = {name: _spread(part, key) for name, (part, key) in _leaves(values).items()}
    count = table.whole("cases")
    if count is None or count < 1:
        raise ReadError(f"{table.owner} cases: expected how many cases, a whole number above 0.")
    if kind == "random":
        return table.made(table.place, lambda: Random(spreads, count))
    method: Any = table.choice("method", METHODS) or "sobol"
    return table.made(table.place, lambda: Quasi(spreads, count, method))


def _leaves(table: Section, before: str = "") -> dict[str, tuple[Section, str]]:
    """What is varied by its whole name: ``link_3.mass`` may stand with or without quotes."""
    found: dict[str, tuple[Section, str]] = {}
    for key, value in table.values.items():
        known = (*SPAN, *DISTRIBUTIONS)
        if isinstance(value, dict) and value and not any(word in value for word in known):
            inner = table.section(key, None)
            assert inner is not None
            found |= _leaves(inner, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = table, key
    return found


def _list(table: Section, key: str) -> Any:
    """Values one by one, or evenly spread."""
    if isinstance(table.values[key], list):
        return table.values[key]
    inner = table.section(key, SPAN)
    assert inner is not None
    first, last = (inner.number(word, needed=True) or 0.0 for word in ("from", "to"))
    count = inner.whole("count")
    if count is None or not 1 <= count <= MOST_OF_AN_AXIS:
        raise ReadError(
            f"{inner.owner} count: expected how many values, from 1 to {MOST_OF_AN_AXIS:,}."
        )
    return np.linspace(first, last, count)


def _spread(table: Section, key: str) -> Distribution:
    """A distribution: its name and its numbers."""
    inner = table.section(key, tuple(DISTRIBUTIONS))
    assert inner is not None
    if len(inner.values) != 1:
        raise table.wrong(key, f"one of {', '.join(DISTRIBUTIONS)}, such as {{ uniform = [0, 1] }}")
    ((word, given),) = inner.values.items()
    if not isinstance(given, list) or not given:
        raise inner.wrong(word, "a list")
    if word == "choice":
        return inner.made(f"{inner.place} {word}", lambda: Choice(tuple(given)))
    if len(given) != 2:
        raise inner.wrong(word, "two numbers" + (", or two lists" if word == "uniform" else ""))
    make: Any = DISTRIBUTIONS[word]
    return inner.made(f"{inner.place} {word}", lambda: make(*given))


def _from_file(table: Section) -> Cases:
    path = table.path("file", needed=True)
    assert path is not None
    if "values" in table.values:
        raise table.wrong("file", "either file or [vary.values]")
    found = table.made(f"{table.place} file", lambda: read_named_table(path))
    if not found.header:
        raise table.wrong("file", "a table whose first line names its columns")
    columns = dict(zip(found.header, found.numbers.T, strict=False))
    return table.made(f"{table.place} file", lambda: Table(columns))
