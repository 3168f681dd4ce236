"""One machine described in two ways: locked, merged, regrouped, split into elementary joints."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import (
    Body,
    Cylindrical,
    Fixed,
    Joint,
    Mechanism,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.motion import frame_on_axis
from strategies import menagerie, moving, random_body, random_pose, state_of

ROUNDING = 1e-11
DYNAMICS = [
    (px.inverse_dynamics.recursive, "qva"),
    (px.mass_matrix.composite_body, "q"),
    (eq.coriolis_matrix, "qv"),
    (px.inverse_dynamics.derivatives, "qva"),
]


def all_close(a, b, tolerance: float = ROUNDING) -> None:
    for x, y in zip(*(r if isinstance(r, tuple) else (r,) for r in (a, b)), strict=True):
        close(x, y, tolerance)


# -- the same tree, written otherwise ------------------------------------------------------------


@given(moving())
def test_regrouping_changes_no_dynamics(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    plain, regrouped = n.model, n.model.regrouped
    # the equations regroup by themselves: undo that by comparing energies of both models
    energies = [Numbers(model)(eq.kinetic_energy, x.q, x.v) for model in (plain, regrouped)]
    M = n.mass_matrix(x.q)
    close(x.v @ M @ x.v / 2, energies[0], ROUNDING)
    close(energies[1], energies[0], ROUNDING)
    # potentials differ by a constant at most
    there = n.move(x.q, x.v)
    rise = [
        Numbers(model)(eq.potential_energy, there) - Numbers(model)(eq.potential_energy, x.q)
        for model in (plain, regrouped)
    ]
    close(rise[1], rise[0], ROUNDING * 10)


@given(moving(max_bodies=6, max_freedoms=9))
def test_merging_fixed_joints_changes_nothing(machine):
    mechanism, x = machine
    merged = px.merge_fixed(mechanism)
    assert all(joint.motion.nv for joint in merged.joints)
    a, b = Numbers(mechanism), Numbers(merged)
    for equation, arguments in DYNAMICS:
        state = [getattr(x, name) for name in arguments]
        all_close(b(equation, *state), a(equation, *state))
    for frame in mechanism.frame_names[:3]:
        J = a(eq.jacobian, x.q, frame=frame)
        close(b(eq.jacobian, x.q, frame=frame), J, ROUNDING, frame)


@given(moving(mimics=False, max_bodies=6, max_freedoms=9), st.integers(0, 100))
def test_locking_a_joint_is_holding_it(machine, pick):
    mechanism, x = machine
    joints = mechanism.moving_joints
    assume(len(joints) > 1)
    held = joints[pick % len(joints)]
    qs, vs = mechanism.q_slices[held.name], mechanism.v_slices[held.name]
    locked = px.lock(mechanism, {held.name: x.q[qs]})
    others = np.setdiff1d(np.arange(mechanism.nv), np.arange(vs.start, vs.stop))
    v, a = x.v.copy(), x.a.copy()
    v[vs] = a[vs] = 0.0
    free = Numbers(mechanism)
    still = Numbers(locked)
    q = np.delete(x.q, np.arange(qs.start, qs.stop))
    tau = still.inverse(q, v[others], a[others])
    close(tau, free.inverse(x.q, v, a)[others], ROUNDING)
    M = free.mass_matrix(x.q)
    close(still.mass_matrix(q), M[np.ix_(others, others)], ROUNDING)


def test_locking_a_leader_holds_its_followers():
    mechanism = menagerie()
    x = state_of(mechanism, 20)
    at = mechanism.q_slices["j1"]
    locked = Numbers(px.lock(mechanism, {"j1": x.q[at]}))
    v, a = x.v.copy(), x.a.copy()
    v[0] = a[0] = 0.0
    tau = Numbers(mechanism).inverse(x.q, v, a)
    close(locked.inverse(x.q[1:], v[1:], a[1:]), tau[1:], ROUNDING)


@given(moving())
def test_a_mimic_is_the_free_machine_held_to_its_leader(machine):
    mechanism, x = machine
    followers = [joint for joint in mechanism.joints if joint.mimic]
    free = px.release_mimics(mechanism)
    G = np.zeros((free.nv, mechanism.nv))
    q = np.zeros(free.nq)
    for joint in free.moving_joints:
        own = mechanism.joint(joint.name)
        leader = own.mimic.leader if own.mimic else own.name
        scale, offset = (own.mimic.multiplier, own.mimic.offset) if own.mimic else (1.0, 0.0)
        columns = mechanism.v_slices[leader]
        G[free.v_slices[joint.name], columns] = scale * np.eye(joint.motion.nv)
        q[free.q_slices[joint.name]] = scale * x.q[mechanism.q_slices[leader]] + offset
    n = Numbers(free)
    a = Numbers(mechanism)
    close(a.inverse(x.q, x.v, x.a), G.T @ n.inverse(q, G @ x.v, G @ x.a), ROUNDING)
    close(a.mass_matrix(x.q), G.T @ n.mass_matrix(q) @ G, ROUNDING)
    for k, dtau in enumerate(n(px.inverse_dynamics.derivatives, q, G @ x.v, G @ x.a)):
        own = a(px.inverse_dynamics.derivatives, x.q, x.v, x.a)[k]
        close(own, G.T @ dtau @ G, ROUNDING * 10)
    assert len(followers) == free.nv - mechanism.nv


# -- joints of several freedoms as several joints --------------------------------------------------


def two_ways(motion, elementary: list, seed: int) -> tuple[Mechanism, Mechanism]:
    """A joint between two bodies, with a body beyond; and the same with massless bodies between."""
    rng = np.random.default_rng(seed)
    root, first, second = (random_body(rng, name, aligned=False) for name in ("r", "b", "c"))
    pose, beyond = random_pose(rng, aligned=False), random_pose(rng, aligned=False)
    last = Joint("last", "b", "c", Revolute((1, 2, -1)), beyond)
    one = Mechanism("one", [root, first, second], [Joint("j", "r", "b", motion, pose), last])
    names = ["r", *(f"m{k}" for k in range(len(elementary) - 1)), "b"]
    joints = [
        Joint(f"j{k}", names[k], names[k + 1], m, pose if k == 0 else px.Pose())
        for k, m in enumerate(elementary)
    ]
    between = [Body(name) for name in names[1:-1]]
    several = Mechanism("several", [root, first, second, *between], [*joints, last])
    return one, several


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["universal", "cylindrical"])
def test_universal_and_cylindrical_joints_are_two_joints(kind, seed):
    axis, other = np.random.default_rng(seed + 50).standard_normal((2, 3))
    motion, parts = {
        "universal": (Universal(axis, other), [Revolute(axis), Revolute(other)]),
        "cylindrical": (Cylindrical(axis), [Revolute(axis), Prismatic(axis)]),
    }[kind]
    one, several = two_ways(motion, parts, seed)
    x = state_of(one, seed)
    a, b = Numbers(one), Numbers(several)
    for equation, arguments in DYNAMICS:
        state = [getattr(x, name) for name in arguments]
        all_close(a(equation, *state), b(equation, *state))
    close(a.forward(x.q, x.v, x.tau), b.forward(x.q, x.v, x.tau), 1e-9)
    aba = px.forward_dynamics.articulated_body
    close(a(aba, x.q, x.v, x.tau), b(aba, x.q, x.v, x.tau), 1e-9)


def check_mapped(one, several, q_one, q_several, T, dT, x) -> None:
    """Dynamics of both, when velocities map by ``v_one = T rates`` and T changes at dT."""
    a, b = Numbers(one), Numbers(several)
    rates, accelerations = x.v, x.a
    v, acc = T @ rates, T @ accelerations + dT @ rates
    close(T.T @ a.inverse(q_one, v, acc), b.inverse(q_several, rates, accelerations), ROUNDING)
    close(T.T @ a.mass_matrix(q_one) @ T, b.mass_matrix(q_several), ROUNDING)
    close(a(eq.energy, q_one, v), b(eq.energy, q_several, rates), ROUNDING)
    tau = np.linalg.solve(T.T, x.tau)
    for method in (px.forward_dynamics.factorized, px.forward_dynamics.articulated_body):
        found = np.linalg.solve(T, a(method, q_one, v, tau) - dT @ rates)
        wanted = b(method, q_several, rates, x.tau)
        close(found, wanted, 1e-8)  # T and M together have a condition near 1e5


def rotation(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def quaternion(R: np.ndarray) -> np.ndarray:
    """(x, y, z, w), for rotations away from half a turn."""
    w = np.sqrt(1 + np.trace(R)) / 2
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 4 * w * w]) / (4 * w)


@pytest.mark.parametrize("seed", range(5))
def test_a_spherical_joint_is_three_coincident_revolutes(seed):
    # acceptance check 24 of Wong (1991)
    axes = [Revolute(unit) for unit in np.eye(3)]
    one, several = two_ways(Spherical(), axes, seed)
    x = state_of(several, seed)
    q = 0.4 * x.q
    q[3] = x.q[3]
    R = [rotation(k, q[k]) for k in range(3)]

    def map_of(angles: np.ndarray) -> np.ndarray:
        """Angular velocity in the last body's axes from the three rates."""
        turns = [rotation(k, angles[k]) for k in range(3)]
        columns = [(turns[1] @ turns[2]).T @ np.eye(3)[0], turns[2].T @ np.eye(3)[1], np.eye(3)[2]]
        T = np.eye(4)
        T[:3, :3] = np.transpose(columns)
        return T

    h = 1e-6
    dT = (map_of(q[:3] + h * x.v[:3]) - map_of(q[:3] - h * x.v[:3])) / (2 * h)
    # the second difference leaves 1e-10, below the tolerance after scaling by rates of a few rad/s
    q_one = np.array([*quaternion(R[0] @ R[1] @ R[2]), q[3]])
    a, b = Numbers(one), Numbers(several)
    for frame in ("b", "c"):
        close(
            a(eq.forward_kinematics, q_one, frame=frame),
            b(eq.forward_kinematics, q, frame=frame),
            1e-13,
        )
    T = map_of(q[:3])
    v, acc = T @ x.v, T @ x.a + dT @ x.v
    close(T.T @ a.mass_matrix(q_one) @ T, b.mass_matrix(q), ROUNDING)
    close(a(eq.energy, q_one, v), b(eq.energy, q, x.v), ROUNDING)
    close(T.T @ a.inverse(q_one, v, acc), b.inverse(q, x.v, x.a), 1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_planar_joint_is_two_slides_and_a_turn(seed):
    axis = np.random.default_rng(seed + 60).standard_normal(3)
    R = frame_on_axis(axis / np.linalg.norm(axis))
    parts = [Prismatic(R[:, 0]), Prismatic(R[:, 1]), Revolute(axis)]
    one, several = two_ways(Planar(axis), parts, seed)
    x = state_of(several, seed)
    angle, spin = x.q[2], x.v[2]
    c, s = np.cos(angle), np.sin(angle)
    T, dT = np.eye(4), np.zeros((4, 4))
    # rates of x and y are along the parent's axes, velocities along the child's
    T[:2, :2] = [[c, s], [-s, c]]
    dT[:2, :2] = spin * np.array([[-s, c], [-c, -s]])
    check_mapped(one, several, x.q, x.q, T, dT, x)


def test_a_continuous_joint_is_a_revolute_joint():
    one, several = two_ways(px.mechanism.Continuous((1, 1, 0)), [Revolute((1, 1, 0))], 3)
    x = state_of(one, 4)
    close(Numbers(one).inverse(x.q, x.v, x.a), Numbers(several).inverse(x.q, x.v, x.a), 1e-14)


def test_a_plain_copy_may_come_before_its_leader():
    rng = np.random.default_rng(1)
    bodies = [Body("r"), *(random_body(rng, name, aligned=False) for name in "ab")]
    first = Joint("follower", "r", "a", Revolute((0, 1, 0)), mimic=Mimic("leader"))
    second = Joint("leader", "a", "b", Revolute((1, 0, 0)), random_pose(rng, aligned=False))
    mechanism = Mechanism("copy", bodies, [first, second])
    assert mechanism.nv == 1
    x = state_of(mechanism, 5)
    n = Numbers(mechanism)
    close(n.move(x.q, x.v), x.q + x.v, 1e-15)
    close(x.v @ n.mass_matrix(x.q) @ x.v / 2, n(eq.kinetic_energy, x.q, x.v), ROUNDING)


def test_a_fixed_joint_moves_nothing():
    rng = np.random.default_rng(2)
    bodies = [Body("r"), *(random_body(rng, name, aligned=False) for name in "abc")]
    joints = [
        Joint("one", "r", "a", Revolute((0, 1, 0))),
        Joint("weld", "a", "b", Fixed(), random_pose(rng, aligned=False)),
        Joint("two", "b", "c", Revolute((0, 0, 1)), random_pose(rng, aligned=False)),
    ]
    mechanism = Mechanism("welded", bodies, joints)
    assert len(Numbers(mechanism).model.nodes) == 2
