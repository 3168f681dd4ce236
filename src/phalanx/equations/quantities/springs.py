"""Springs and dampers: passive joint forces, and elastic energy.

Rigid-body dynamics knows nothing of them, as it knows nothing of friction: forward dynamics under
``tau + passive_forces`` is that of the machine with its springs and dampers. Energy counts what
springs hold, as it counts what gravity does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.joint_springs import spring_energy, spring_force
from phalanx.equations.quantities.kinematics import column
from phalanx.equations.spatial import Transform, Twist, Wrench
from phalanx.equations.tree.model import Model, Place
from phalanx.equations.tree.node import Node
from phalanx.mechanism import Joint, Mechanism, Mimic, Spring
from phalanx.mechanism.spring import SPRING_NUMBERS


@equation("tau")
def passive_forces(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Joint forces of springs and dampers [N or N·m]: what a machine does by itself.

    Springs in joints, springs and dampers between frames, damping of joints. No dry friction, no
    stops, no gravity. With loops: along the joints of the spanning tree. While nothing else acts,
    dE/dt is the power of the dampers, which is never positive.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).

    Returns:
        Shape (nv,).
    """
    model = model_of(mechanism)
    return elastic_forces(model, q) + damping_forces(model, q, v)


def elastic_forces(model: Model, q: SX) -> SX:
    """Joint forces of springs alone, -dU/dq along the velocities, shape (nv,)."""
    parameters = model.parameters
    total = SX.zeros(model.nv, 1)
    for joint in _sprung(model):
        follows = joint.mimic or Mimic(joint.name)
        stiffness, rest = parameters.stiffness(joint), parameters.rest(joint)
        force = spring_force(joint.motion, stiffness, rest, _position(model, follows, q))
        total[model.mechanism.v_slices[follows.leader]] += follows.multiplier * force
    for spring in model.mechanism.springs:
        length, slope = length_and_slope(model, spring, q)
        total -= slope * _numbers(model, spring).pull(length)
    return total


def damping_forces(model: Model, q: SX, v: SX) -> SX:
    """Joint forces of damping in joints and of dampers between frames, shape (nv,)."""
    m, parameters = model.mechanism, model.parameters
    total = SX.zeros(model.nv, 1)
    for joint in m.joints:
        if not joint.motion.nv:
            continue
        follows = joint.mimic or Mimic(joint.name)
        where = m.v_slices[follows.leader]
        total[where] -= follows.multiplier**2 * parameters.damping(joint) * v[where]
    return total + damper_forces(model, q, v)


def damper_forces(model: Model, q: SX, v: SX) -> SX:
    """Joint forces of dampers between frames alone, shape (nv,)."""
    total = SX.zeros(model.nv, 1)
    for spring in model.mechanism.springs:
        damping = model.parameters.of_spring(spring, "damping")
        if not damping.is_zero():
            _, slope = length_and_slope(model, spring, q)
            total -= slope * damping * ca.dot(slope, v)
    return total


def elastic_energy(model: Model, q: SX) -> SX:
    """Energy that springs hold [J]."""
    parameters = model.parameters
    total = SX(0)
    for joint in _sprung(model):
        x = _position(model, joint.mimic or Mimic(joint.name), q)
        total += spring_energy(joint.motion, parameters.stiffness(joint), parameters.rest(joint), x)
    for spring in model.mechanism.springs:
        length, _ = length_and_slope(model, spring, q)
        total += _numbers(model, spring).energy(length)
    return total


class SpringNumbers(NamedTuple):
    """Numbers of a spring between frames, in the order of ``SPRING_NUMBERS``."""

    stiffness: SX
    damping: SX
    rest_length: SX
    preload: SX

    def pull(self, length: SX) -> SX:
        """Force that draws the ends together [N]."""
        return self.stiffness * (length - self.rest_length) + self.preload

    def energy(self, length: SX) -> SX:
        """What it holds [J]; none where it is relaxed."""
        long = length - self.rest_length
        return (self.stiffness * long / 2 + self.preload) * long


