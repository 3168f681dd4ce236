"""Paths in files: tables of times and positions, as CSV or Parquet, checked before they are used.

The first column is the time [s], then one column for each joint [rad or m]. A header may say
otherwise: columns named after joints may stand in any order, and ``joint_1 [deg]`` is in degrees.
"""

from __future__ import annotations

import os
import re
from pathlib import Path as FilePath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import MissingExtra, ReadError
from phalanx.base.files import home_path, naming_file, opened
from phalanx.base.table_file import NumberTable, read_named_table
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import check_machine, joint_names
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.rows_file import ACCELERATION, TORQUE, VELOCITY
from phalanx.planning.paths.splines import Waypoints
from phalanx.planning.paths.through_rows import path_through
from phalanx.planning.trajectory.limits import Limits

Array = NDArray[np.float64]

PARQUET = (".parquet", ".pq")
COLUMN = re.compile(r"(?P<name>[^\[\(]*?)\s*(?:[\[\(](?P<unit>[^\]\)]*)[\]\)])?")
DEGREES = ("deg", "degree", "degrees", "°")
UNITS = ("", "s", "rad", "m", *DEGREES)
BESIDE = (VELOCITY, ACCELERATION, TORQUE)  # what a table may say beside positions
LARGEST = 1e6  # [s, rad or m]


def read_path(
    path: str | os.PathLike[str],
    mechanism: Mechanism,
    *,
    kind: Literal["cubic", "quintic"] = "cubic",
    ends: Literal["rest", "free"] = "rest",
    beyond_range: bool = False,
) -> Waypoints:
    """Waypoints from a file.

    Args:
        path: A file of time and positions: ``.csv``, or ``.parquet`` with the extra `parquet`.
        mechanism: The machine whose joints these are.
        kind: Of the curve between them, as of :class:`Waypoints`.
        ends: As of :class:`Waypoints`.
        beyond_range: Whether positions outside of the joints' range pass.

    Raises:
        ReadError: When the file cannot be read, has another number of columns, holds what is no
            number, its times do not grow, or a joint is outside of its range; with the line.
        InvalidModel: When the machine's positions are no curves over time.
    """
    times, q, *_ = _read(path, mechanism, beyond_range)
    return Waypoints(times, q, kind, ends)


def read_motion(
    path: str | os.PathLike[str],
    mechanism: Mechanism,
    *,
    kind: Literal["cubic", "quintic"] = "cubic",
    ends: Literal["rest", "free"] = "rest",
    beyond_range: bool = False,
) -> Path:
    """A path from a file, through its rows as they are.

    Where the file has velocities and accelerations too, as :func:`write_rows` and
    :meth:`TrajectoryTable.to_csv` write them, these are kept; else the curve is a spline.
    Arguments and errors are those of :func:`read_path`.
    """
    times, q, v, a, _ = _read(path, mechanism, beyond_range)
    if v is not None and a is not None:
        return path_through(times, q, v, a)
    return Waypoints(times, q, kind, ends).path()


def read_points(
    path: str | os.PathLike[str], mechanism: Mechanism, *, beyond_range: bool = False
) -> Array:
    """Points without times from a file: a column a joint, shape (k, n).

    Args:
        path: As of :func:`read_path`, without the column of times.
        mechanism: The machine whose joints these are.
        beyond_range: Whether positions outside of the joints' range pass.

    Raises:
        ReadError: As of :func:`read_path`, but for times.
    """
    return _read(path, mechanism, beyond_range, timed=False)[1]


def read_measured_motion(
    path: str | os.PathLike[str], mechanism: Mechanism
) -> tuple[Array, Array | None, Array | None, Array | None]:
    """Positions, and velocities, accelerations and torques where a file has them, each (m, n)."""
    _, q, v, a, torque = _read(path, mechanism, beyond_range=True)
    return q, v, a, torque


def _read(
    path: str | os.PathLike[str], mechanism: Mechanism, beyond_range: bool, timed: bool = True
) -> tuple[Array, Array, Array | None, Array | None, Array | None]:
    """Times and positions, and velocities, accelerations and torques where a file has them."""
    check_machine(mechanism)
    file = home_path(path)
    with naming_file(file):
        parquet = file.suffix.lower() in PARQUET
        table = _parquet(file) if parquet else read_named_table(file)
        names, units = _named(table.header)
        if names and len(names) != table.numbers.shape[1]:
            raise ReadError(
                f"a header of {len(names)} names above rows of {table.numbers.shape[1]} columns."
            )
        factors = [np.pi / 180 if unit in DEGREES else 1.0 for unit in units]
        numbers = table.numbers * factors if names else table.numbers
        if not timed:
            _check_untimed(numbers, mechanism)
            names = ["time", *names] if names else names
            numbers = np.column_stack([np.arange(len(numbers), dtype=np.float64), numbers])
        place = [f"{'row' if parquet else 'line'} {line}" for line in table.lines]
        kept = [k for k, name in enumerate(names) if not name.startswith(BESIDE)]
        q = _joints([names[k] for k in kept], numbers[:, kept] if names else numbers, mechanism)
        _check(q, place, mechanism, beyond_range)
        v, a, torque = (_beside(names, numbers, prefix, mechanism) for prefix in BESIDE)
        for rate in (v, a, torque):
            if rate is not None:
                _check_numbers(np.column_stack([q[:, 0], rate]), place, mechanism)
        return q[:, 0], q[:, 1:], v, a, torque


