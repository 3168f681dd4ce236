"""The chain or tree of a model, from joint axis to joint axis, over symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.inverse_dynamics.paths import heaviest_children
from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    AxisChain,
    AxisFreedom,
    AxisLink,
    AxisTurn,
    Base,
    JointLoad,
    LinkMotion,
    SeveralFreedoms,
)
from phalanx.equations.spatial import Acceleration, Rotation, Transform, constant, vector, zero
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism.motion import frame_on_axis

SymbolLink = AxisLink[SX, SX, SX]
SymbolChain = AxisChain[SX, SX, SX]

_AXIAL = (Freedom.TURN, Freedom.SLIDE, Freedom.SCREW)  # along one axis
_ABOUT_Z = (Freedom.TURN, Freedom.SCREW, Freedom.PLANE)


def check_moves(model: Model, owner: str) -> None:
    """Fail for a model without a joint that moves.

    Raises:
        InvalidModel: It has none.
    """
    if not model.nodes:
        raise InvalidModel(f"{owner}: it has no joint that moves.")


def check_chain(model: Model, owner: str) -> None:
    """Fail unless a model is a chain of joints that turn or slide, as in the source.

    Raises:
        InvalidModel: Naming the joint, and what to do about it.
    """
    check_moves(model, owner)
    for i, node in enumerate(model.nodes):
        if node.parent != i - 1:
            raise InvalidModel(
                f"{owner}: it branches at joint '{node.joint}'; expected a chain. Lock what "
                "branches off (phalanx.lock, --lock), or leave out unified: other nodes take trees."
            )
        if node.freedom not in (Freedom.TURN, Freedom.SLIDE):
            raise InvalidModel(
                f"{owner}: joint '{node.joint}' moves {node.freedom.value[2]}; expected joints "
                "that turn or slide. Lock it (phalanx.lock, --lock), put such joints with massless "
                "links between in its place, or leave out unified: other nodes take every joint."
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
    """A chain or tree from axis to axis, over symbols.

    Args:
        model: The machine, with origins where its frames are to stand on the axes.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        base: Motion of the root; still when not given.
        tip: Frame of a link that carries no other, which is its O_n; the own frame of its joint
            when not given.
        wrench: Force and moment [N, N·m] on the machine at the tip and in its axes, shape (6,).

    Raises:
        InvalidModel: The tip is not on a last link, or of several which bears the wrench is left
            open.
    """
    frames = axis_frames(model, tip)
    if wrench is not None and tip is None and not frames.is_chain:
        raise InvalidModel(
            f"'{model.mechanism.name}' has several last links; say on which a wrench acts by tip."
        )
    links = [_link(frames, i, q, v, a) for i in range(len(model.nodes))]
    load = None if wrench is None else JointLoad(-wrench[:3], -wrench[3:])
    start = _base(model, frames.ends[-1], base)
    return AxisChain(links, start, SX.eye(3), load, frames.tip + 1)


@dataclass(frozen=True)
class AxisFrames:
    """Where the frames O_i of a model are.

    Attributes:
        model: The machine.
        first: For every node that carries others (and the root, -1) the one whose joint is in O_i.
        ends: Pose of O_i in its node, by node; that of O_0 in the root is the one of -1.
        tip: The node at whose end the tip is.
    """

    model: Model
    first: Mapping[int, int]
    ends: Mapping[int, Transform]
    tip: int

    @property
    def is_chain(self) -> bool:
        """Whether each node carries the next."""
        return self.model.parents == tuple(range(-1, len(self.model.nodes) - 1))

    def is_first(self, i: int) -> bool:
        """Whether the joint of node i is in the frame of what it hangs on."""
        return self.first[self.model.nodes[i].parent] == i

    def before(self, i: int) -> Transform:
        """Pose of the frame of joint i, while it does not move, in O of what it hangs on."""
        node = self.model.nodes[i]
        if self.is_first(i):
            return Transform(Rotation(_along_z(node).rotation.matrix.T), zero())
        end = self.ends[node.parent]
        R = end.rotation.into_child(node.placement.rotation.full())
        p = end.rotation.into_child(node.placement.translation - end.translation)
        return Transform(Rotation(R), p)


def axis_frames(model: Model, tip: str | None = None) -> AxisFrames:
    """The frames of a model from axis to axis; see :func:`axis_chain`."""
    first = heaviest_children(model.parents)
    ends = {
        i: model.nodes[j].placement.then(_along_z(model.nodes[j])) for i, j in sorted(first.items())
    }
    for i, node in enumerate(model.nodes):
        if i not in first:
            ends[i] = _along_z(node)
    last = len(model.nodes) - 1
    if tip is not None:
        place = model.place(tip)
        if place.node < 0 or place.node in first:
            raise InvalidModel(
                f"frame '{tip}' is not on the last link of '{model.mechanism.name}', or on one of "
                "several; a tip has to be."
            )
        last, ends[place.node] = place.node, place.pose
    return AxisFrames(model, first, ends, last)


def axis_turns(frames: AxisFrames, q: SX) -> list[AxisTurn[SX, SX] | None]:
    """How matrices A_i come from angles; None for joints that do not turn about one axis."""
    turns: list[AxisTurn[SX, SX] | None] = []
    for i, node in enumerate(frames.model.nodes):
        if node.freedom not in _ABOUT_Z:
            turns.append(None)
            continue
        x = q[node.q + node.freedom.nq - 1]
        angle = (node.multiplier * x + node.offset if node.is_scaled else x) + node.phase
        before = None if frames.is_first(i) else frames.before(i).rotation.full()
        turns.append(AxisTurn(before, angle, frames.ends[i].rotation.full()))
    return turns


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
    if node.freedom is not Freedom.SLIDE:
        return Transform.none()
    slide = np.asarray(ca.DM(node.axes.linear)).ravel()
    return Transform(Rotation(constant(frame_on_axis(slide))), zero())


def _link(frames: AxisFrames, i: int, q: SX, v: SX, a: SX) -> SymbolLink:
    """The link of a node; its O_i is what the joints after it need."""
    node, end, before = frames.model.nodes[i], frames.ends[i], frames.before(i)
    R, own = end.rotation, Link.of(node.mass)
    # the joint by itself: what it turns and shifts, in the frame in which it stands
    moved = replace(node, placement=Transform.none()).transform(q)
    A = before.rotation.into_parent(moved.rotation.into_parent(R.full()))
    axis = R.into_child(_along_z(node).rotation.matrix[:, 2])
    p = R.into_child(end.translation)
    r = R.into_child(own.s - end.translation)
    lever = None if frames.is_first(i) else before.translation
    rate = acceleration = own_rate = twice_rate = own_acceleration = zero()
    several = None
    if node.freedom in _AXIAL:
        along = before.rotation.matrix @ _along_z(node).rotation.matrix[:, 2]
        along = vector(0, 0, 1) if frames.is_first(i) else along
        rate, acceleration = along * node.rate(v), along * node.rate(a)
        if node.freedom is not Freedom.TURN:
            slide = axis if node.freedom is Freedom.SLIDE else R.into_child(node.axes.linear)
            # the slide's part of p* is along the axis, the rest constant
            p = p + slide * _position(node, q)
            own_rate, own_acceleration = slide * node.rate(v), slide * node.rate(a)
            twice_rate = 2 * slide * node.rate(v)
    else:
        V, dV = node.motion(v), node.motion(a)
        u = du = None
        if node.freedom is not Freedom.BALL:
            u, du = R.into_child(V.linear), R.into_child(dV.linear)
            shift = before.rotation.matrix @ moved.translation
            lever = shift if lever is None else lever + shift
        several = SeveralFreedoms(R.into_child(V.angular), R.into_child(dV.angular), u, du)
    return AxisLink(
        node.freedom in (Freedom.TURN, Freedom.SCREW),
        node.freedom in (Freedom.SLIDE, Freedom.SCREW),
        A,
        axis,
        rate,
        acceleration,
        own_rate,
        twice_rate,
        own_acceleration,
        p,
        r,
        p + r,
        own.m,
        R.into_child(R.into_child(own.I).T).T,
        node.parent + 1,
        lever,
        several,
        _freedoms(node, R),
    )


def _freedoms(node: Node, R: Rotation) -> tuple[AxisFreedom[SX], ...]:
    """What loads do along each freedom of a joint, in axes of O_i."""

    def along(axis: SX) -> SX | None:
        if axis.is_zero():
            return None
        return R.into_child(node.multiplier * axis if node.is_scaled else axis)

    turns, slides = node.axes.angular, node.axes.linear
    return tuple(
        AxisFreedom(node.v + k, along(turns[:, k]), along(slides[:, k]))
        for k in range(node.freedom.nv)
    )


def _position(node: Node, q: SX) -> SX:
    """Position of a joint of one freedom."""
    x = q[node.q]
    return node.multiplier * x + node.offset if node.is_scaled else x
