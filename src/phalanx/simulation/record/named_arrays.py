"""Export of signals to xarray (named dimensions) and pandas (named columns).

Signals with equal labels share a dimension: ``joint`` where positions have it, else that of the
first of them, ``tau_entry``. Columns of tables are called as in files, ``q.elbow``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from phalanx.base.errors import MissingExtra
from phalanx.simulation.record.signal import Channel

EXTRA = "data"
POSITIONS = ("q", "final_q")


def dimensions(channels: Mapping[str, Channel]) -> dict[str, tuple[str, ...]]:
    """Of each signal, the dimension of its labels; none of a scalar."""
    first: dict[tuple[str, ...], str] = {}
    for name, channel in channels.items():
        first.setdefault(channel.labels, "joint" if name in POSITIONS else f"{name}_entry")
    return {name: (first[c.labels],) if c.labels else () for name, c in channels.items()}


def dataset(
    variables: Mapping[str, tuple[Channel, tuple[str, ...], NDArray[Any]]],
    coordinates: Mapping[str, tuple[tuple[str, ...], NDArray[Any], str]],
    settings: Mapping[str, Any],
) -> Any:
    """An ``xarray.Dataset``.

    Args:
        variables: By name: what it is, dimensions before that of its labels, numbers.
        coordinates: By name: dimensions, numbers, unit.
        settings: What the run was made with; kept as JSON.

    Raises:
        MissingExtra: When xarray is not installed.
    """
    try:
        import xarray
    except ImportError:
        raise MissingExtra("a run as an xarray.Dataset", EXTRA) from None
    own = dimensions({name: channel for name, (channel, _, _) in variables.items()})
    labels = {
        own[name][0]: list(channel.labels)
        for name, (channel, _, _) in variables.items()
        if channel.labels
    }
    return xarray.Dataset(
        {
            name: ((*dims, *own[name]), values, _units(channel.unit))
            for name, (channel, dims, values) in variables.items()
        },
        {name: (dims, x, _units(unit)) for name, (dims, x, unit) in coordinates.items()} | labels,
        {"settings": json.dumps(dict(settings), ensure_ascii=False)} if settings else {},
    )


def table(
    columns: Mapping[str, NDArray[Any]],
    units: Mapping[str, str],
    index: Mapping[str, NDArray[Any]],
    settings: Mapping[str, Any],
) -> Any:
    """A ``pandas.DataFrame`` with units and settings in its ``attrs``.

    Args:
        columns: Each of shape (rows,).
        units: Of columns.
        index: What tells rows apart, each of shape (rows,).
        settings: What the run was made with.

    Raises:
        MissingExtra: When pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtra("a run as a pandas.DataFrame", EXTRA) from None
    names = list(index)
    rows = (
        pandas.Index(index[names[0]], name=names[0])
        if len(names) == 1
        else pandas.MultiIndex.from_arrays(list(index.values()), names=names)
    )
    made = pandas.DataFrame(dict(columns), index=rows)
    made.attrs |= {"units": dict(units), "settings": dict(settings)}
    return made


def _units(unit: str) -> dict[str, str]:
    return {"units": unit} if unit else {}
