"""Cases from arguments of the user, or from plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.distributions import distribution_from
from phalanx.distribute.sweeps.drawn_cases import Quasi, Random
from phalanx.distribute.sweeps.listed_cases import Grid, Table

KINDS = ("grid", "table", "random", "quasi")


def as_cases(over: Any) -> Cases:
    """What is varied, from cases or any iterable of tables from name to value.

    Raises:
        InvalidInput: When it is neither.
    """
    if isinstance(over, Cases):
        return over
    if isinstance(over, Iterable) and not isinstance(over, str | bytes | Mapping):
        return Table.of(over)
    raise InvalidInput(
        f"over is {shown(over)}; expected Grid, Random, Quasi, Table, or an iterable of cases, "
        "each a table from name to value."
    )


def cases_from(data: Mapping[str, Any]) -> Cases:
    """What ``to_data`` wrote.

    Raises:
        UnknownName: When there is no such kind.
    """
    kind, values = data.get("kind"), data.get("values") or {}
    match kind:
        case "grid":
            return Grid(values)
        case "table":
            return Table(values)
        case "random" | "quasi":
            spreads = {name: distribution_from(given) for name, given in values.items()}
            if kind == "random":
                return Random(spreads, data["cases"])
            return Quasi(spreads, data["cases"], data.get("method", "sobol"))
    raise UnknownName("a sweep", "kind of cases", str(kind), KINDS)
