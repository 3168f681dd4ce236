"""Results of a sweep as a table of named columns: what was varied, and what came out.

A dataset of xarray has the dimension ``case``. A coordinate along it alone is something that was
varied, a variable along it a result. A variable with a further dimension of labels has a column for
every label, ``final_q.elbow``; one with the dimension ``time`` is a signal, and no column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import UnknownName

if TYPE_CHECKING:
    from xarray import DataArray, Dataset

Array = NDArray[np.float64]

CASE, TIME = "case", "time"
STATUS = "status"  # whether a case is there: no result


@final
@dataclass(frozen=True)
class Column:
    """One number a case.

    Attributes:
        name: What it is.
        unit: Its unit; empty for a plain number.
        values: The numbers, shape (cases,); not a number where a case failed. Of words, their
            places among the labels.
        labels: The words; none for numbers.
    """

    name: str
    unit: str
    values: Array
    labels: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name and unit, as on an axis."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def cells(self) -> NDArray[Any]:
        """The numbers, or the words, of all cases."""
        return np.array(self.labels)[self.values.astype(int)] if self.labels else self.values

    def cell(self, row: int) -> str | float:
        """The number or the word of a case."""
        value = float(self.values[row])
        return self.labels[int(value)] if self.labels else value


def varied(data: Dataset) -> dict[str, Column]:
    """What was varied, by name."""
    found: dict[str, Column] = {}
    for name, values in data.coords.items():
        if name != CASE and values.dims[:1] == (CASE,):
            found |= _columns(str(name), values)
    return found


def results(data: Dataset) -> dict[str, Column]:
    """What came out, by name: one number a case each, so no signals over time."""
    found: dict[str, Column] = {}
    for name, values in data.data_vars.items():
        if name != STATUS and values.dims[:1] == (CASE,) and TIME not in values.dims:
            found |= _columns(str(name), values)
    return found


def signals(data: Dataset) -> dict[str, tuple[str, Array]]:
    """Unit and numbers of every signal over time, by name: shape (cases, times)."""
    found: dict[str, tuple[str, Array]] = {}
    for name, values in data.data_vars.items():
        if values.dims[:2] == (CASE, TIME) and values.dtype.kind in "fiu":
            unit = str(values.attrs.get("units", ""))
            for label, part in _parts(str(name), values, 2):
                found[label] = unit, part
    return found


def column(data: Dataset, name: str) -> Column:
    """A column by its name.

    Raises:
        UnknownName: When there is none of that name.
    """
    known = varied(data) | results(data)
    return named(known, name)


def named(known: Mapping[str, Any], name: str, kind: str = "column") -> Any:
    """One of some things by name.

    Raises:
        UnknownName: When it is none of them.
    """
    if name not in known:
        raise UnknownName("the sweep", kind, name, known)
    return known[name]


def is_varying(values: Array) -> bool:
    """Whether at least two cases have different finite numbers."""
    good = values[np.isfinite(values)]
    return bool(len(good)) and bool((good != good[0]).any())


def _columns(name: str, values: DataArray) -> dict[str, Column]:
    unit = str(values.attrs.get("units", ""))
    if values.dtype.kind in "OUT" and values.ndim == 1:
        labels, places = np.unique(np.asarray(values.values, dtype=str), return_inverse=True)
        return {name: Column(name, unit, places.astype(np.float64), tuple(labels.tolist()))}
    if values.dtype.kind not in "fiub":
        return {}
    return {label: Column(label, unit, part) for label, part in _parts(name, values, 1)}


def _parts(name: str, values: DataArray, own: int) -> list[tuple[str, Array]]:
    """The parts along the dimensions beyond the first ``own``, each with its label."""
    numbers = np.asarray(values.values, dtype=np.float64)
    beyond = values.dims[own:]
    if not beyond:
        return [(name, numbers)]
    labels = [_labels(values, str(dimension)) for dimension in beyond]
    places = np.ndindex(*numbers.shape[own:])
    return [
        (
            ".".join([name, *(names[k] for names, k in zip(labels, place, strict=True))]),
            numbers[(..., *place)],
        )
        for place in places
    ]


def _labels(values: DataArray, dimension: str) -> list[str]:
    if dimension in values.coords:
        return [str(label) for label in values.coords[dimension].values]
    return [str(k) for k in range(values.sizes[dimension])]
