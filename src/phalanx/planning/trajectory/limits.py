"""Limits of a machine's joints: position, velocity, torque and torque rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import numbers
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import joint_names

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of all joints; infinite where there are none.

    Attributes:
        joints: A name for every joint.
        position: Lower and upper [rad or m], shape (n, 2).
        velocity: Either way [rad/s or m/s], shape (n,).
        torque: Lower and upper [N·m or N], shape (n, 2).
        torque_rate: Either way [N·m/s or N/s], shape (n,).
    """

    joints: tuple[str, ...]
    position: Array
    velocity: Array
    torque: Array
    torque_rate: Array

    @classmethod
    def of(cls, mechanism: Mechanism, torque: Any = None, torque_rate: Any = None) -> Limits:
        """Limits of a machine.

        Args:
            mechanism: The machine, whose own limits hold where nothing else is given.
            torque: Of torques either way [N·m or N]: one number, or shape (n,), or lower and upper
                ones of shape (n, 2).
            torque_rate: Of the change of torques [N·m/s or N/s], one number or shape (n,); none by
                default.

        Raises:
            InvalidInput: When a limit is no limit.
        """
        n, joints = mechanism.nv, mechanism.moving_joints
        lower, upper, velocity, effort = (
            np.concatenate([np.asarray(getattr(joint, name)) for joint in joints])
            for name in ("lower", "upper", "velocity_limit", "effort_limit")
        )
        own = np.column_stack([-effort, effort])
        return cls(
            joint_names(mechanism),
            np.column_stack([lower, upper]),
            velocity,
            own if torque is None else _both_ways(mechanism, torque),
            np.full(n, np.inf)
            if torque_rate is None
            else _either_way(mechanism, "torque rates", torque_rate),
        )


def _both_ways(mechanism: Mechanism, torque: Any) -> Array:
    given = numbers("torque limits", torque)
    if given.shape != (mechanism.nv, 2):
        either = _either_way(mechanism, "torques", given)
        return np.column_stack([-either, either])
    for name, (lower, upper) in zip(joint_names(mechanism), given, strict=True):
        if not lower < upper:
            raise InvalidInput(
                f"torque limits of joint '{name}' are {lower:g} and {upper:g}; expected a lower "
                "one, then a higher one."
            )
    return given


def _either_way(mechanism: Mechanism, what: str, limit: Any) -> Array:
    given, n = numbers(f"limits of {what}", limit), mechanism.nv
    if given.shape not in ((), (n,)):
        expected = f"one number or {n}, one a joint"
        expected += f", or lower and upper ones of shape ({n}, 2)" if what == "torques" else ""
        raise InvalidInput(f"limits of {what} have shape {given.shape}; expected {expected}.")
    each = np.broadcast_to(given, (n,)).astype(np.float64)
    for name, value in zip(joint_names(mechanism), each, strict=True):
        if not value > 0:
            raise InvalidInput(
                f"the limit of {what} of joint '{name}' is {value:g}; expected a positive number, "
                "or infinity for none."
            )
    return each
