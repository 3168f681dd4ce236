"""Linear Newton-Euler, staggered for hardware as in its source.

The equations are those of Luh, Walker and Paul between frames that stand on the axis of the joint
after, in the temporaries T1 to T24 of Lathrop's table III.1, carried on to trees and joints of
several freedoms. Its tasks for parallel computers are
:func:`phalanx.multiprocessor.vector_tasks`.
"""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import (
    axis_chain,
    axis_frames,
    check_moves,
)
from phalanx.equations.inverse_dynamics.vector_forms.linear import (
    linear_loads,
    linear_motions,
    read_out,
)
from phalanx.equations.inverse_dynamics.vector_forms.operators import Symbols
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench, own_wrenches
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Wrench
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("tau")
def staggered(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Joint forces by linear Newton-Euler, from joint axis to joint axis.

    The same forces as :func:`recursive`, in the vector operations of the source, so that those of
    its arrays can be compared with others.

    Args:
        mechanism: The machine; the source has chains of joints that turn or slide.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to the wrench (force, moment) [N, N·m] that acts on the machine there,
            in that frame's axes, shape (6,).
        base: Motion of the root; still when not given.

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Raises:
        InvalidModel: No joint moves.

    Reference:
        Lathrop, Parallelism in Manipulator Dynamics, MIT AI-TR-754 (1983), tables I.1 and III.1.
    """
    model = model_of(mechanism)
    check_moves(model, f"staggered inverse dynamics of '{model.mechanism.name}'")
    work = Symbols()
    chain = axis_chain(model, q, v, a, base=base)
    own = own_wrenches(work, chain, linear_motions(work, chain))
    for frame, wrench in (wrenches or {}).items():
        _take_off(model, own, frame, wrench)
    tau = SX.zeros(model.nv, 1)
    loads = linear_loads(work, chain, own)
    for i, (node, link, load) in enumerate(zip(model.nodes, chain.links, loads, strict=True), 1):
        rotor = node.multiplier * node.armature * node.rate(a)
        for k, force in enumerate(read_out(work, i, link, load)):
            tau[link.freedoms[k].coordinate] += force + rotor[k]
    return tau


def _take_off(model: Model, own: list[OwnWrench[SX]], frame: str, wrench: SX) -> None:
    """Subtract an external wrench from the wrench that a link needs."""
    place = model.place(frame)
    i = place.node
    if i < 0:
        return
    centre = Link.of(model.nodes[i].mass).s
    at_centre = Wrench.of(wrench).into_parent(place.pose).about(centre)
    there = at_centre.in_child_axes(axis_frames(model).ends[i].rotation)
    own[i] = OwnWrench(own[i].F - there.force, own[i].N - there.moment)
