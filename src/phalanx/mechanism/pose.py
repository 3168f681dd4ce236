"""Rigid poses (rotation and translation) as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments.kinds import is_masked
from phalanx.base.errors import InvalidModel, shown
from phalanx.base.short_repr import short
from phalanx.mechanism.frozen import Frozen

Array = NDArray[np.float64]

# URDF files print right angles with 6 to 12 digits; a cosine this small is a zero that was rounded.
ROUNDING = 1e-11
# what a few operations in double precision leave of zero
LAST_DIGITS = 1e-15
# The largest number a model may hold, in its unit: a mass times two lengths of this size, and their
# products with velocities, stay far from the end of double precision. The sun has 2e30 kg.
LARGEST = 1e50
# Arrays of the same numbers that are kept as one: links of a chain have theirs in common.
SHARED = 4096


def frozen_array(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """A read-only float64 copy of ``values``, of the wanted shape, finite and not beyond LARGEST.

    It is read-only, so that equal copies may be one.

    Raises:
        InvalidModel: When the shape differs, a value is no number, NaN, infinite or too large.
    """
    try:
        given = np.asarray(values)
    except Exception as error:  # older versions of CasADi raise no more than that for a symbol
        message = f"{what} must be numbers of shape {shape}, got {shown(values)}."
        raise InvalidModel(message) from error
    if is_masked(values) or given.dtype.kind not in "iuf":
        raise InvalidModel(f"{what} must be numbers of shape {shape}, got {shown(values)}.")
    if given.shape != shape:
        raise InvalidModel(f"{what} must have shape {shape}, got {given.shape}.")
    content = given.astype(np.float64, copy=False).tobytes()
    array, is_sound = _shared_array(content, shape)
    if not is_sound:
        if not np.isfinite(array).all():
            raise InvalidModel(f"{what} holds a NaN or an infinity: {array.tolist()}.")
        check_size(what, array)
    return array


@lru_cache(SHARED)
def _shared_array(content: bytes, shape: tuple[int, ...]) -> tuple[Array, bool]:
    """The float64 array of these bytes, and whether a model may hold all of its numbers."""
    # bytes cannot be written to, nor can an array over them be made writeable
    array = np.frombuffer(content).reshape(shape)
    return array, all(-LARGEST <= x <= LARGEST for x in array.ravel().tolist())


def frozen_number(value: ArrayLike, what: str) -> float:
    """One number, finite and not beyond LARGEST.

    Raises:
        InvalidModel: When it is no number, NaN, infinite or too large.
    """
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return value
    return float(frozen_array(value, (), what))


def check_size(what: str, values: ArrayLike) -> None:
    """Raise InvalidModel where a number is so large that products with others would overflow."""
    if np.abs(values).max(initial=0.0) > LARGEST:
        raise InvalidModel(
            f"{what} holds a number beyond {LARGEST:g}: {np.asarray(values).tolist()}. No machine "
            "has one, and products of such numbers leave what a computer can hold. Check the units."
        )


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Rotation matrix about a unit ``axis`` by ``angle`` [rad] (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=np.float64)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def snap_rotation(R: Array) -> Array:
    """The nearest rotation with exact zeros and ones where rounding left something close to them.

    Exact zeros and ones vanish from the equations; a 1e-17 would cost a multiplication. What is not
    set to zero is made a rotation again: near singular postures, forward dynamics with matrices
    that are rotations only to 1e-11 loses as many digits as the mass matrix has in its condition.
    """
    for threshold in (ROUNDING, LAST_DIGITS):
        zero = np.abs(R) < threshold
        snapped, found = _nearest_rotation(R, zero)
        if found:
            break  # else the product of two small angles, which no rotation near by has as zero
    return _exact_ones(snapped)


def _nearest_rotation(R: Array, zero: NDArray[np.bool_]) -> tuple[Array, bool]:
    """A rotation near R with zeros as marked, by turns set and made orthonormal."""
    for _ in range(50):
        R = np.where(zero, 0.0, R)
        excess = R.T @ R - np.eye(3)
        if np.abs(excess).max() < LAST_DIGITS:
            return R, True
        R = R - R @ excess / 2
    return np.where(zero, 0.0, R), False


def snap_direction(vector: Array) -> Array:
    """The nearest unit vector with exact zeros where rounding left something close to them."""
    vector = np.where(np.abs(vector) < ROUNDING, 0.0, vector)
    return _exact_ones(vector / np.linalg.norm(vector))


def _exact_ones(values: Array) -> Array:
    ones = np.rint(values)
    return np.where(np.abs(values - ones) < LAST_DIGITS, ones, values)


@lru_cache(SHARED)
def _rotation(content: bytes) -> Array:
    """The rotation of a matrix's bytes, with exact zeros and ones, checked that it is one."""
    R = np.frombuffer(content).reshape(3, 3)
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise InvalidModel(f"not a rotation matrix (R Rᵀ ≠ 1 or det < 0): {R.tolist()}.")
    return frozen_array(snap_rotation(R), (3, 3), "a rotation")


