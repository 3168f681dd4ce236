"""Motor forces for accelerations that a controller asks for (computed torque with loops)."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint, rows_of_loops
from phalanx.equations.loops.methods.elimination import solve_by_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("tau")
def motor_forces(
    mechanism: Mechanism | Model, q: SX, v: SX, wanted: SX, *, motors: Sequence[str]
) -> SX:
    """Joint forces under which the motors of a machine with loops accelerate as wanted.

    With the motors as independent coordinates, v = T z, all other accelerations follow from the
    loops: A a + b = 0. Loops do no work along T, so that tau = Tᵀ f(q, v, a), where f are the
    joint forces of the tree: inverse dynamics without the forces in the loops.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities that keep them closed [m/s or rad/s], shape (nv,).
        wanted: Accelerations of the motors [m/s² or rad/s²], in the order given.
        motors: Joints with motors, with as many freedoms as the machine.

    Returns:
        Joint forces [N or N·m], shape (nv,); zero where there is no motor.

    Raises:
        InvalidInput: The motors are too many or do not determine the motion.

    Reference:
        Khan (2002), sec. 3.2.
    """
    model = model_of(mechanism)
    picked = independent_velocities(model.mechanism, motors)
    passive = [k for k in range(model.nv) if k not in picked]
    rows = independent_rows(model.mechanism)
    equations = constraint(model, q, v, rows)
    names = rows_of_loops(model)
    solved = solve_by_loops(
        equations.A[:, passive],
        -ca.horzcat(equations.A[:, picked], equations.b),
        [names[row] for row in rows],
    )
    T, across = solved[:, :-1], solved[:, -1]  # of the passive joints; motors are themselves
    a = SX.zeros(model.nv, 1)
    a[picked] = wanted
    a[passive] = T @ wanted + across
    f = recursive(model, q, v, a)
    tau = SX.zeros(model.nv, 1)
    tau[picked] = f[picked] + T.T @ f[passive]
    return tau
