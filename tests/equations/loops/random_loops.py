"""Random machines with loops that close: a tree, and a closure made to hold at a posture of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from phalanx.mechanism import (
    Fixed,
    FixedDistance,
    Frame,
    Loop,
    Mechanism,
    PlanarPin,
    Pose,
    Spherical,
)
from phalanx.mechanism.motion import joint_pose
from strategies import mechanisms, random_axis, random_motion, random_pose

CLOSURES = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "planar pin",
    "fixed distance",
)
# freedoms that each takes away
HELD = dict(zip(CLOSURES, (6, 5, 5, 4, 4, 3, 3, 2, 1), strict=True))


@dataclass(frozen=True)
class Closed:
    """A machine and a posture in which its loops are closed."""

    mechanism: Mechanism
    q: np.ndarray


def world_poses(mechanism: Mechanism, q: np.ndarray) -> dict[str, Pose]:
    """Where every frame stands, by multiplication of poses."""
    X = {mechanism.bodies[0].name: Pose()}
    for joint in mechanism.joints:
        if joint.mimic is not None:
            leader = q[mechanism.q_slices[joint.mimic.leader]]
            at = joint.mimic.multiplier * leader + joint.mimic.offset
        else:
            at = q[mechanism.q_slices[joint.name]] if joint.motion.nv else np.zeros(0)
        X[joint.child] = X[joint.parent] @ joint.pose @ joint_pose(joint.motion, at)
    return X | {frame.name: X[frame.body] @ frame.pose for frame in mechanism.frames}


def allowed(motion, rng: np.random.Generator) -> Pose:
    """A random pose of the second frame in the first that a closure allows."""
    match motion:
        case Fixed():
            return Pose()
        case PlanarPin(axis=axis):
            turned = Pose.from_quaternion(np.zeros(3), rng.standard_normal(4))
            return Pose(turned.rotation, axis * rng.uniform(-1, 1))
        case FixedDistance(length=length):
            way = rng.standard_normal(3)
            turned = Pose.from_quaternion(np.zeros(3), rng.standard_normal(4))
            return Pose(turned.rotation, length * way / np.linalg.norm(way))
        case Spherical():
            return joint_pose(motion, rng.standard_normal(4))
        case _:
            return joint_pose(motion, rng.uniform(-1, 1, motion.nq))


def closure_of(kind: str, rng: np.random.Generator):
    if kind == "fixed distance":
        return FixedDistance(float(rng.uniform(0.2, 1.0)))
    if kind == "planar pin":
        return PlanarPin(random_axis(rng, bool(rng.integers(2))))
    return random_motion(rng, kind, bool(rng.integers(2)))


def with_loop(mechanism: Mechanism, q: np.ndarray, name: str, ends, motion, rng) -> Mechanism:
    """The mechanism with a closure between two bodies that holds at q."""
    aligned = bool(rng.integers(2))
    frame_a = Frame(f"{name}_a", ends[0], random_pose(rng, aligned))
    X = world_poses(mechanism, q)
    seat = X[ends[1]].inverse() @ X[ends[0]] @ frame_a.pose @ allowed(motion, rng)
    frames = [*mechanism.frames, frame_a, Frame(f"{name}_b", ends[1], seat)]
    loop = Loop(name, f"{name}_a", f"{name}_b", motion)
    return replace(mechanism, frames=frames, loops=[*mechanism.loops, loop])


@st.composite
def closed_machines(
    draw: st.DrawFn, kind: str | None = None, max_loops: int = 2, **options: object
) -> Closed:
    """A random tree with one or more loops, closed at a random posture."""
    mechanism = draw(mechanisms(max_bodies=6, max_freedoms=10, **options))
    count = draw(st.integers(1, max_loops), label="loops")
    kinds = [kind or draw(st.sampled_from(CLOSURES)) for _ in range(count)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="loop numbers"))
    q = mechanism.random_positions(seed=rng)
    names = [body.name for body in mechanism.bodies]
    for k, each in enumerate(kinds):
        a, b = rng.choice(len(names), 2, replace=False)
        motion = closure_of(each, rng)
        mechanism = with_loop(mechanism, q, f"loop{k}", (names[a], names[b]), motion, rng)
    return Closed(mechanism, q)
