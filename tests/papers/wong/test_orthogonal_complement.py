"""Wong (1991), chapters 2, 3 and 6: dynamics by the orthogonal complement, in body frames.

Acceptance checks 1, 2, 4, 5, 6 and 24 of the spec (specs/wong-1991.md).
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx.equations.mass_matrix.dense_solvers import cholesky, lu
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.body_frames import body_frames
from phalanx.equations.orthogonal_complement.mixed_frames import mixed_frames
from phalanx.equations.orthogonal_complement.recursion import reaches
from phalanx.mechanism import Revolute, Spherical
from phalanx.mechanism.library.hinges import HingedLink, hinged
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.denavit_hartenberg import DenavitHartenbergRow, from_denavit_hartenberg

MACHINES = [px.library.puma600, px.library.torso_as_printed, px.library.torso, px.library.cat215b]
NAMED = {"ids": lambda x: x.__name__}
COMPLEMENT = px.mass_matrix.orthogonal_complement
INVERSE = [px.inverse_dynamics.orthogonal_complement, px.inverse_dynamics.natural_complement]
FORWARD = px.forward_dynamics.orthogonal_complement

# table 3.4: twist [deg], a, b [m]; eqs. 3.40-3.42: centres of mass, and the printed l
PUMA_DH = (
    (0, 0, 0),
    (-90, 0, -0.149),
    (0, 0.432, 0),
    (90, 0.02, -0.432),
    (-90, 0, 0),
    (90, 0, -0.056),
)
PUMA_K = (
    (0, 0.054, 0),
    (-0.14, 0, 0),
    (0, 0.197, 0),
    (0, 0, 0.057),
    (0, 0.007, 0),
    (0, 0, 0.019),
)
PUMA_L = ((0, 0.203, 0), (0.292, 0, 0), (0.02, -0.235, 0), (0, 0, 0.057), (0, -0.049, 0))


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def vectors(x: ca.SX) -> np.ndarray:
    return np.array(ca.DM(x)).ravel()


def close(found, wanted, tolerance):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


# -- data of the bodies --------------------------------------------------------------------------


def test_denavit_hartenberg_rows_give_every_printed_l():
    # F7; b is minus the d of other conventions
    arm = from_denavit_hartenberg(
        "puma",
        [DenavitHartenbergRow(np.radians(alpha), a, d=-b) for alpha, a, b in PUMA_DH],
        [px.Body(f"link_{i}", 1.0, -np.array(k)) for i, k in enumerate(PUMA_K)],
    )
    bodies = centred_bodies(model_in_given_frames(arm), ca.SX.sym("q", 6))
    for i, body in enumerate(bodies):
        np.testing.assert_allclose(vectors(body.k), PUMA_K[i], rtol=0, atol=1e-15)
        assert body.twist == pytest.approx(np.radians(PUMA_DH[i][0]), abs=1e-15)
        if i < 5:
            np.testing.assert_allclose(vectors(body.l[i + 1]), PUMA_L[i], rtol=0, atol=1e-15)


@pytest.mark.parametrize("i", range(1, 6))
def test_the_sources_conversion_of_rows_gives_the_same_l(i):
    # d = -[a, b sin alpha, -b cos alpha], l = k - d, with the row of the next joint
    alpha, a, b = PUMA_DH[i]
    d = -np.array([a, b * np.sin(np.radians(alpha)), -b * np.cos(np.radians(alpha))])
    np.testing.assert_allclose(np.array(PUMA_K[i - 1]) - d, PUMA_L[i - 1], rtol=0, atol=1e-15)


def test_turns_of_bodies_are_the_sources_matrix():
    # F5: x along the common normal, z along the hinge
    q = ca.SX.sym("q", 6)
    bodies = centred_bodies(model_in_given_frames(px.library.puma600()), q)
    A = ca.Function("A", [q], [body.A for body in bodies])
    angles = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for (alpha, _, _), angle, found in zip(PUMA_DH, angles, A(angles), strict=True):
        c, s, ca_, sa = (
            *(np.cos(angle), np.sin(angle)),
            *(np.cos(np.radians(alpha)), np.sin(np.radians(alpha))),
        )
        wanted = [[c, ca_ * s, sa * s], [-s, ca_ * c, sa * c], [0, -sa, ca_]]
        np.testing.assert_allclose(np.array(found), wanted, rtol=0, atol=1e-15)


def test_hinges_of_the_torso_are_those_of_its_branches():
    q = ca.SX.sym("q", 6)
    bodies = centred_bodies(model_in_given_frames(px.library.torso_as_printed()), q)
    assert [body.parent + 1 for body in bodies] == [0, 1, 1, 3, 1, 5]
    trunk = {child: vectors(l).tolist() for child, l in bodies[0].l.items()}
    assert trunk == {1: [0, 0, 0.242], 2: [0.15, 0, 0.15], 4: [-0.15, 0, 0.15]}
    assert vectors(bodies[2].l[3]).tolist() == [0, -0.25, 0]
    assert vectors(bodies[4].l[5]).tolist() == [0, 0.25, 0]


# -- check 1 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES, **NAMED)
def test_1_inertia_matrix_is_that_of_composite_bodies_and_of_differences(machine):
    mechanism = machine()
    n = Numbers(mechanism)
    poses = n.function(px.equations.body_poses)
    for q in mechanism.random_positions(20, seed=4):
        M = n(COMPLEMENT, q)
        close(M, n.mass_matrix(q), 1e-9)
        close(M, n(px.mass_matrix.in_root_frame.accumulated_inertia, q), 1e-9)
        close(M, by_differences(mechanism, poses, q), 1e-8)
        np.testing.assert_array_equal(M, M.T)
        np.linalg.cholesky(M)


def by_differences(mechanism, poses, q, h=1e-3) -> np.ndarray:
    """M from Jacobians of the bodies' centres and attitudes, by differences of sixth order."""
    n = len(q)

    def placed(x):
        return np.array(poses(x)).reshape(-1, 4, 4)[1:]

    here = placed(q)
    rates = np.zeros((n, len(here), 4, 4))
    for j, step in enumerate(np.eye(n)):
        for weight, far in ((45, 1), (-9, 2), (1, 3)):
            change = placed(q + far * h * step) - placed(q - far * h * step)
            rates[j] += weight * change / (60 * h)
    M = np.zeros((n, n))
    for i, body in enumerate(mechanism.bodies[1:]):
        R = here[i, :3, :3]
        spin = np.einsum("ba,jbc->jac", R, rates[:, i, :3, :3])  # Rᵀ R', in body axes
        B_R = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])
        B_T = np.einsum("jab,b->aj", rates[:, i, :3, :3], body.com) + rates[:, i, :3, 3].T
        M += body.mass * B_T.T @ B_T + B_R.T @ body.inertia @ B_R
    return M


