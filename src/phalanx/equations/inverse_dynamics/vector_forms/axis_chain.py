"""The chain of a model, from joint axis to joint axis, over symbols."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    AxisChain,
    AxisLink,
    Base,
    JointLoad,
    LinkMotion,
)
from phalanx.equations.spatial import Acceleration, Rotation, Transform, constant, vector, zero
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism.motion import frame_on_axis

SymbolLink = AxisLink[SX, SX, SX]
SymbolChain = AxisChain[SX, SX, SX]


def check_chain(model: Model, owner: str) -> None:
    """Fail unless a model is a chain of joints that turn or slide, each by a coordinate of its own.

    Raises:
        InvalidModel: Naming the joint.
    """
    if not model.nodes:
        raise InvalidModel(f"{owner}: it has no joint that moves.")
    for i, node in enumerate(model.nodes):
        if node.parent != i - 1:
            raise InvalidModel(
                f"{owner}: it branches at joint '{node.joint}'; expected a chain. Lock what "
                "branches off (phalanx.lock), or take inverse_dynamics.prefix, which takes trees."
            )
        if node.freedom not in (Freedom.TURN, Freedom.SLIDE):
            raise InvalidModel(
                f"{owner}: joint '{node.joint}' moves {node.freedom.value[2]}; expected joints "
                "that turn or slide. inverse_dynamics.prefix takes every joint."
            )


def axis_chain(
    model: Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    base: BaseMotion | None = None,
    tip: str | None = None,
    wrench: SX | None = None,
) -> SymbolChain:
    """A chain (see :func:`check_chain`) from axis to axis, over symbols.

    Args:
        model: The chain, with origins where its frames are to stand on the axes.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        base: Motion of the root; still when not given.
        tip: Frame of the last link that is O_n; its joint's own frame when not given.
        wrench: Force and moment [N, N·m] on the machine at the tip and in its axes, shape (6,).

    Raises:
        InvalidModel: The tip is not on the last link.
    """
    links = [
        _link(node, _along_z(node), end, q, v, a)
        for node, end in zip(model.nodes, link_ends(model, tip), strict=True)
    ]
    start = model.nodes[0].placement.then(_along_z(model.nodes[0]))
    load = None if wrench is None else JointLoad(-wrench[:3], -wrench[3:])
    return AxisChain(links, _base(model, start, base), SX.eye(3), load)


def link_ends(model: Model, tip: str | None = None) -> list[Transform]:
    """For every link the pose of O_i in its node, which does not change."""
    last = _along_z(model.nodes[-1]) if tip is None else _tip(model, tip)
    return [*(node.placement.then(_along_z(node)) for node in model.nodes[1:]), last]


def _base(model: Model, start: Transform, motion: BaseMotion | None) -> Base[SX, SX]:
    """The base of a chain that begins at ``start``; gravity is an upward acceleration."""
    moved = motion or BaseMotion.still()
    root = Acceleration(moved.V.angular, moved.A.angular, moved.A.linear - model.gravity)
    R, p = start.rotation, start.translation
    return Base(
        LinkMotion(root.w, root.dw, root.a),
        R.full(),
        R.into_child(p),
        LinkMotion(R.into_child(root.w), R.into_child(root.dw), R.into_child(root.at(p))),
    )


def _along_z(node: Node) -> Transform:
    """Axes whose z is the joint's axis, in those of the node."""
    if node.freedom is Freedom.TURN:
        return Transform.none()
    slide = np.asarray(ca.DM(node.axes.linear)).ravel()
    return Transform(Rotation(constant(frame_on_axis(slide))), zero())


def _tip(model: Model, frame: str) -> Transform:
    place = model.place(frame)
    if place.node != len(model.nodes) - 1:
        raise InvalidModel(
            f"frame '{frame}' is not on the last link of '{model.mechanism.name}'; a tip has to be."
        )
    return place.pose


def _link(node: Node, along: Transform, end: Transform, q: SX, v: SX, a: SX) -> SymbolLink:
    """A link whose joint has z along ``along`` in the node, and that ends at ``end`` in it."""
    R = end.rotation
    own = Link.of(node.mass)
    moved = _joint(node, along, q).then(end)
    axis = R.into_child(along.rotation.matrix[:, 2])
    # the slide's part of p* is along the axis, the rest constant
    p = R.into_child(end.translation) + axis * _slide(node, q)
    r = R.into_child(own.s - end.translation)
    rate, acceleration = node.rate(v), node.rate(a)
    return AxisLink(
        node.freedom is Freedom.TURN,
        moved.rotation.matrix,
        axis,
        vector(0, 0, rate),
        vector(0, 0, acceleration),
        2 * axis * rate,
        axis * acceleration,
        p,
        r,
        p + r,
        own.m,
        R.into_child(R.into_child(own.I).T).T,
    )


def _joint(node: Node, along: Transform, q: SX) -> Transform:
    """Pose of the node in O_{i-1}."""
    moved = node.transform(q).rotation
    return Transform(Rotation(along.rotation.matrix.T, moved.turn), zero())


def _slide(node: Node, q: SX) -> SX:
    if node.freedom is Freedom.TURN:
        return SX(0)
    x = q[node.q]
    return node.multiplier * x + node.offset if node.is_scaled else x