def line_between(a: SX, b: SX) -> tuple[SX, SX]:
    """Length of the line from one point to another, and its direction; none where they coincide."""
    line = b - a
    square = ca.dot(line, line)
    apart = square > 0
    root = ca.sqrt(ca.if_else(apart, square, 1))
    return ca.if_else(apart, root, 0), line / root


class SpringEnd(NamedTuple):
    """One end of a spring: pose and velocity of its node, and the point in the node's axes."""

    pose: Transform
    velocity: Twist
    point: SX

    def wrench(self, force: SX) -> Wrench:
        """On the node, of a force at the end, in world axes."""
        own = Wrench(SX.zeros(3, 1), self.pose.rotation.into_child(force))
        return own.acting_at(self.point)


def spring_loads(
    spring: SpringNumbers, a: SpringEnd, b: SpringEnd
) -> tuple[tuple[Wrench, Wrench], tuple[Wrench, Wrench], SX, SX]:
    """Wrenches of a spring on the nodes at its ends, which a traversal adds up.

    The unrolled :func:`passive_forces` take powers along joints instead
    (:func:`length_and_slope`): of the few joints between the ends they cost less than wrenches that
    all joints carry.

    Returns:
        Wrenches on both nodes by stiffness and preload, and by the damper; energy in the spring
        [J]; power that the damper takes out [W].
    """
    length, direction = line_between(a.pose.point(a.point), b.pose.point(b.point))
    speeds = [end.pose.rotation.into_parent(end.velocity.at(end.point).linear) for end in (a, b)]
    rate = ca.dot(direction, speeds[1] - speeds[0])
    damping = spring.damping * rate

    def both(pull: SX) -> tuple[Wrench, Wrench]:
        return a.wrench(pull * direction), b.wrench(-pull * direction)

    return both(spring.pull(length)), both(damping), spring.energy(length), damping * rate


def length_and_slope(model: Model, spring: Spring, q: SX) -> tuple[SX, SX]:
    """Length of a spring [m], and what it grows by for unit velocities, shape (nv,).

    Where its ends coincide, the line between them has no direction, and the second is zero.
    """
    places = model.place(spring.frame_a), model.place(spring.frame_b)
    shared = set(_path(model, places[0])) & set(_path(model, places[1]))
    ends = [list(_poses(model, place, shared, q)) for place in places]
    tips = [poses[-1][1].translation for poses in ends]
    length, direction = line_between(*tips)
    slope = SX.zeros(model.nv, 1)
    for sign, poses, tip in zip((-1, 1), ends, tips, strict=True):
        for node, pose in poses[:-1]:
            assert node is not None
            along = column(node, pose, tip).linear.T @ direction
            slope[node.v : node.v + node.freedom.nv] += sign * along
    return length, slope


def _numbers(model: Model, spring: Spring) -> SpringNumbers:
    return SpringNumbers(*(model.parameters.of_spring(spring, name) for name in SPRING_NUMBERS))


def _sprung(model: Model) -> list[Joint]:
    """Joints whose springs have a stiffness, or one that is an input of each evaluation."""
    m, symbols = model.mechanism, model.parameters.symbols
    opened = [joint for joint in m.joints if f"{joint.name}.stiffness" in symbols]
    return [*m.sprung_joints, *(joint for joint in opened if joint not in m.sprung_joints)]


def _position(model: Model, follows: Mimic, q: SX) -> SX:
    x = q[model.mechanism.q_slices[follows.leader]]
    return x if follows == Mimic(follows.leader) else follows.multiplier * x + follows.offset


def _path(model: Model, place: Place) -> list[int]:
    return [] if place.node < 0 else [place.node, *model.path(place.node)]


def _poses(
    model: Model, place: Place, shared: set[int], q: SX
) -> Iterator[tuple[Node | None, Transform]]:
    """Nodes outward from the last shared one with their poses there, then that of the place."""
    pose = Transform.none()
    for i in reversed([i for i in _path(model, place) if i not in shared]):
        pose = pose.then(model.nodes[i].transform(q))
        yield model.nodes[i], pose
    yield None, pose.then(place.pose)