# -- check 2 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES, **NAMED)
def test_2_inverse_dynamics_is_that_of_lagrange_and_of_newton_and_euler(machine):
    mechanism = machine()
    n = Numbers(mechanism)
    lagrange = lagrangian(mechanism)
    rng = np.random.default_rng(5)
    for q in mechanism.random_positions(20, seed=rng):
        v, a = rng.standard_normal((2, mechanism.nv))
        wanted = np.array(lagrange(q, v, a)).ravel()
        for method in INVERSE:
            close(n(method, q, v, a), wanted, 1e-8)
            close(n(method, q, v, a), n(px.inverse_dynamics.conventional, q, v, a), 1e-8)


def lagrangian(mechanism) -> ca.Function:
    """d/dt dT/dv - dT/dq + dV/dq with V = -sum of m g·x, where (1.8) prints a plus."""
    nv = mechanism.nv
    q, v, a = (ca.SX.sym(name, nv) for name in "qva")
    T = v.T @ px.mass_matrix.composite_body(mechanism, q) @ v / 2
    V, poses = 0, px.equations.body_poses(mechanism, q)
    for i, body in enumerate(mechanism.bodies[1:], start=1):
        X = poses[4 * i : 4 * i + 4, :]
        centre = X[:3, :3] @ ca.DM(body.com) + X[:3, 3]
        V -= body.mass * ca.dot(ca.DM(mechanism.gravity), centre)
    p = ca.gradient(T, v)
    tau = ca.jacobian(p, q) @ v + ca.jacobian(p, v) @ a - ca.gradient(T, q) + ca.gradient(V, q)
    return ca.Function("lagrange", [q, v, a], [tau])


