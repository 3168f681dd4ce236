"""Free joints: choice of independent velocities of a machine with loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.assembly.pivoting import RANK, spanning_columns
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


def independent_velocities(
    mechanism: Mechanism, independent: Sequence[str] | None = None
) -> list[int]:
    """Numbers of velocities that determine all others.

    Those of the given joints; else those of the motors where they are as many as the freedoms and
    drive them all; else those that pivoting leaves over.

    Raises:
        InvalidInput: The joints do not determine the motion, or are too many.
    """
    free = mechanism.nv - len(independent_rows(mechanism))
    if independent is None:
        motors = motor_velocities(mechanism, [j.name for j in mechanism.actuated_joints])
        if len(motors) == free:
            try:
                return _others(mechanism, motors)
            except InvalidInput:  # driven through the loops only at other postures, or not at all
                pass
        return _others(mechanism, range(mechanism.nv))
    picked = motor_velocities(mechanism, independent)
    if len(picked) != free:
        raise InvalidInput(
            f"'{mechanism.name}' has {free} degrees of freedom with its loops closed; the "
            f"independent joints have {len(picked)}."
        )
    _others(mechanism, picked)
    return picked


def _others(mechanism: Mechanism, motors: Sequence[int]) -> list[int]:
    dependent = dependent_velocities(mechanism, tuple(motors))
    return [k for k in range(mechanism.nv) if k not in dependent]


def motor_velocities(mechanism: Mechanism, actuated: Sequence[str]) -> list[int]:
    """Numbers of the velocities of joints, in the order given."""
    if len(set(actuated)) < len(actuated):
        raise InvalidInput(f"a joint is listed twice among the actuated: {', '.join(actuated)}.")
    numbers: list[int] = []
    for name in actuated:
        if mechanism.joint(name).name not in mechanism.v_slices:
            raise InvalidInput(f"joint '{name}' of '{mechanism.name}' does not move by itself.")
        part = mechanism.v_slices[name]
        numbers += range(part.start, part.stop)
    return numbers


def dependent_velocities(mechanism: Mechanism, motors: tuple[int, ...]) -> list[int]:
    """Velocities that follow from the others through the loops, without motors where possible.

    Raises:
        InvalidInput: Motors do not determine the motion.
    """
    free, driven = mechanism.nv - len(independent_rows(mechanism)), 0
    # a motor may stand at its dead point in one posture and drive the machine in all others
    for A in _derivatives(mechanism):
        chosen, driven_here = _dependent(A, motors)
        if driven_here == free:
            return sorted(chosen)
        driven = max(driven, driven_here)
    raise InvalidInput(
        f"'{mechanism.name}' has {free} degrees of freedom with its loops closed, and the "
        f"actuated joints determine {driven} of them; choose others, or more."
    )


def _dependent(A: Array, motors: tuple[int, ...]) -> tuple[list[int], int]:
    """Dependent velocities at a posture, and how many freedoms the motors determine there."""
    nv = A.shape[1]
    passive = [k for k in range(nv) if k not in motors]
    chosen = [passive[k] for k in spanning_columns(A[:, passive])]
    if len(chosen) < len(A):
        # some motors are dependent too: more motors than freedoms, or the wrong ones
        rest = A - A[:, chosen] @ np.linalg.lstsq(A[:, chosen], A, rcond=RANK)[0]
        further = [motors[k] for k in spanning_columns(rest[:, list(motors)])]
        chosen += further[: len(A) - len(chosen)]
    free = nv - len(A)
    if len(chosen) < len(A):  # a singular posture, which tells nothing about others
        return chosen, -1
    independent = [k for k in range(nv) if k not in chosen]
    T = np.zeros((nv, free))
    T[independent] = np.eye(free)
    T[chosen] = -np.linalg.lstsq(A[:, chosen], A[:, independent], rcond=RANK)[0]
    return chosen, int(np.linalg.matrix_rank(T[list(motors)], tol=RANK)) if motors and free else 0


def _derivatives(mechanism: Mechanism) -> list[Array]:
    """Derivatives of the equations that count at closed postures, the best conditioned first."""
    rows = list(independent_rows(mechanism))
    derivative = derivative_function(model_of(mechanism))
    samples = [np.asarray(derivative(q))[rows] for q in closed_loops(mechanism).postures()]
    if not samples:
        return [np.zeros((0, mechanism.nv))]
    return sorted(
        samples,
        key=lambda A: float(np.linalg.svd(A, compute_uv=False).min(initial=1.0)),
        reverse=True,
    )
