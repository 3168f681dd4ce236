"""Choice of the angles of node frames about their axes, for fewest operations.

A turning node's frame may be turned about its own axis by a constant angle: the joint's angle then
has a phase, which costs one addition. Policy: a frame's x goes where the numbers around it cost
least, as the x of Denavit and Hartenberg does: square to the axes of its children, so that each
is reached by one turn about x and the rest is phase; or along a lever, or along a principal axis of
inertia when there are no children to mind. Candidates are compared by the operations they leave in
inverse dynamics. A body on a slide keeps the axes of what it slides on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import atan2, pi

import casadi as ca
import numpy as np

from phalanx.equations.spatial import MassMoments, Rotation, Transform, Twist, constant, zero
from phalanx.equations.tree.model import Model, Place
from phalanx.equations.tree.node import Freedom, Node
from phalanx.equations.tree.regroup import regroup
from phalanx.mechanism.pose import Array, snap_rotation

ZERO = 1e-12  # against 1 for directions, in m for shifts

# Operations of inverse dynamics that a number other than 0 (in a rotation: and 1) costs, about:
# five vectors pass through each rotation, a shift and a first moment act on two.
ROTATION_ENTRY = 7
SHIFT = 10
FIRST_MOMENT = 10
SECOND_MOMENT = 7
PHASE = 1


def turn_frames(model: Model) -> Model:
    """The same model with frames turned about their axes to where its numbers are cheapest."""
    angles = best_angles(model.nodes)
    if not any(angles):
        return model
    back = [_about_z(-angle) for angle in angles]
    nodes = []
    for i, node in enumerate(model.nodes):
        outer = np.eye(3) if node.parent < 0 else back[node.parent]
        nodes.append(_turned(node, outer, back[i]))
    places = {
        name: place if place.node < 0 else Place(place.node, _seen(back[place.node], place.pose))
        for name, place in model.places.items()
    }
    return replace(model, nodes=tuple(nodes), places=places)


def best_angles(nodes: Sequence[Node]) -> list[float]:
    """How far to turn each frame about its z [rad], between -45° and 45°."""
    masses = [node.mass for node in regroup(nodes)]
    leader = _leaders(nodes)
    angles = [0.0] * len(nodes)
    for i in range(len(nodes)):
        if leader[i] != i:
            continue
        group = [k for k in range(len(nodes)) if leader[k] == i]
        around = [k for k, node in enumerate(nodes) if node.parent in group and k not in group]
        if all(_is_known(nodes[k]) for k in (*around, *group[1:])):
            known = [masses[k] for k in group if _is_constant(masses[k])]
            slides = [_numbers(nodes[k].axes.linear) for k in group[1:]]
            levers = [_numbers(nodes[k].placement.translation) for k in (*around, *group[1:])]
            surroundings = _Surroundings(known, [nodes[k] for k in around], levers + slides)
            angle = surroundings.best_angle()
            for k in group:
                angles[k] = angle
    return angles


class _Surroundings:
    """The numbers that a frame's angle changes."""

    def __init__(
        self, masses: Sequence[MassMoments], children: Sequence[Node], vectors: Sequence[Array]
    ) -> None:
        self.first = [_numbers(mass.h) for mass in masses]
        self.second = [np.asarray(ca.DM(mass.J)) for mass in masses]
        self.placements = [
            (node.freedom, np.asarray(ca.DM(node.placement.rotation.matrix))) for node in children
        ]
        self.vectors = vectors

    def best_angle(self) -> float:
        angles = [0.0, *self._candidates()]
        costs = [self._cost(angle) for angle in angles]
        return angles[costs.index(min(costs))]

    def _candidates(self) -> Iterator[float]:
        """Angles that put something along an axis, from the nearest quarter turn."""
        directions = [*self.first, *self.vectors]
        for freedom, R in self.placements:
            directions += [R[:, 2]] if freedom is Freedom.TURN else [R[:, 0], R[:, 1], R[:, 2]]
        doubled = [(J[0, 0] - J[1, 1], 2 * J[0, 1]) for J in self.second]
        angles = [atan2(d[1], d[0]) for d in directions if np.hypot(d[0], d[1]) > ZERO]
        angles += [atan2(y, x) / 2 for x, y in doubled if y]
        for angle in angles:
            reduced = angle - round(angle / (pi / 2)) * (pi / 2)
            if abs(reduced) > ZERO:
                yield reduced

    def _cost(self, angle: float) -> float:
        R = _about_z(-angle)
        cost = PHASE * (angle != 0)
        cost += FIRST_MOMENT * sum(_count(R @ h) for h in self.first)
        cost += SECOND_MOMENT * sum(_count(np.triu(R @ J @ R.T, 1)) for J in self.second)
        cost += SHIFT * sum(_count(R @ p) for p in self.vectors)
        for freedom, placement in self.placements:
            seen = R @ placement
            if freedom is Freedom.TURN:
                seen, phase = _split(seen)
                cost += PHASE * (phase != 0)
            entries = np.abs(snap_rotation(seen))
            cost += ROTATION_ENTRY * int(((entries > 0) & (entries < 1)).sum())
        return cost