# -- check 4 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES, **NAMED)
def test_4_matrix_forms_agree_with_the_recursion_and_annihilate(machine):
    mechanism = machine()
    model, n = model_in_given_frames(mechanism), Numbers(mechanism)
    q, v = ca.SX.sym("q", mechanism.nv), ca.SX.sym("v", mechanism.nv)
    mixed, own = mixed_frames(model, q, v), body_frames(model, q, v)
    still = ca.SX(mechanism.nv, 1)
    outputs = [
        mixed.annihilator @ ca.vertcat(mixed.H1, mixed.H2),
        mixed.C.T @ mixed.N1,
        *(form.mass_matrix for form in (mixed, own)),
        *(form.free_forces(still) for form in (mixed, own)),
    ]
    f = ca.Function("forms", [q, v], [ca.densify(x) for x in outputs])
    rng = np.random.default_rng(6)
    for x in mechanism.random_positions(20, seed=rng):
        rates = rng.standard_normal(mechanism.nv)
        linear, angular, *rest = (np.array(y) for y in f(x, rates))
        assert np.linalg.norm(linear) < 1e-12
        assert np.linalg.norm(angular) < 1e-12
        M, bias = n(COMPLEMENT, x), n(INVERSE[0], x, rates, 0 * rates)
        for found in rest[:2]:
            close(found, M, 1e-10)
        for found in rest[2:]:
            close(-found.ravel(), bias, 1e-10)


def geared(mechanism: px.Mechanism) -> px.Mechanism:
    """A machine with a rotor behind a gear at every joint, which the source has not."""
    joints = [
        replace(joint, rotor_inertia=0.01 * k, gear_ratio=2.0 + k)
        for k, joint in enumerate(mechanism.joints, 1)
    ]
    return replace(mechanism, joints=joints)


@pytest.mark.parametrize("machine", MACHINES, **NAMED)
@pytest.mark.parametrize("form", [mixed_frames, body_frames], **NAMED)
def test_4_matrix_forms_move_the_machine_under_torques(machine, form):
    # F16: M v' = tau + ..., with torques and with rotors, against articulated bodies
    mechanism = geared(machine())
    model, n = model_in_given_frames(mechanism), Numbers(mechanism)
    q, v, tau = (ca.SX.sym(name, mechanism.nv) for name in ("q", "v", "tau"))
    matrices = form(model, q, v)
    outputs = [ca.densify(matrices.mass_matrix), ca.densify(matrices.free_forces(tau))]
    f = ca.Function("form", [q, v, tau], outputs)
    rng = np.random.default_rng(16)
    for x in mechanism.random_positions(5, seed=rng):
        rates, torques = rng.standard_normal((2, mechanism.nv))
        M, forces = (np.array(y) for y in f(x, rates, 50 * torques))
        found = np.linalg.solve(M, forces).ravel()
        wanted = n(px.forward_dynamics.articulated_body, x, rates, 50 * torques)
        close(found, wanted, 1e-9)


# -- check 5 -------------------------------------------------------------------------------------


def by_paths(mechanism: px.Mechanism, q: np.ndarray) -> np.ndarray:
    """M of a tree of hinges by its U alone: U⁻¹ by elimination, axes and centres by poses."""
    n, numbers = mechanism.nv, Numbers(mechanism)
    number = {body.name: k for k, body in enumerate(mechanism.bodies)}
    U = np.eye(n)
    for i, joint in enumerate(mechanism.joints):
        if number[joint.parent]:
            U[i, number[joint.parent] - 1] = -1
    on_path = np.linalg.inv(U).round().astype(bool)
    bodies = mechanism.bodies[1:]
    poses = [numbers(px.equations.forward_kinematics, q, frame=body.name) for body in bodies]
    M = np.zeros((n, n))
    for i, (body, X) in enumerate(zip(bodies, poses, strict=True)):
        R, centre = X[:3, :3], X[:3, :3] @ body.com + X[:3, 3]
        turns, moves = np.zeros((3, n)), np.zeros((3, n))
        for j in np.flatnonzero(on_path[i]):
            axis, hinge = poses[j][:3, 2], poses[j][:3, 3]
            turns[:, j], moves[:, j] = R.T @ axis, np.cross(axis, centre - hinge)
        M += turns.T @ body.inertia @ turns + body.mass * moves.T @ moves
    return M


