"""Build the node tree of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.spatial import MassMoments, Rotation, Transform, constant, zero
from phalanx.equations.tree.frame_angles import turn_frames
from phalanx.equations.tree.frames import slide_origins
from phalanx.equations.tree.model import Model, Place
from phalanx.equations.tree.node import Freedom, Node
from phalanx.equations.tree.parameters import Parameters
from phalanx.mechanism import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array, snap_direction, snap_rotation


@quick_operators()
def build(mechanism: Mechanism, parameters: Sequence[str] = ()) -> Model:
    """The node tree with every origin where the mechanism has its joint."""
    return _Builder(mechanism, Parameters(mechanism, parameters)).model()


@quick_operators()
def model_as_written(mechanism: Mechanism, parameters: Sequence[str] = ()) -> Model:
    """The node tree with frames where they cost least, and loops where the mechanism has them.

    Whether or not they can close: for the search of a posture in which they do. Equations of motion
    start from `equations.model_of.model_of`.
    """
    return turn_frames(slide_origins(build(mechanism, parameters)))


class _Builder:
    """Takes the joints root first and collects nodes, masses and places."""

    def __init__(self, mechanism: Mechanism, parameters: Parameters) -> None:
        self.mechanism = mechanism
        self.parameters = parameters
        self.nodes: list[Node] = []
        # pose of each body in its node: a numeric rotation (snapped) and a possibly symbolic shift
        self.placements: dict[str, tuple[int, Array, SX]] = {
            mechanism.bodies[0].name: (-1, np.eye(3), zero())
        }

    def model(self) -> Model:
        for joint in self.mechanism.joints:
            self.add(joint)
        masses = [MassMoments.none() for _ in self.nodes]
        for body in self.mechanism.bodies:
            node, R, p = self.placements[body.name]
            if node >= 0:
                own = MassMoments.of(
                    self.parameters.mass(body),
                    self.parameters.com(body),
                    self.parameters.inertia(body),
                )
                masses[node] += own.into_parent(Transform(Rotation(constant(R)), p))
        nodes = (replace(n, mass=m.tidy()) for n, m in zip(self.nodes, masses, strict=True))
        return Model(self.mechanism, tuple(nodes), self.places(), self.parameters)

    def places(self) -> dict[str, Place]:
        places = {
            name: Place(node, Transform(Rotation(constant(R)), p))
            for name, (node, R, p) in self.placements.items()
        }
        for frame in self.mechanism.frames:
            node, R, p = self.placements[frame.body]
            turned = Rotation(constant(snap_rotation(R @ frame.pose.rotation)))
            shift = p + constant(R) @ constant(frame.pose.translation)
            places[frame.name] = Place(node, Transform(turned, shift))
        return places

    def add(self, joint: Joint) -> None:
        node, R, p = self.placements[joint.parent]
        p = p + constant(R) @ self.parameters.position(joint)
        R = snap_rotation(R @ joint.pose.rotation)
        match joint.motion:
            case Fixed():
                self.placements[joint.child] = (node, R, p)
            case Revolute(axis=axis) | Continuous(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.TURN, frame_on_axis(axis))])
            case Prismatic(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.SLIDE, R.T)], axis)
            case Screw(axis=axis, pitch=pitch):
                z = frame_on_axis(axis)
                self.hang(joint, node, R, p, [(Freedom.SCREW, z)], axis, pitch)
            case Cylindrical(axis=axis):
                z = frame_on_axis(axis)
                self.hang(joint, node, R, p, [(Freedom.TURN, z), (Freedom.SLIDE, z)], axis)
            case Universal(first=first, second=second):
                turns = [(Freedom.TURN, frame_on_axis(axis)) for axis in (first, second)]
                self.hang(joint, node, R, p, turns)
            case Planar(axis=axis):
                self.hang(joint, node, R, p, [(Freedom.PLANE, frame_on_axis(axis))])
            case Spherical():
                self.hang(joint, node, R, p, [(Freedom.BALL, np.eye(3))])
            case Floating():
                self.hang(joint, node, R, p, [(Freedom.FREE, np.eye(3))])
            case _:
                raise TypeError(f"unknown motion {joint.motion!r}")

    def hang(
        self,
        joint: Joint,
        parent: int,
        R: Array,
        p: SX,
        steps: list[tuple[Freedom, Array]],
        slide: Array | None = None,
        pitch: float = 1.0,
    ) -> None:
        """Add a node for every elementary freedom.

        Each step gives the node's axes in the joint frame; ``slide`` is the direction of a slide
        there, ``pitch`` how far it goes for each unit of its coordinate.
        """
        leader = joint if joint.mimic is None else self.mechanism.joint(joint.mimic.leader)
        q = self.mechanism.q_slices[leader.name].start
        v = self.mechanism.v_slices[leader.name].start
        armature = self.parameters.reflected_inertia(joint)
        used = 0
        for freedom, axes in steps:
            shift = np.zeros(3) if slide is None else pitch * snap_direction(axes.T @ slide)
            self.nodes.append(
                Node(
                    joint.name,
                    parent,
                    freedom,
                    Transform(Rotation(constant(snap_rotation(R @ axes))), p),
                    freedom.axes(shift),
                    q=q + used,
                    v=v + used,
                    mass=MassMoments.none(),
                    armature=armature[used : used + freedom.nv],
                    multiplier=joint.mimic.multiplier if joint.mimic else 1.0,
                    offset=joint.mimic.offset if joint.mimic else 0.0,
                )
            )
            used += freedom.nv
            parent, R, p = len(self.nodes) - 1, axes.T, zero()
        self.placements[joint.child] = (parent, snap_rotation(R), zero())