def _leaders(nodes: Sequence[Node]) -> list[int]:
    """For each node the turning one whose angle it shares; -1 when its axes are fixed."""
    leader = []
    for i, node in enumerate(nodes):
        if node.freedom is Freedom.TURN:
            leader.append(i)
        elif node.freedom is Freedom.SLIDE and node.parent >= 0 and _is_parallel(node):
            leader.append(leader[node.parent])
        else:
            leader.append(-1)
    return leader


def _is_parallel(node: Node) -> bool:
    return bool((np.asarray(ca.DM(node.placement.rotation.matrix)) == np.eye(3)).all())


def _turned(node: Node, outer: Array, own: Array) -> Node:
    """A node in a turned frame, on a parent in a turned frame; both as rotations into them."""
    R = outer @ np.asarray(ca.DM(node.placement.rotation.matrix)) @ own.T
    phase = 0.0
    if node.freedom is Freedom.TURN:
        R, phase = _split(R)
    shift = node.placement.translation
    return replace(
        node,
        placement=Transform(Rotation(constant(snap_rotation(R))), _rotated(outer, shift)),
        axes=Twist(node.axes.angular, _rotated(own, node.axes.linear)),
        mass=node.mass.into_parent(Transform(Rotation(constant(own)), zero())).tidy(),
        phase=phase,
    )


def _split(R: Array) -> tuple[Array, float]:
    """A rotation as one about an axis of the xy-plane where that can be, then one about z."""
    u = R[:, 2]
    if np.hypot(u[0], u[1]) < ZERO:
        S = np.diag([1.0, np.sign(u[2]), np.sign(u[2])])
    elif abs(u[1]) < ZERO:
        y = np.array([0.0, 1.0, 0.0])
        S = np.column_stack([np.cross(y, u), y, u])
    else:
        x = np.array([u[1], -u[0], 0.0]) / np.hypot(u[0], u[1])
        S = np.column_stack([x, np.cross(u, x), u])
    rest = S.T @ R
    phase = atan2(rest[1, 0], rest[0, 0])
    quarter = round(phase / (pi / 2)) * (pi / 2)
    if abs(phase - quarter) < ZERO:
        return snap_rotation(R), 0.0
    return snap_rotation(S), phase


def _seen(R: Array, pose: Transform) -> Transform:
    matrix = np.asarray(ca.DM(pose.rotation.matrix))
    return Transform(Rotation(constant(snap_rotation(R @ matrix))), _rotated(R, pose.translation))


def _rotated(R: Array, v: ca.SX) -> ca.SX:
    """R v, with what rounding leaves of zeros removed."""
    if (R == np.eye(3)).all():
        return v
    if not v.is_constant():
        return constant(R) @ v
    numbers = R @ np.asarray(ca.DM(v))
    numbers[np.abs(numbers) < ZERO] = 0.0
    return constant(numbers)


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _count(numbers: Array) -> int:
    return int((np.abs(numbers) > ZERO).sum())


def _numbers(v: ca.SX) -> Array:
    return np.asarray(ca.DM(v)).ravel()


def _is_known(node: Node) -> bool:
    return bool(node.placement.translation.is_constant())


def _is_constant(mass: MassMoments) -> bool:
    return all(x.is_constant() for x in (mass.m, mass.h, mass.J))