@pytest.mark.parametrize("parents", [(-1, 0, 1, 0, 3), (-1, 0, 1, 1, 3, 3), (-1, -1, 1, 1, 0)])
def test_5_equations_follow_from_the_topology(parents):
    # F4: numbers of trees, and not only where they stand; the last one has two homes
    rng = np.random.default_rng(len(parents))
    links = [
        HingedLink(
            f"link_{i}",
            float(rng.uniform(-90, 90)),
            float(rng.uniform(1, 2)),
            tuple(rng.uniform(-1, 1, 3).tolist()),
            tuple(rng.uniform(1, 1.5, 3).tolist()),
            tuple(rng.uniform(-1, 1, 3).tolist()) if parent >= 0 else (0.0, 0.0, 0.0),
            f"link_{parent}" if parent >= 0 else "base",
        )
        for i, parent in enumerate(parents)
    ]
    tree = hinged("tree", links)
    n, size = Numbers(tree), len(parents)
    q, v = ca.SX.sym("q", size), ca.SX.sym("v", size)
    forms = mixed_frames(model_in_given_frames(tree), q, v)
    outputs = (forms.U, forms.mass_matrix, forms.free_forces(ca.SX(size, 1)))
    f = ca.Function("f", [q, v], [ca.densify(x) for x in outputs])
    for x in tree.random_positions(5, seed=rng):
        rates, changes = rng.standard_normal((2, size))
        U, M, forces = (np.array(y) for y in f(x, rates))
        # prev(i): the column of -1 in row i; none at a home
        previous = [np.flatnonzero(row == -1).tolist() for row in U[::3, ::3]]
        carried = [tree.bodies.index(tree.body(joint.parent)) - 1 for joint in tree.joints]
        assert previous == [[k] if k >= 0 else [] for k in carried]
        wanted = by_paths(tree, x)
        close(M, wanted, 1e-12)
        close(n(COMPLEMENT, x), wanted, 1e-12)
        torques = n(px.inverse_dynamics.conventional, x, rates, changes)
        close(M @ changes - forces.ravel(), torques, 1e-12)


def test_5_blocks_of_the_complement_are_where_paths_are():
    # the torso's C, rho and rho × C share the pattern of its U⁻¹
    torso = px.library.torso()
    bodies = centred_bodies(model_in_given_frames(torso), ca.SX.sym("q", 6))
    filled = np.zeros((6, 6), dtype=int)
    for i, j in reaches(bodies):
        filled[i, j] = 1
    np.testing.assert_array_equal(filled, torso.path_matrix)
    rows = ["".join(map(str, row)).rstrip("0") for row in torso.path_matrix]
    assert rows == ["1", "11", "101", "1011", "10001", "100011"]


def test_5_matrices_of_figure_3_1():
    # branches {1, 2, 3} and {1, 4, 5}; the rows of body 4 that the scan of appendix B has lost
    rng = np.random.default_rng(31)

    def link(name: str, parent: str | None = None) -> HingedLink:
        alpha, mass, *vectors = rng.uniform(-90, 90), rng.uniform(1, 2), *rng.uniform(-1, 1, (2, 3))
        return HingedLink(
            name, alpha, mass, tuple(vectors[0]), (1, 1, 1), tuple(vectors[1]), parent
        )

    links = [link("1"), link("2"), link("3"), link("4", "1"), link("5")]
    tree = hinged("figure_3_1", links)
    assert [tree.path_matrix[i].tolist() for i in (2, 3, 4)] == [
        [1, 1, 1, 0, 0],
        [1, 0, 0, 1, 0],
        [1, 0, 0, 1, 1],
    ]
    q, v = ca.SX.sym("q", 5), ca.SX.sym("v", 5)
    forms = mixed_frames(model_in_given_frames(tree), q, v)
    angles = rng.uniform(-3, 3, 5)
    U, Q = (np.array(x) for x in ca.Function("f", [q], [forms.U, ca.densify(forms.Q)])(angles))
    assert U[9, ::3].tolist() == [-1, 0, 0, 1, 0]
    n = Numbers(tree)
    A_1, A_4 = (n(px.equations.forward_kinematics, angles, frame=b)[:3, :3] for b in ("1", "4"))
    l_14, k_4 = np.array(links[3].hinge), np.array(links[3].k)
    row = np.zeros((3, 15))
    row[:, :3], row[:, 9:12] = -A_1 @ skew(l_14), A_4 @ skew(k_4)
    np.testing.assert_allclose(Q[9:12], row, rtol=0, atol=1e-14)


