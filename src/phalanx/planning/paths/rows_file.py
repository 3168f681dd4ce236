"""Rows as text: a table with a header that names joints, quantities and units."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, WriteError
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import check_machine, is_angle, joint_names
from phalanx.planning.paths.rows import Rows

Array = NDArray[np.float64]

VELOCITY, ACCELERATION, TORQUE = "velocity of ", "acceleration of ", "torque of "
# what a column is called before the joint's name, and its units of angles and of lengths
COLUMNS = (
    ("", "rad", "m"),
    (VELOCITY, "rad/s", "m/s"),
    (ACCELERATION, "rad/s²", "m/s²"),
    (TORQUE, "N·m", "N"),
)


@checked
def write_rows(rows: Rows, path: str | os.PathLike[str], mechanism: Mechanism) -> None:
    """Write rows as CSV: time, positions, velocities and accelerations, as ``read_motion`` reads.

    Args:
        rows: As of :meth:`Path.sample`.
        path: The file, which is replaced.
        mechanism: The machine whose joints these are.

    Raises:
        InvalidInput: When the machine has another number of joints.
        WriteError: When the file cannot be written.
    """
    check_machine(mechanism)
    if rows.parts[0].shape[1] != mechanism.nv:
        raise InvalidInput(
            f"rows of {rows.parts[0].shape[1]} joints; '{mechanism.name}' has {mechanism.nv}."
        )
    write_text(path, table_text(mechanism, rows.times, rows.parts))


def table_text(mechanism: Mechanism, times: Array, parts: Sequence[Array]) -> str:
    """Times [s], then positions, velocities, accelerations and torques as far as given."""
    joints = list(zip(joint_names(mechanism), is_angle(mechanism), strict=True))
    header = ["time [s]"]
    for (prefix, of_angle, of_length), _ in zip(COLUMNS, parts, strict=False):
        header += [f"{prefix}{name} [{of_angle if angle else of_length}]" for name, angle in joints]
    table = np.column_stack([times, *parts]).tolist()
    lines = [",".join(header)]
    lines += [",".join(f"{value:.15g}" for value in row) for row in table]
    return "\n".join(lines) + "\n"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file.

    Raises:
        WriteError: When it cannot be written.
    """
    try:
        FilePath(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise WriteError(f"{path}: cannot be written: {error}.") from error
