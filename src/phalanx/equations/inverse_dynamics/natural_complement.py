"""Inverse dynamics by the natural orthogonal complement, in linear time."""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.loads import body_loads, carried
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("tau")
def natural_complement(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Joint forces of :func:`orthogonal_complement` without forming H (Kane's generalized forces).

    tau_i = c_i · Σ A_ij (dL_j/dt + m_j p''_j × rho_ji) over the bodies j beyond joint i, summed
    from the leaves to the root. (Wong's eq. 3.33 has rho × m p'' for the last product: the wrong
    sign.)

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to the wrench (force, moment) [N, N·m] that acts on the machine there,
            in that frame's axes, shape (6,).
        base: Motion of the root; still when not given.

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Reference:
        Angeles, Ma and Rojas (1989); Wong (1991), §3.3.
    """
    model = model_of(mechanism)
    bodies = centred_bodies(model, q)
    loads = body_loads(model, bodies, v, a, wrenches=wrenches, base=base)
    return model.gather(
        [
            body.node.joint_force(F, a)
            for body, F in zip(bodies, carried(bodies, loads), strict=True)
        ]
    )