def test_terms_of_a_bodys_own_joint_are_constants():
    # F20: what stands on the diagonals of C and rho is known beforehand
    M = Numbers(px.library.puma600()).function(COMPLEMENT)
    q = ca.SX.sym("q", 6)
    assert M(q)[5, 5].is_constant()
    assert not M(q)[4, 4].is_constant()


def test_symmetric_blocks_of_joints_of_several_freedoms():
    """F20: half of M is computed, the rest is its mirror; rotors and point masses count too."""
    ball = px.Joint("ball", "base", "arm", Spherical(), rotor_inertia=0.02, gear_ratio=2.0)
    hinge = px.Joint(
        *("hinge", "arm", "weight", Revolute((0.0, 0.0, 1.0))),
        Pose(translation=np.array([0.3, -0.1, 0.2])),
        rotor_inertia=0.05,
        gear_ratio=3.0,
    )
    arm = px.Body("arm", 2.0, np.array([0.1, 0.2, -0.1]), np.diag([0.3, 0.2, 0.4]))
    weight = px.Body("weight", 1.5, np.array([0.5, 0.0, 0.0]))  # a point: no inertia of its own
    machine = px.Mechanism("pendulum", [px.Body("base"), arm, weight], [ball, hinge])
    given = model_in_given_frames(machine)
    assert centred_bodies(given, ca.SX.sym("q", 5))[1].J.is_zero()
    n, by_given = Numbers(machine), Numbers(given)
    for q in machine.random_positions(5, seed=20):
        M = n(COMPLEMENT, q)
        np.testing.assert_array_equal(M[:3, 3], M[3, :3])
        close(M, M.T, 1e-15)  # within a joint all nine are computed
        close(M, n.mass_matrix(q), 1e-12)
        close(by_given(COMPLEMENT, q), M, 1e-12)
        close(n(px.mass_matrix.in_root_frame.accumulated_inertia, q), M, 1e-12)
        # what the rotors add, and the point mass on its arm, by hand
        assert M[3, 3] == pytest.approx(1.5 * 0.5**2 + 0.05 * 9, rel=1e-12)
        still = replace(
            machine, joints=[replace(joint, rotor_inertia=0) for joint in machine.joints]
        )
        np.testing.assert_allclose(
            M - Numbers(still)(COMPLEMENT, q), np.diag([0.08] * 3 + [0.45]), rtol=0, atol=1e-12
        )


def test_5_relabelling_branches_permutes_the_matrix_and_nothing_else():
    torso = px.library.torso()
    swapped = px.Mechanism("swapped", torso.bodies, list(torso.joints)[::-1], gravity=torso.gravity)
    assert [j.name for j in swapped.joints] != [j.name for j in torso.joints]
    order = [torso.v_slices[joint.name].start for joint in swapped.joints]
    q = torso.random_positions(seed=6)
    M = Numbers(torso)(COMPLEMENT, q)
    close(Numbers(swapped)(COMPLEMENT, q[order]), M[np.ix_(order, order)], 1e-14)


# -- check 6 -------------------------------------------------------------------------------------

FIVE, SIX = 0.5e-5 * 1.001, 0.5e-6 * 1.001
STATE = (np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.array([0.6, 0.5, 0.4, 0.3, 0.2, 0.1]))


def profile(t: float, period: float) -> tuple[np.ndarray, ...]:
    w = 2 * np.pi / period
    values = (w * t - np.sin(w * t)) / 2, (w - w * np.cos(w * t)) / 2, w * w * np.sin(w * t) / 2
    return tuple(np.full(6, x) for x in values)


