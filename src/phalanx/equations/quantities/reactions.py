"""Joint reactions: the force and moment that each joint transmits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import carried_wrenches
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Wrench
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Joint, Mechanism


@equation("f", "n")
def reactions(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> tuple[SX, SX]:
    """Force f and moment n that every joint transmits to its child during a motion.

    They follow from the motion alone (f_i = F_i + f_{i+1}, n_i = N_i + s_i × F_i + n_{i+1} +
    p_i × f_{i+1}): friction changes what a drive must supply for the motion, and no reaction across
    the axis. The part along the axis is the joint force of inverse dynamics, less what the rotor
    takes. Bodies have their own masses here, because regrouped ones load the joints differently.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Forces [N] and moments [N·m], shape (joints, 3) each: a row for each of
        :func:`loaded_joints`, in the joint's own frame, the one that moves with the child; moments
        about its origin.

    Reference:
        Dhanaraj (1990), table 2.3 steps 7 and 8, and §3.2.
    """
    model = model_of(mechanism)
    carried = carried_wrenches(model, q, v, a, wrenches=wrenches, base=base)
    rows = [joint_reaction(model, joint, carried) for joint in loaded_joints(model.mechanism)]
    return ca.vertcat(*(F.force.T for F in rows)), ca.vertcat(*(F.moment.T for F in rows))


def joint_reaction(model: Model, joint: Joint, carried: Sequence[Wrench]) -> Wrench:
    """Reaction of a joint, in its own frame, from the wrenches that nodes carry."""
    # a node's origin may lie elsewhere on the axis than the joint's
    place = model.place(joint.child)
    return carried[place.node].into_child(place.pose)


def loaded_joints(mechanism: Mechanism) -> tuple[Joint, ...]:
    """The joints whose reactions are known: all that are not fixed, those that mimic included."""
    return tuple(joint for joint in mechanism.joints if joint.motion.nv)
