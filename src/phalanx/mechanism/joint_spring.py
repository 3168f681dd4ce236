"""Joint springs: rest position, and check that they have an energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidModel
from phalanx.mechanism.joint_numbers import frozen_row
from phalanx.mechanism.pose import Array, frozen_array

if TYPE_CHECKING:
    from phalanx.mechanism.joint import Motion


def check_isotropic(owner: str, motion: Motion, stiffness: Array) -> None:
    """Rotations that are quaternions have one stiffness (nv,) for all axes.

    Raises:
        InvalidModel: When they have several.
    """
    if motion.nq != motion.nv and not stiffness[-3] == stiffness[-2] == stiffness[-1]:
        raise InvalidModel(
            f"the stiffness of joint '{owner}' is {stiffness.tolist()}; rotations of a "
            f"{motion.kind} joint need one number for all three axes, for forces along a rotation "
            "vector with several have no energy. Use springs between points instead."
        )


def rest_position(owner: str, motion: Motion, given: ArrayLike) -> Array:
    """The position at which a joint's spring is relaxed, read-only, shape (nq,).

    Args:
        owner: Name of the joint.
        motion: What it allows.
        given: ``nq`` numbers, or one for all of a joint without a quaternion.

    Raises:
        InvalidModel: When that is no position.
    """
    what = f"the rest position of joint '{owner}'"
    if motion.nq == motion.nv:
        return frozen_row(given, motion.nq, what)
    rest = frozen_array(given, (motion.nq,), what).copy()
    length = float(np.linalg.norm(rest[-4:]))
    if length < 1e-9:
        raise InvalidModel(f"{what} has an attitude of zeros, which is no quaternion.")
    rest[-4:] /= length
    return frozen_array(rest, (motion.nq,), what)
