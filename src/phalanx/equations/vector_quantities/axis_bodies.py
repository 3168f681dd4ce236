"""Inertias of links about O_i and frames on links, over symbols."""

from __future__ import annotations

from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import AxisFrames, SymbolChain
from phalanx.equations.spatial import skew
from phalanx.equations.vector_quantities.inertia import AxisBody, BlockInertia
from phalanx.equations.vector_quantities.kinematics import LinkFrame


def axis_bodies(frames: AxisFrames, chain: SymbolChain) -> list[AxisBody[SX, SX]]:
    """Inertia of every link of a chain or tree."""
    bodies = []
    for node, link in zip(frames.model.nodes, chain.links, strict=True):
        moment = skew(link.r)
        inertia = BlockInertia(
            link.J - link.m * (moment @ moment), link.m * moment, link.m * SX.eye(3)
        )
        rotors = [node.multiplier**2 * node.armature[k] for k in range(node.freedom.nv)]
        bodies.append(
            AxisBody(
                inertia,
                skew(link.p),
                None if link.lever is None else skew(link.lever),
                tuple(None if rotor.is_zero() else rotor for rotor in rotors),
            )
        )
    return bodies


def link_frame(frames: AxisFrames, name: str) -> LinkFrame[SX, SX]:
    """A named frame or body, from O of its link.

    Raises:
        InvalidModel: It is on the root, which does not move.
    """
    place = frames.model.place(name)
    if place.node < 0:
        raise InvalidModel(
            f"frame '{name}' of '{frames.model.mechanism.name}' is on the root, which no joint "
            "moves, so that there is nothing to compute."
        )
    end = frames.ends[place.node]
    return LinkFrame(
        place.node + 1,
        end.rotation.into_child(place.pose.rotation.full()),
        end.rotation.into_child(place.pose.translation - end.translation),
    )
