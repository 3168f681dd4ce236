"""Measurements for identification: motions and torques, row by row, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked, numbers
from phalanx.base.errors import InvalidInput, ReadError
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import LARGEST
from phalanx.planning.trajectory.path_file import read_measured_motion

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Measurements:
    """Motions and torques of a machine.

    Attributes:
        q: Positions [rad or m], shape (m, n).
        v: Velocities [rad/s or m/s], shape (m, n).
        a: Accelerations [rad/s² or m/s²], shape (m, n).
        tau: Joint torques [N·m or N], shape (m, n).
    """

    q: Array
    v: Array
    a: Array
    tau: Array


def measured_of(mechanism: Mechanism, q: Any, v: Any, a: Any, tau: Any) -> Measurements:
    """The same as arrays of one shape, leading axes made one.

    Raises:
        InvalidInput: When shapes differ, or a number is none or beyond ``LARGEST``; with its row
            and joint.
    """
    parts = {"q": q, "v": v, "a": a, "tau": tau}
    arrays = {name: numbers(name, part) for name, part in parts.items()}
    shape = arrays["q"].shape
    for name, array in arrays.items():
        if array.shape != shape or array.ndim < 2 or shape[-1] != mechanism.nv:
            raise InvalidInput(
                f"{name} has shape {array.shape}; expected rows of {mechanism.nv} joints of "
                f"'{mechanism.name}', as many of q, v, a and tau."
            )
        strange = np.argwhere(~(np.abs(array.reshape(-1, shape[-1])) <= LARGEST))
        if strange.size:
            row, joint = strange[0]
            raise InvalidInput(
                f"{name} holds {array.reshape(-1, shape[-1])[row, joint]} in row {row}, joint "
                f"{joint}, of {len(strange)} such numbers; leave such rows out."
            )
    return Measurements(*(array.reshape(-1, shape[-1]) for array in arrays.values()))


@checked
def read_measured(path: str | os.PathLike[str], mechanism: Mechanism) -> Measurements:
    """Motions and torques from a file, as ``phalanx trajectory --save`` writes them.

    Args:
        path: CSV or Parquet with a header: the time, positions, and columns named ``velocity of
            joint``, ``acceleration of joint`` and ``torque of joint``.
        mechanism: The machine whose joints these are.

    Raises:
        ReadError: When the file cannot be read, or lacks a column.
    """
    parts = read_measured_motion(path, mechanism)
    for name, part in zip(("velocity", "acceleration", "torque"), parts[1:], strict=True):
        if part is None:
            raise ReadError(
                f"{path}: no columns '{name} of …' for all joints of '{mechanism.name}'; data for "
                "identification have positions, velocities, accelerations and torques."
            )
    return measured_of(mechanism, *parts)
