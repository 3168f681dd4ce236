"""Inverse dynamics with loops: forces of the actuated joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.free_joints import dependent_velocities, motor_velocities
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.springs import elastic_forces
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("tau", "loop_force")
def actuation(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    actuated: Sequence[str],
    weights: Sequence[float] | None = None,
    split: Sequence[Sequence[float]] | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> tuple[SX, SX]:
    """Forces of the actuated joints that produce a motion, and the forces in the loops.

    Solves f(q, v, a) - s(q) = B tau - Aᵀ lambda, where f are the joint forces of the tree and s
    those of its springs. Damping and friction are left out, as in inverse dynamics. With as many
    motors as the machine has freedoms there is one solution. With more, the motors work against
    each other through the loops, and one of these is taken: the smallest sum of ``weights`` tau²,
    or tau = ``split`` w with a w of as many numbers as there are freedoms. The motion is not looked
    at here; ``Dynamics.actuation`` refuses one that opens the loops.

    Args:
        mechanism: The machine.
        q: Positions that close the loops, shape (nq,).
        v: Velocities that keep them closed, shape (nv,).
        a: Accelerations that keep them closed, shape (nv,).
        actuated: Joints with motors.
        weights: One for each velocity of the actuated joints; all equal when not given.
        split: A column for each freedom of the machine, a row for each velocity of the actuated
            joints.
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Forces of the actuated joints [N or N·m], in the order given, and lambda [N or N·m], one
        for each closure equation; zero for redundant ones.

    Raises:
        InvalidInput: The joints cannot drive the machine, or weights and split do not fit.

    Reference:
        Khan (2002), sec. 3.2; Nakamura and Ghodoussi (1989).
    """
    model = model_of(mechanism)
    motors = motor_velocities(model.mechanism, actuated)
    dependent = dependent_velocities(model.mechanism, tuple(motors))
    rows = independent_rows(model.mechanism)
    independent = [k for k in range(model.nv) if k not in dependent]
    A = constraint(model, q, v, rows).A
    B = SX(model.nv, len(motors))
    for column, k in enumerate(motors):
        B[k, column] = 1

    f = recursive(model, q, v, a, wrenches=wrenches, base=base) - elastic_forces(model, q)
    # what the dependent joints ask for goes through the loops to the independent ones
    through = ca.solve(ca.densify(A[:, dependent].T), ca.horzcat(f[dependent], B[dependent, :]))
    projected = ca.horzcat(f[independent], B[independent, :]) - A[:, independent].T @ through
    needed, G = projected[:, 0], projected[:, 1:]
    tau = _shared(G, needed, weights, split)
    force = through[:, 1:] @ tau - through[:, 0]
    forces = SX(constraint(model, q, v).c.numel(), 1)
    for k, row in enumerate(rows):
        forces[row] = force[k]
    return tau, forces


def _shared(
    G: SX,
    needed: SX,
    weights: Sequence[float] | None,
    split: Sequence[Sequence[float]] | None,
) -> SX:
    """Tau with G tau = needed."""
    free, motors = G.shape
    if weights is not None and split is not None:
        raise InvalidInput("give weights or a split of the motors' forces, not both.")
    if split is not None:
        S = np.asarray(split, dtype=np.float64)
        if S.shape != (motors, free):
            raise InvalidInput(
                f"a split has a row for each of {motors} motors and a column for each of {free} "
                f"freedoms; got shape {S.shape}."
            )
        return ca.DM(S) @ ca.solve(ca.densify(G @ ca.DM(S)), needed)
    W = np.ones(motors) if weights is None else np.asarray(weights, dtype=np.float64)
    if W.shape != (motors,) or not (np.isfinite(W).all() and (W > 0).all()):
        raise InvalidInput(f"weights must be {motors} positive numbers, got {weights}.")
    if motors == free:
        return ca.solve(ca.densify(G), needed)
    H = ca.DM(np.diag(1 / W)) @ G.T
    return H @ factorize(ca.densify(G @ H)).solve(needed)