def _check_untimed(numbers: Array, mechanism: Mechanism) -> None:
    joints, count = joint_names(mechanism), numbers.shape[1]
    if count != len(joints):
        also = " A file with times is a path of its own." if count == len(joints) + 1 else ""
        raise ReadError(
            f"{count} columns; expected {len(joints)}: points without times, a column for each "
            f"joint of '{mechanism.name}' ({', '.join(joints[:8])}).{also}"
        )


def _beside(names: list[str], numbers: Array, prefix: str, mechanism: Mechanism) -> Array | None:
    """What is written of all joints beside their positions; None if it is not."""
    columns = [prefix + joint for joint in joint_names(mechanism)]
    if not set(columns) <= set(names):
        return None
    return numbers[:, [names.index(column) for column in columns]]


def _joints(names: list[str], numbers: Array, mechanism: Mechanism) -> Array:
    """Time and positions [s, rad or m], joints in the machine's order."""
    joints = joint_names(mechanism)
    if numbers.shape[1] != len(joints) + 1:
        raise ReadError(
            f"{numbers.shape[1]} columns; expected {len(joints) + 1}: the time and "
            f"{len(joints)} joints of '{mechanism.name}' ({', '.join(joints[:8])})."
        )
    known = [name for name in names[1:] if name in joints]
    if not known:
        return numbers
    strange = [name for name in names[1:] if name not in joints or names[1:].count(name) > 1]
    if strange:
        raise ReadError(
            f"column '{strange[0]}' is no joint of '{mechanism.name}', or is there twice, while "
            f"'{known[0]}' is one. Joints: {', '.join(joints[:8])}."
        )
    return numbers[:, [0, *(names.index(joint) for joint in joints)]]


def _named(header: tuple[str, ...]) -> tuple[list[str], list[str]]:
    names, units = [], []
    for column in header:
        found = COLUMN.fullmatch(column)
        unit = ((found["unit"] or "") if found else "").strip().lower()
        name = found["name"] if found else column
        if unit not in UNITS and not name.startswith(BESIDE):
            raise ReadError(
                f"column '{column}' is in '{unit}'; units are s, rad, m and deg. Without one, an "
                "angle is in rad and a length in m."
            )
        names.append(name.strip())
        units.append(unit)
    return names, units


def _check(numbers: Array, place: list[str], mechanism: Mechanism, beyond_range: bool) -> None:
    _check_numbers(numbers, place, mechanism)
    times = numbers[:, 0]
    if len(times) < 2:
        raise ReadError("one row; a path has two or more.")
    late = np.flatnonzero(np.diff(times) <= 0)
    if late.size:
        row = int(late[0]) + 1
        raise ReadError(
            f"{place[row]}: the time {times[row]:g} s does not follow {times[row - 1]:g} s in the "
            "row before; times must grow."
        )
    if not beyond_range:
        _check_range(numbers[:, 1:], place, mechanism)


def _check_numbers(numbers: Array, place: list[str], mechanism: Mechanism) -> None:
    strange = np.argwhere(~(np.abs(numbers) <= LARGEST))
    if strange.size:
        row, column = strange[0]
        columns = ("the time", *(f"joint '{name}'" for name in joint_names(mechanism)))
        raise ReadError(
            f"{place[row]}: {columns[column]} is {numbers[row, column]:g}; expected a number "
            f"within ±{LARGEST:g}."
        )


def _check_range(q: Array, place: list[str], mechanism: Mechanism) -> None:
    lower, upper = Limits.of(mechanism).position.T
    outside = np.maximum(q - upper, lower - q)
    row, joint = np.unravel_index(np.argmax(outside), outside.shape)
    if outside[row, joint] > 1e-9:
        raise ReadError(
            f"{place[row]}: joint '{joint_names(mechanism)[joint]}' is at {q[row, joint]:.4g}, "
            f"{outside[row, joint]:.3g} outside of its range {lower[joint]:.4g} to "
            f"{upper[joint]:.4g}; of all rows the worst."
        )


def _parquet(path: FilePath) -> NumberTable:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("a Parquet file", "parquet") from error
    with opened(path) as file:
        try:
            table: Any = pyarrow.parquet.read_table(file)
            columns = [
                np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
                for column in (chunks.combine_chunks() for chunks in table.columns)
            ]
        except (pyarrow.ArrowException, ValueError, TypeError, AttributeError) as error:
            raise ReadError(f"not a table of numbers: {str(error).splitlines()[0]}") from error
    if not columns or not len(columns[0]):
        raise ReadError("not a table of numbers: it is empty.")
    numbers = np.column_stack(columns)
    return NumberTable(tuple(table.column_names), numbers, tuple(range(len(numbers))))
