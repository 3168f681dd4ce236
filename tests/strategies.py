"""Hypothesis strategies: random machines of every kind of joint, and states of them.

Structure (which joint, on which body, which follows which) is drawn by Hypothesis and shrinks;
numbers come from a drawn seed, in general position or, half of the time, along coordinate axes,
where symbolic zeros and ones appear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from phalanx.mechanism import (
    Body,
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Frame,
    Joint,
    Mechanism,
    Mimic,
    Motion,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Spring,
    Universal,
)

KINDS: dict[str, type[Motion]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "spherical": Spherical,
    "fixed": Fixed,
    "universal": Universal,
    "planar": Planar,
    "continuous": Continuous,
    "cylindrical": Cylindrical,
    "floating": Floating,
    "screw": Screw,
}
SINGLE = ("revolute", "prismatic", "continuous", "screw")


@dataclass(frozen=True)
class State:
    """A state of a machine, and an acceleration and a force to go with it."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray


def random_axis(rng: np.random.Generator, aligned: bool) -> np.ndarray:
    if aligned:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return rng.standard_normal(3)


def random_pose(rng: np.random.Generator, aligned: bool) -> Pose:
    if aligned:
        turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
        turn[0] *= np.linalg.det(turn)
        return Pose(turn, rng.choice([0.0, 0.25, -0.5], 3))
    return Pose.from_quaternion(rng.uniform(-0.6, 0.6, 3), rng.standard_normal(4))


def random_body(rng: np.random.Generator, name: str, aligned: bool) -> Body:
    """A body that exists: principal second moments of mass of one size, about turned axes."""
    mass = rng.uniform(0.3, 3.0)
    J = np.diag(mass * rng.uniform(0.02, 0.1, 3))
    if not aligned:
        R = random_pose(rng, aligned=False).rotation
        J = R @ J @ R.T
    return Body(name, mass, rng.uniform(-0.3, 0.3, 3), np.trace(J) * np.eye(3) - J)


def random_motion(rng: np.random.Generator, kind: str, aligned: bool) -> Motion:
    motion = KINDS[kind]
    if motion in (Fixed, Spherical, Floating):
        return motion()
    first = random_axis(rng, aligned)
    if motion is Universal:
        # axes of a universal joint need not be orthogonal, only different
        second = np.roll(first, 1) if aligned else np.cross(first, rng.standard_normal(3))
        return Universal(first, second if aligned else second + 0.2 * first)
    if motion is Screw:
        return Screw(first, float(rng.uniform(0.02, 0.4) * rng.choice([-1, 1])))
    return motion(first)


@st.composite
def mechanisms(
    draw: st.DrawFn,
    *,
    kinds: tuple[str, ...] = tuple(KINDS),
    mimics: bool = True,
    rotors: bool = True,
    floating_base: bool = False,
    chain: bool = False,
    max_bodies: int = 8,
    max_freedoms: int = 14,
) -> Mechanism:
    """A tree of 2 to ``max_bodies`` bodies on a root, or a chain of them, in shuffled order.

    ``max_freedoms`` keeps the expressions, and with them the time of a test, small.
    """
    count = draw(st.integers(1, max_bodies - 1), label="joints")
    drawn = [draw(st.sampled_from(kinds), label=f"joint {i}") for i in range(count)]
    parents = [draw(st.integers(i if chain else 0, i), label=f"parent {i}") for i in range(count)]
    followers = [mimics and draw(st.integers(0, 3)) == 3 for _ in range(count)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="numbers"))
    if floating_base:
        drawn[0], parents = "floating", [0, *(max(p, 1) for p in parents[1:])]

    freedoms = 0
    for i, kind in enumerate(drawn):
        if freedoms + KINDS[kind].nv > max_freedoms:
            drawn[i] = "fixed" if "fixed" in kinds else kinds[0]
        freedoms += KINDS[drawn[i]].nv
    if not freedoms:
        drawn[-1] = next(kind for kind in (*SINGLE, *kinds) if kind in kinds and kind != "fixed")

    bodies, joints = [random_body(rng, "b0", aligned=True)], []
    for i, kind in enumerate(drawn):
        aligned = bool(rng.integers(2))
        motion = random_motion(rng, kind, aligned)
        leaf = i + 1 not in parents
        massless = kind == "fixed" and leaf and rng.integers(2)
        name = f"b{i + 1}"
        bodies.append(Body(name) if massless else random_body(rng, name, aligned))
        turning = rotors and motion.nv and rng.integers(3) == 0
        joints.append(
            Joint(
                f"j{i + 1}",
                f"b{parents[i]}",
                name,
                motion,
                random_pose(rng, aligned),
                rotor_inertia=rng.uniform(0.0, 0.01, motion.nv) if turning else 0.0,
                gear_ratio=rng.uniform(-5.0, 5.0, motion.nv) if turning else 1.0,
            )
        )
    joints = _with_followers(joints, drawn, followers, rng)
    frame = Frame("tool", f"b{rng.integers(len(bodies))}", random_pose(rng, aligned=False))
    gravity = rng.standard_normal(3) * 9.81 if rng.integers(4) else np.zeros(3)
    rng.shuffle(bodies)
    rng.shuffle(joints)
    return Mechanism("random", bodies, joints, [frame], gravity=gravity)


