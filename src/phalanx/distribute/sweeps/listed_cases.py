"""Cases from lists: full factorial grid, or a table row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, final

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, shown
from phalanx.distribute.sweeps.cases import Array, Cases, ColumnType, check_names, column_of

MOST_CASES = 10**12


@final
class Grid(Cases):
    """All combinations of some values of each name; the last name changes fastest.

    >>> px.sweeps.Grid({"link_3.mass": [0.5, 1.0], "q0.joint_2": np.linspace(-1, 1, 5)})
    """

    @checked
    def __init__(self, values: Mapping[str, Any]) -> None:
        """Keep the values of each axis.

        Raises:
            InvalidInput: When there are none, or they are not finite.
        """
        check_names(list(values))
        made = {name: column_of(name, _list(given)) for name, given in values.items()}
        self._axes = {name: array for name, (array, _) in made.items()}
        self._columns = {name: column for name, (_, column) in made.items()}
        self.shape = tuple(len(axis) for axis in self._axes.values())
        if not made or 0 in self.shape:
            empty = [name for name, axis in self._axes.items() if not len(axis)]
            raise InvalidInput(f"a grid needs values; {', '.join(empty) or 'it'} has none.")
        count = math.prod(self.shape)
        if count > MOST_CASES:
            sides = " × ".join(map(str, self.shape))
            raise InvalidInput(
                f"a grid of {sides} has {count:.3g} cases; no machine runs more than "
                f"{MOST_CASES:.0e}. Take fewer values, or draw some: Quasi(..., cases=100_000)."
            )

    @property
    def axes(self) -> Mapping[str, Array]:
        """The values along each axis."""
        return self._axes

    def __len__(self) -> int:
        """The product of the axes' lengths."""
        return math.prod(self.shape)

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """One an axis."""
        return self._columns

    def values(self, first: int, count: int, seed: int) -> dict[str, Array]:
        """The combinations by number."""
        places = np.unravel_index(np.arange(first, first + count), self.shape)
        return {
            name: axis[place]
            for (name, axis), place in zip(self._axes.items(), places, strict=True)
        }

    def to_data(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": "grid", "values": {k: axis.tolist() for k, axis in self._axes.items()}}


@final
class Table(Cases):
    """Cases row by row.

    >>> px.sweeps.Table({"link_3.mass": [0.5, 1.0, 1.5], "gravity[2]": [-9.8, -1.6, -3.7]})
    """

    @checked
    def __init__(self, columns: Mapping[str, Any]) -> None:
        """Keep the columns.

        Raises:
            InvalidInput: When their lengths differ, there are none, or they are not finite.
        """
        check_names(list(columns))
        made = {name: column_of(name, _list(given)) for name, given in columns.items()}
        lengths = {name: len(array) for name, (array, _) in made.items()}
        if len(set(lengths.values())) != 1 or 0 in lengths.values():
            found = ", ".join(f"{name} {n}" for name, n in lengths.items())
            raise InvalidInput(
                f"columns of a table have equally many rows, at least one; got {found or 'none'}."
            )
        self._rows = {name: array for name, (array, _) in made.items()}
        self._columns = {name: column for name, (_, column) in made.items()}
        self._count = next(iter(lengths.values()))

    @staticmethod
    def of(cases: Iterable[Mapping[str, Any]]) -> Table:
        """From cases, one after the other.

        Raises:
            InvalidInput: When they do not all have the same names.
        """
        rows = list(cases)
        if not all(isinstance(row, Mapping) for row in rows) or not rows:
            raise InvalidInput(
                f"cases are {shown(rows)}; expected some, each a table from name to value."
            )
        names = tuple(rows[0])
        for k, row in enumerate(rows):
            if set(row) != set(names):
                raise InvalidInput(
                    f"case {k} has {', '.join(map(str, row)) or 'nothing'}; case 0 has "
                    f"{', '.join(map(str, names))}. All cases need the same names."
                )
        return Table({name: [row[name] for row in rows] for name in names})

    def __len__(self) -> int:
        """How many rows."""
        return self._count

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """What each column is."""
        return self._columns

    def values(self, first: int, count: int, seed: int) -> dict[str, Array]:
        """Rows by number."""
        return {name: array[first : first + count] for name, array in self._rows.items()}

    def to_data(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": "table", "values": {k: rows.tolist() for k, rows in self._rows.items()}}


def _list(given: Any) -> Any:
    """What can be walked over once, as a list."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidInput(f"values are {shown(given)}; expected a list of them.")
    return given if isinstance(given, np.ndarray | list | tuple) else list(given)