@pytest.mark.parametrize("inverse", INVERSE, **NAMED)
def test_6_torques_along_the_profiles(inverse):
    puma, torso = Numbers(px.library.puma600()), Numbers(px.library.torso_as_printed())
    for t, wanted in (
        (0.0, (0, -69.71323, -0.48167, 0, 0, 0)),
        (2.5, (3.6037, -76.98941, -13.59989, 0.06615, -0.05354, 0.00581)),
        (5.0, (-0.0645, 0.41187, 0.46762, 0.09667, 0.00392, 0)),
        (7.5, (-3.52965, 76.05402, 12.64165, -0.06147, 0.08531, -0.0003)),
        (10.0, (0, 68.74989, -0.48167, 0, 0, 0)),
    ):
        np.testing.assert_allclose(puma(inverse, *profile(t, 10.0)), wanted, rtol=0, atol=FIVE)
    wanted = (-2.12236, -5.886, 11.34228, 0.46427, 11.34228, 0.46427)
    np.testing.assert_allclose(torso(inverse, *profile(2.5, 5.0)), wanted, rtol=0, atol=FIVE)


@pytest.mark.parametrize("solve", [None, cholesky, lu], ids=["along_the_tree", "cholesky", "lu"])
def test_6_accelerations_without_torque(solve):
    options = {} if solve is None else {"solve": solve}
    for machine, state, wanted in (
        (
            px.library.puma600,
            STATE,
            (-0.158781, 6.108585, -3.284603, 0.331757, -1.987493, -0.364339),
        ),
        (
            px.library.torso_as_printed,
            STATE,
            (-0.103527, 11.650938, -2.309286, -17.209485, -7.43907, -13.127972),
        ),
        (
            px.library.cat215b,
            (np.array([0.1, 0.5, -1.2, -0.5]), np.array([0.2, -0.1, 0.3, 0.1])),
            (-0.024659, -1.425012, -1.044203, 2.429899),
        ),
    ):
        a = Numbers(machine())(FORWARD, *state, 0 * state[0], **options)
        np.testing.assert_allclose(a, wanted, rtol=0, atol=SIX)


def test_6_inertia_and_weight_at_zero_angles():
    excavator, zero = Numbers(px.library.cat215b()), np.zeros(4)
    wanted = [
        [145082.8151, -110.528, -51.968, -40.96],
        [-110.528, 80419.26, 13474, 2178],
        [-51.968, 13474, 4130.64, 846.8],
        [-40.96, 2178, 846.8, 386],
    ]
    np.testing.assert_allclose(excavator(COMPLEMENT, zero), wanted, rtol=0, atol=0.5e-4 * 1.001)
    weight = excavator(INVERSE[0], zero, zero, zero)
    np.testing.assert_allclose(
        weight, (0, 120131.298, 17626.608, 2511.36), rtol=0, atol=0.5e-3 * 1.001
    )
    M = Numbers(px.library.torso_as_printed())(COMPLEMENT, np.zeros(6))
    assert M[0, 0] == pytest.approx(2.99655, abs=FIVE)


def test_the_printed_sign_of_the_force_vector_throws_the_machine_upwards():
    # eq. 4.1 adds what has to be taken away (gap G1): the boom would rise by its own weight
    excavator = Numbers(px.library.cat215b())
    q, zero = np.zeros(4), np.zeros(4)
    weight = excavator(INVERSE[0], q, zero, zero)
    falls = excavator(FORWARD, q, zero, zero)
    np.testing.assert_allclose(excavator(COMPLEMENT, q) @ falls, -weight, rtol=0, atol=1e-6)
    assert falls[1] < 0 < np.linalg.solve(excavator(COMPLEMENT, q), weight)[1]


# -- check 24 ------------------------------------------------------------------------------------