def _with_followers(
    joints: list[Joint], kinds: list[str], followers: list[bool], rng: np.random.Generator
) -> list[Joint]:
    """Some joints of one freedom follow another one, which may come before or after them."""
    single = [i for i, kind in enumerate(kinds) if kind in SINGLE]
    leaders = [i for i in single if not followers[i]]
    result = list(joints)
    for i in single:
        if followers[i] and leaders:
            leader = joints[int(rng.choice(leaders))].name
            multiplier = float(rng.uniform(0.3, 2.0) * rng.choice([-1, 1]))
            # now and then a plain copy, which needs no scaling
            mimic = (
                Mimic(leader, multiplier, rng.uniform(-1, 1)) if rng.integers(4) else Mimic(leader)
            )
            result[i] = replace(joints[i], mimic=mimic)
    return result


def with_springs(mechanism: Mechanism, seed: int) -> Mechanism:
    """The machine with springs and dampers in its joints, and some from body to body."""
    rng = np.random.default_rng(seed)
    joints = []
    for joint in mechanism.joints:
        nv = joint.motion.nv
        stiffness = rng.uniform(0.5, 5.0, nv) * rng.integers(2)
        if joint.motion.nq != nv:
            stiffness[-3:] = stiffness[-1]
        rest = mechanism_free(joint).random_positions(seed=rng) if rng.integers(2) and nv else None
        sprung = replace(joint, stiffness=stiffness, rest=rest, damping=rng.uniform(0, 0.5, nv))
        joints.append(sprung)
    bodies = [body.name for body in mechanism.bodies]
    springs, frames = [], list(mechanism.frames)
    for k in range(2):
        a, b = rng.choice(bodies, 2, replace=False).tolist()
        frames.append(Frame(f"eye{k}", b, random_pose(rng, aligned=False)))
        numbers = rng.uniform(0, (20.0, 3.0, 1.0, 5.0)).tolist()
        springs.append(Spring(f"spring{k}", a, f"eye{k}", *numbers))
    return replace(mechanism, joints=joints, frames=frames, springs=springs)


def mechanism_free(joint: Joint) -> Mechanism:
    """A joint alone, following none."""
    body = Body(joint.child, 1.0, inertia=np.eye(3))
    return Mechanism("joint", [Body(joint.parent), body], [replace(joint, mimic=None)])


def state_of(mechanism: Mechanism, seed: int) -> State:
    rng = np.random.default_rng(seed)
    q = mechanism.random_positions(seed=rng)
    v, a, tau = rng.standard_normal((3, mechanism.nv))
    return State(q, 2 * v, 5 * a, 5 * tau)


@st.composite
def states(draw: st.DrawFn, mechanism: Mechanism) -> State:
    """A state of the machine: general, and sometimes at rest or at neutral."""
    state = state_of(mechanism, draw(st.integers(0, 2**32 - 1), label="state"))
    match draw(st.integers(0, 9)):
        case 0:
            return replace(state, v=np.zeros_like(state.v))
        case 1:
            return replace(state, q=mechanism.neutral())
        case _:
            return state


@st.composite
def moving(draw: st.DrawFn, **options: object) -> tuple[Mechanism, State]:
    """A machine and a state of it."""
    mechanism = draw(mechanisms(**options))
    return mechanism, draw(states(mechanism))


def menagerie() -> Mechanism:
    """One machine with every kind of joint, a mimic, rotors and a massless leaf."""
    rng = np.random.default_rng(7)
    bodies, joints = [random_body(rng, "b0", aligned=True)], []
    parents = [0, 1, 2, 1, 4, 5, 2, 7, 8, 9, 6]
    for i, kind in enumerate([*KINDS, "fixed"]):
        name = f"b{i + 1}"
        motion = random_motion(rng, kind, aligned=False)
        bodies.append(Body(name) if i == 10 else random_body(rng, name, aligned=False))
        joints.append(
            Joint(
                f"j{i + 1}",
                f"b{parents[i]}",
                name,
                motion,
                random_pose(rng, aligned=False),
                rotor_inertia=0.01,
                gear_ratio=3.0,
            )
        )
    bodies.append(random_body(rng, "b12", aligned=False))
    follower = Joint(
        "j12",
        "b10",
        "b12",
        Prismatic((1, 2, 3)),
        random_pose(rng, False),
        mimic=Mimic("j1", -0.7, 0.2),
    )
    tool = Frame("tool", "b12", random_pose(rng, aligned=False))
    return Mechanism(
        "menagerie", bodies, [*joints, follower], [tool], gravity=np.array([1.0, -2, -9])
    )
