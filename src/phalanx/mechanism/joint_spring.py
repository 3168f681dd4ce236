"""The spring of a joint: where it is relaxed, and that it has an energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phalanx.errors import InvalidModel
from phalanx.mechanism.pose import Array, check_size

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
    wrong = f"the rest position of joint '{owner}' must be {motion.nq} numbers, got {given!r}."
    quaternion = motion.nq != motion.nv
    try:
        numbers = np.asarray(given, dtype=np.float64)
        rest = np.array(np.broadcast_to(numbers, (motion.nq,)))
    except (TypeError, ValueError) as error:
        raise InvalidModel(wrong) from error
    if quaternion and numbers.size != motion.nq:
        raise InvalidModel(wrong)
    if not np.isfinite(rest).all():
        raise InvalidModel(f"the rest position of joint '{owner}' holds a NaN or infinity.")
    check_size(f"the rest position of joint '{owner}'", rest)
    if quaternion:
        length = float(np.linalg.norm(rest[-4:]))
        if length < 1e-9:
            raise InvalidModel(f"the rest attitude of joint '{owner}' is a quaternion of zeros.")
        rest[-4:] /= length
    rest.setflags(write=False)
    return rest
