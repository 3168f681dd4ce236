"""Array and result types of quantities, for type checkers and editors."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]


class InverseDerivatives(NamedTuple):
    """Derivatives of inverse dynamics along motions, (..., nv, nv) each."""

    dtau_dq: Array
    dtau_dv: Array
    dtau_da: Array


class ForwardDerivatives(NamedTuple):
    """Derivatives of forward dynamics along motions, (..., nv, nv) each."""

    da_dq: Array
    da_dv: Array
    da_dtau: Array


class MotorForces(NamedTuple):
    """Forces of motors (..., motors), and in loops (..., closure equations)."""

    tau: Array
    loop_force: Array


class LoopedMotion(NamedTuple):
    """Accelerations (..., nv), and forces in loops (..., closure equations)."""

    a: Array
    loop_force: Array


class LoopResiduals(NamedTuple):
    """How far, how fast and at what acceleration loops open, (..., loops) each."""

    opening: Array
    rate: Array
    acceleration: Array


class JointMotion(NamedTuple):
    """Velocities and accelerations of all joints, (..., nv) each."""

    v: Array
    a: Array


class MotionOfFrame(NamedTuple):
    """Joint motion (..., nv) that moves a frame, what is left (..., 2), and the gain (...)."""

    v: Array
    a: Array
    residual: Array
    amplification: Array