@lru_cache(SHARED)
def _from_rpy(content: bytes) -> Array:
    """The rotation by the bytes of roll, pitch and yaw."""
    roll, pitch, yaw = np.frombuffer(content)
    return (
        rotation_about((0, 0, 1), yaw)
        @ rotation_about((0, 1, 0), pitch)
        @ rotation_about((1, 0, 0), roll)
    )


@dataclass(frozen=True, eq=False)
class Pose(Frozen):
    """Pose of a frame B in a frame A: ``x_A = rotation @ x_B + translation``.

    Attributes:
        rotation: Axes of B as columns, in A; shape (3, 3).
        translation: Origin of B in A [m]; shape (3,).
    """

    rotation: Array = field(default_factory=lambda: np.eye(3))
    translation: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        """Check that the rotation is one."""
        R = frozen_array(self.rotation, (3, 3), "a rotation")
        object.__setattr__(self, "rotation", _rotation(R.tobytes()))
        object.__setattr__(
            self, "translation", frozen_array(self.translation, (3,), "a translation")
        )

    @staticmethod
    def from_rpy(xyz: ArrayLike, rpy: Sequence[float]) -> Pose:
        """URDF's origin: rotate about fixed x, y, z by roll, pitch, yaw [rad], then shift."""
        R = _from_rpy(frozen_array(rpy, (3,), "roll, pitch and yaw").tobytes())
        return Pose(R, frozen_array(xyz, (3,), "a translation"))

    @staticmethod
    def from_quaternion(xyz: ArrayLike, xyzw: ArrayLike) -> Pose:
        """Pose from a quaternion ``(x, y, z, w)``, normalised here."""
        quaternion = frozen_array(xyzw, (4,), "a quaternion (4 numbers, not all zero)")
        norm = np.linalg.norm(quaternion)
        if not norm > 0:
            raise InvalidModel(f"a quaternion has 4 numbers, not all zero, got {xyzw!r}.")
        x, y, z, w = quaternion / norm
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        return Pose(R, frozen_array(xyz, (3,), "a translation"))

    def __matmul__(self, other: Pose) -> Pose:
        """Chain poses: ``X_AC = X_AB @ X_BC``."""
        return Pose(
            self.rotation @ other.rotation,
            self.rotation @ other.translation + self.translation,
        )

    def inverse(self) -> Pose:
        """The pose of A in B."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    @property
    def rpy(self) -> Array:
        """Roll, pitch and yaw of the rotation [rad], as of :meth:`from_rpy`; shape (3,).

        Where the pitch is a right angle, yaw is zero.
        """
        R = self.rotation
        yaw = np.arctan2(R[1, 0], R[0, 0])
        # of what is left, two turns, both are well determined: also close to a right angle
        R = rotation_about((0, 0, 1), -yaw) @ R
        return np.array([np.arctan2(-R[1, 2], R[1, 1]), np.arctan2(-R[2, 0], R[0, 0]), yaw])

    def __repr__(self) -> str:
        return f"Pose(xyz={short(self.translation)}, rpy={short(self.rpy.round(6) + 0.0)})"

    @property
    def matrix(self) -> Array:
        """The homogeneous 4×4 matrix."""
        X = np.eye(4)
        X[:3, :3] = self.rotation
        X[:3, 3] = self.translation
        return X