def four_bar_inertia(lengths, masses, angle: float) -> float:
    """What the crank of a planar four-bar feels, from its geometry alone."""
    ground, crank, coupler, rocker = lengths
    radius = ground / 40

    def rates(h: float) -> tuple[complex, complex, float, float]:
        knee = crank * np.exp(1j * (angle + h))
        across = ground - knee
        reach = abs(across)
        bend = np.arccos((reach**2 + coupler**2 - rocker**2) / (2 * reach * coupler))
        tilt = np.angle(across) + bend
        pin = knee + coupler * np.exp(1j * tilt)
        return knee, pin, tilt, np.angle(pin - ground)

    def derivative(k: int, h: float = 1e-3):
        values = {far: rates(far * h)[k] for far in (-3, -2, -1, 1, 2, 3)}
        change = sum(w * (values[far] - values[-far]) for w, far in ((45, 1), (-9, 2), (1, 3)))
        return change / (60 * h)

    knee, pin, tilt, swing = (derivative(k) for k in range(4))
    about = [
        m * (length**2 / 12 + radius**2 / 4) for m, length in zip(masses, lengths[1:], strict=True)
    ]
    return float(
        masses[0] * crank**2 / 4
        + about[0]
        + masses[1] * abs((knee + pin) / 2) ** 2
        + about[1] * tilt**2
        + masses[2] * (rocker / 2) ** 2 * swing**2
        + about[2] * swing**2
    )


@pytest.mark.parametrize("angle", [0.3, 1.1, 2.5, 4.0])
def test_24_closed_inertia_is_that_of_a_four_bar_by_its_geometry(angle):
    lengths, masses = (0.7, 0.2, 0.6, 0.5), (1.0, 2.0, 1.5)
    bar = px.library.four_bar(lengths, masses, angle=angle)
    n, zero = Numbers(bar), np.zeros(3)
    T = np.array(n.function(px.loops.complete_motion)(zero, 1.0, 0.0)[0])
    wanted = four_bar_inertia(lengths, masses, angle)
    # G' M_r G of the tree, and P' diag P within the method: unit torque on the crank at rest
    M_c = (T.T @ n(COMPLEMENT, zero) @ T).item()
    assert M_c == pytest.approx(wanted, rel=1e-8)
    push = np.array([1.0, 0, 0])
    pushed = n(px.loops.orthogonal_complement, zero, zero, push)
    free = n(px.loops.orthogonal_complement, zero, zero, 0 * push)
    assert 1 / (pushed - free)[0] == pytest.approx(wanted, rel=1e-8)


def test_24_a_moving_four_bar_has_the_accelerations_of_its_energy():
    # M_c z' + M_c' z²/2 + V' = tau, in the angle of the crank alone
    lengths, masses, angle, rate = (0.7, 0.2, 0.6, 0.5), (1.0, 2.0, 1.5), 1.1, 3.0
    bar = px.library.four_bar(lengths, masses, angle=angle, gravity=(0, 0, 0))
    n = Numbers(bar)
    v, _ = n(px.loops.complete_motion, np.zeros(3), [rate], [0.0])
    a = n(px.loops.orthogonal_complement, np.zeros(3), v, np.array([0.4, 0, 0]))
    h = 1e-3
    inertia = {far: four_bar_inertia(lengths, masses, angle + far * h) for far in (-2, -1, 0, 1, 2)}
    slope = (8 * (inertia[1] - inertia[-1]) - (inertia[2] - inertia[-2])) / (12 * h)
    assert a[0] == pytest.approx((0.4 - slope * rate**2 / 2) / inertia[0], rel=1e-8)


def four_bar_joints(lengths, at: float) -> np.ndarray:
    """Angles of the joints: crank to ground, coupler to crank, rocker to ground."""
    ground, crank, coupler, rocker = lengths
    across = ground - crank * np.exp(1j * at)
    reach = abs(across)
    bend = np.arccos((reach**2 + coupler**2 - rocker**2) / (2 * reach * coupler))
    tilt = np.angle(across) + bend
    pin = crank * np.exp(1j * at) + coupler * np.exp(1j * tilt)
    return np.array([at, tilt - at, np.angle(pin - ground)])


def four_bar_ratios(lengths, angle: float) -> np.ndarray:
    """Rates of the joints for a unit rate of the crank."""
    h = 1e-3
    changes = [
        w * (four_bar_joints(lengths, angle + far * h) - four_bar_joints(lengths, angle - far * h))
        for w, far in ((45, 1), (-9, 2), (1, 3))
    ]
    return sum(changes) / (60 * h)


def four_bar_rotors(lengths, rotors, angle: float) -> float:
    """What rotors at crank, coupler and rocker add to the inertia that the crank feels."""
    return float(np.sum(rotors * four_bar_ratios(lengths, angle) ** 2))


@pytest.mark.parametrize("angle", [0.3, 1.1, 2.5, 4.0])
def test_24_rates_of_a_four_bar_and_how_they_change(angle):
    # F59: v = G z, a = G z' + G' z, against the geometry
    lengths, rate, change, h = (0.7, 0.2, 0.6, 0.5), 3.0, -2.0, 1e-3
    n = Numbers(px.library.four_bar(lengths, angle=angle))
    v, a = n(px.loops.complete_motion, np.zeros(3), [rate], [change])
    ratios = {far: four_bar_ratios(lengths, angle + far * h) for far in (-2, -1, 0, 1, 2)}
    slope = (8 * (ratios[1] - ratios[-1]) - (ratios[2] - ratios[-2])) / (12 * h)
    close(v, ratios[0] * rate, 1e-9)
    close(a, ratios[0] * change + slope * rate**2, 1e-8)


@pytest.mark.parametrize("angle", [0.3, 1.1, 2.5, 4.0])
def test_24_rotors_in_a_loop_turn_as_fast_as_the_loop_lets_them(angle):
    # F59: M_c and, as ratios change with the angle, what is left of M_c' z²/2
    lengths, masses, rate = (0.7, 0.2, 0.6, 0.5), (1.0, 2.0, 1.5), 3.0
    names, rotors = ("crank", "coupler", "rocker"), np.array([0.02, 0.3, 0.15])
    bare = px.library.four_bar(lengths, masses, angle=angle, gravity=(0, 0, 0))
    by_name = dict(zip(names, rotors.tolist(), strict=True))
    bar = replace(
        bare,
        joints=[replace(j, rotor_inertia=by_name[j.name] / 4, gear_ratio=2.0) for j in bare.joints],
    )
    n = Numbers(bar)
    v, _ = n(px.loops.complete_motion, np.zeros(3), [rate], [0.0])
    h = 1e-3
    inertia = {
        far: four_bar_inertia(lengths, masses, angle + far * h)
        + four_bar_rotors(lengths, rotors, angle + far * h)
        for far in (-2, -1, 0, 1, 2)
    }
    assert inertia[0] > 1.1 * four_bar_inertia(lengths, masses, angle)
    slope = (8 * (inertia[1] - inertia[-1]) - (inertia[2] - inertia[-2])) / (12 * h)
    a = n(px.loops.orthogonal_complement, np.zeros(3), v, np.array([0.4, 0, 0]))
    assert a[0] == pytest.approx((0.4 - slope * rate**2 / 2) / inertia[0], rel=1e-8)
    close(a, n(px.loops.multipliers, np.zeros(3), v, np.array([0.4, 0, 0])), 1e-9)


def test_24_a_ball_joint_is_three_hinges_in_one_point():
    body = px.Body("limb", 2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.4, 0.5]))
    place = Pose(translation=np.array([0.4, 0.1, -0.2]))
    hinge = px.Body("root", 1.0)
    ball = px.Mechanism("ball", [hinge, body], [px.Joint("j", "root", "limb", Spherical(), place)])
    x, y, z = np.eye(3)
    hinges = px.Mechanism(
        "hinges",
        [hinge, px.Body("a"), px.Body("b"), body],
        [
            px.Joint("x", "root", "a", Revolute(x), place),
            px.Joint("y", "a", "b", Revolute(y)),
            px.Joint("z", "b", "limb", Revolute(z)),
        ],
    )
    angles = np.array([0.3, -0.7, 1.1])
    n3, n1 = Numbers(hinges), Numbers(ball)
    R = n3(px.equations.forward_kinematics, angles, frame="limb")[:3, :3]
    # w = G da: the axes of the hinges in the limb
    G = R.T @ n3(px.equations.jacobian, angles, frame="limb")[3:]
    M = n1(COMPLEMENT, _quaternion(R))
    close(n3(COMPLEMENT, angles), G.T @ M @ G, 1e-12)


def _quaternion(R: np.ndarray) -> np.ndarray:
    """(x, y, z, w) of a rotation by less than half a turn."""
    w = np.sqrt(1 + np.trace(R)) / 2
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    return np.r_[axis, w]
