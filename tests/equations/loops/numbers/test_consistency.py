"""Motions that loops do not allow are refused: which loop, by how much, and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.numbers.consistency import CONSISTENT

LEGS = [f"leg_{i}" for i in range(1, 7)]


@pytest.fixture(scope="module")
def stewart() -> px.Dynamics:
    return px.Dynamics(px.library.stewart(), actuated=LEGS)


@pytest.fixture(scope="module")
def state(stewart):
    """Closed, in motion, and away from symmetry."""
    m = stewart.mechanism
    rng = np.random.default_rng(4)
    guess = np.concatenate([0.05 * rng.standard_normal(3), [0.05, -0.1, 0.1, 1.0], np.zeros(18)])
    return px.assemble(m, guess, 0.5 * rng.standard_normal(m.nv), np.zeros(m.nv))


def point_masses(body: px.Body) -> list[tuple[float, np.ndarray]]:
    """Six points with the mass, the centre and the inertia of a body."""
    values, axes = np.linalg.eigh(body.inertia)
    second = values.sum() / 2 - values  # ∫x² dm along the principal axes
    arms = [
        np.sqrt(max(0.0, s) * 3 / body.mass) * axis for s, axis in zip(second, axes.T, strict=True)
    ]
    return [(body.mass / 6, body.com + sign * arm) for arm in arms for sign in (1, -1)]


def leg_forces(mechanism: px.Mechanism, pose, h: float = 2e-3) -> np.ndarray:
    """Forces in the legs of a Stewart platform by Newton and Euler, leg by leg.

    Every body is a set of points; where they are follows from the platform's pose in closed form,
    and their accelerations from differences of sixth order in time. A leg takes no moment about the
    two axes of its universal joint, which gives the force across it; the six forces along
    the legs carry the platform; and what a rod needs by itself comes on top.
    """
    weights = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90]) / h**2
    times = h * np.arange(-3, 4)

    def inertial(body, place):
        """Mass times (acceleration less gravity) of a body's points, and where they are."""
        found = []
        for mass, point in point_masses(body):
            path = np.array([R @ point + p for R, p in map(place, times)])
            found.append((path[3], mass * (weights @ path - mechanism.gravity)))
        return found

    bodies = {body.name: body for body in mechanism.bodies}
    p0 = pose(0.0)[1]
    wanted = inertial(bodies["platform"], pose)
    load = np.concatenate([sum(f for _, f in wanted), sum(np.cross(x - p0, f) for x, f in wanted)])
    columns, across_legs, rods = [], [], []
    for i in range(1, 7):
        seat = mechanism.joint(f"universal_{i}").pose
        ball = mechanism.frame(f"ball_{i}").pose.translation

        def leg(t, seat=seat, ball=ball):
            """Rotation of the leg, its end and the second axis of its universal joint."""
            R, p = pose(t)
            end = R @ ball + p
            u = seat.rotation.T @ (end - seat.translation)
            u = u / np.linalg.norm(u)
            pitch, roll = np.arcsin(u[0]), np.arctan2(-u[1], u[2])
            c, s = np.cos(roll), np.sin(roll)
            first = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
            c, s = np.cos(pitch), np.sin(pitch)
            second = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
            return seat.rotation @ first @ second, end, seat.rotation @ first[:, 1]

        barrel = inertial(
            bodies[f"barrel_{i}"], lambda t, leg=leg, s=seat: (leg(t)[0], s.translation)
        )
        rod = inertial(bodies[f"rod_{i}"], lambda t, leg=leg: leg(t)[:2])
        R, end, second = leg(0.0)
        axes = np.array([seat.rotation[:, 0], second])
        along = R[:, 2]
        moment = sum(np.cross(x - seat.translation, f) for x, f in [*barrel, *rod])
        # of the ball's force on the leg, what is across it: axes · (arm × across) = axes · moment
        arm = end - seat.translation
        lever = np.array([np.cross(axis, arm) for axis in axes])
        across = np.linalg.lstsq(np.vstack([lever, along]), [*(axes @ moment), 0.0], rcond=None)[0]
        across_legs.append((end - p0, across))
        columns.append(np.concatenate([along, np.cross(end - p0, along)]))
        rods.append(along @ (sum(f for _, f in rod) - across))
    carried = sum(np.concatenate([-F, np.cross(x, -F)]) for x, F in across_legs)
    on_platform = np.linalg.solve(np.array(columns).T, load - carried)
    return on_platform + np.array(rods)


def test_motors_of_a_stewart_platform_by_newton_and_euler(stewart, state):
    """Platform accelerated; legs left out is an error, completed legs give the right forces."""
    m, q = stewart.mechanism, state.q
    joint = m.joint("platform").pose
    rng = np.random.default_rng(0)
    V, A = rng.standard_normal((2, 6))
    X = stewart.forward_kinematics(q, frame="platform")

    def pose(t):
        """A motion with that velocity and acceleration, to third order in time."""
        w = t * V[3:] + t**2 / 2 * A[3:]
        angle = np.linalg.norm(w)
        K = np.cross(np.eye(3), w / angle) if angle else np.zeros((3, 3))
        turn = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        return turn @ X[:3, :3], X[:3, 3] + t * V[:3] + t**2 / 2 * A[:3]

    full = stewart.complete_motion_of_frame(q, V, A, frame="platform")
    assert joint.rotation.trace() == 3.0  # velocities of the joint are the platform's
    tau = stewart.actuation(q, full.v, full.a).tau
    np.testing.assert_allclose(tau, leg_forces(m, pose), rtol=1e-6)

    alone = np.concatenate([full.a[:6], np.zeros(18)])
    with pytest.raises(px.InconsistentMotion, match="complete_motion") as caught:
        stewart.actuation(q, full.v, alone)
    assert caught.value.loop.startswith("ball_") and caught.value.residual > 0.1
    wrong = stewart.actuation(q, full.v, alone, check=False).tau
    assert np.abs(wrong - tau).max() > 0.5  # what was silently returned


def test_a_frame_and_held_joints_and_free_ones_give_one_motion(stewart, state):
    """Three ways to the accelerations of all joints."""
    m, q, v, frame = stewart.mechanism, state.q, state.v, "platform"
    a = np.concatenate([np.random.default_rng(1).standard_normal(6), np.zeros(18)])
    held = px.assemble(m, q, v, a, held=["platform"])
    np.testing.assert_array_equal(held.a[:6], a[:6])
    stewart.check_loops(q, held.v, held.a)
    V = stewart.frame_velocity(q, held.v, frame=frame)
    A = stewart.frame_acceleration(q, held.v, held.a, frame=frame)
    of_frame = stewart.complete_motion_of_frame(q, V, A, frame=frame)
    np.testing.assert_allclose(of_frame.a, held.a, atol=1e-9)
    free = list(stewart.free_velocities)
    assert [m.v_slices[leg].start for leg in LEGS] == free
    of_legs = stewart.complete_motion(q, held.v[free], held.a[free])
    np.testing.assert_allclose(of_legs.v, held.v, atol=1e-9)
    np.testing.assert_allclose(of_legs.a, held.a, atol=1e-9)


def test_nearest_accelerations_are_the_projection(state):
    """Least change, and none to what already fits."""
    m = px.library.stewart()
    again = px.assemble(m, state.q, state.v, state.a)
    np.testing.assert_allclose(again.a, state.a, atol=1e-10)
    wanted = np.random.default_rng(1).standard_normal(m.nv)
    found = px.assemble(m, state.q, state.v, wanted)
    # the change is square to every motion that the loops allow
    along = px.assemble(m, state.q, np.random.default_rng(2).standard_normal(m.nv)).v
    assert abs((found.a - wanted) @ along) < 1e-9
    assert px.assemble(m, state.q, state.v).a is None


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3)])
def test_the_first_thing_that_is_wrong_is_named_with_its_sample(stewart, state, batch):
    q, v, a = (np.broadcast_to(x, (*batch, len(x))).copy() for x in (state.q, state.v, state.a))
    stewart.check_loops(q, v, a)
    worst = tuple(n - 1 for n in batch)
    a[(*worst, 11)] += 1e-3  # leg_2
    with pytest.raises(px.InconsistentMotion, match=r"accelerations .*'ball_2'") as caught:
        stewart.actuation(q, v, a)
    assert caught.value.sample == worst
    assert caught.value.residual == pytest.approx(1e-3)
    assert ("in sample" in str(caught.value)) == (np.prod(batch) > 1)
    v[(*worst, 11)] += 1e-3
    with pytest.raises(px.InconsistentMotion, match=r"velocities .*'ball_2'.*assemble"):
        stewart.actuation(q, v, a)
    q[(*worst, 12)] += 1e-3
    with pytest.raises(
        px.InconsistentMotion, match=r"positions .*'ball_2' open by 0\.001.*assemble"
    ):
        stewart.actuation(q, v, a)
    q[(*worst, 0)] = np.nan
    with pytest.raises(px.InvalidInput, match=r"positions .* NaN"):
        stewart.actuation(q, v, a)


def test_the_tolerance_is_the_one_that_is_stated(stewart, state):
    """1e-6 of the size of the motion."""
    size = np.sqrt(1 + state.a @ state.a + (state.v @ state.v) ** 2)
    off = np.zeros(24)
    off[11] = 1.0  # a slide: its acceleration opens the loop by as much
    stewart.check_loops(state.q, state.v, state.a + 0.9e-6 * size * off)
    with pytest.raises(px.InconsistentMotion):
        stewart.check_loops(state.q, state.v, state.a + 1.1e-6 * size * off)
    assert CONSISTENT["float64"] == 1e-6


def test_single_precision_is_not_taken_for_an_open_loop():
    m = px.library.planar_3rrr()
    d = px.Dynamics(m, dtype="float32")
    rng = np.random.default_rng(0)
    for _ in range(20):
        guess = m.neutral() + 0.05 * rng.standard_normal(m.nq)
        x = px.assemble(m, guess, *(10 * rng.standard_normal((2, m.nv))))
        d.check_loops(*(part.astype(np.float32) for part in (x.q, x.v, x.a)))
        with pytest.raises(px.InconsistentMotion):
            d.check_loops(x.q, x.v, x.a * 1.01)


def test_empty_batches_and_machines_without_loops_pass(stewart):
    none = np.zeros((0, 25)), np.zeros((0, 24)), np.zeros((0, 24))
    assert stewart.actuation(*none).tau.shape == (0, 6)
    px.Dynamics(px.library.puma560()).check_loops(np.ones(6), np.ones(6), np.ones(6))


def test_reduced_quantities_want_closed_loops_and_free_joints_that_tell(stewart, state):
    apart = state.q.copy()
    apart[2] += 0.01
    for call in (
        lambda: stewart.reduced_gravity(apart),
        lambda: stewart.reduced_mass_matrix(apart),
        lambda: stewart.complete_motion(apart, np.zeros(6), np.zeros(6)),
        lambda: stewart.complete_motion_of_frame(apart, *np.zeros((2, 6)), frame="platform"),
    ):
        with pytest.raises(px.InconsistentMotion, match="positions"):
            call()
    # a slider at its dead point does not say where its crank goes
    m = px.library.slider_crank()
    d = px.Dynamics(m, actuated=["slider"])
    dead = px.assemble(m).q
    message = r"\(slider\) do not determine .*independent="
    for call in (
        lambda: d.complete_motion(dead, [0.0], [0.0]),
        lambda: d.reduced_mass_matrix(dead),
        lambda: d.actuation(dead, np.zeros(3), np.zeros(3)),
    ):
        with pytest.raises(px.InvalidInput, match=message):
            call()


def test_frames_that_cannot_move_so_or_do_not_tell_here():
    linkage = px.Dynamics(px.library.four_bar())
    q = px.assemble(linkage.mechanism).q
    aside = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    for V, A in ((aside, 0 * aside), (0 * aside, aside)):
        with pytest.raises(px.InvalidInput, match=r"'coupler' .* cannot move .* off by .* in V"):
            linkage.complete_motion_of_frame(q, V, A, frame="coupler")
    arm = px.Dynamics(px.library.puma560())
    straight = np.array([[0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [0.3, 0.4, 0.5, 0.6, 0.0, 0.8]])
    arm.complete_motion_of_frame(straight[0], aside, aside, frame="tool")
    with pytest.raises(px.InvalidInput, match=r"5 of the 6 .* at this posture in sample 1; 1 more"):
        arm.complete_motion_of_frame(straight, np.zeros(6), np.zeros(6), frame="tool")


def test_held_joints_that_cannot_accelerate_so():
    m = px.library.four_bar()
    q = px.assemble(m).q
    with pytest.raises(px.InvalidInput, match=r"no accelerations .* \(crank, rocker\) .* fewer"):
        px.assemble(m, q, None, [1.0, 0.0, -1.0], held=["crank", "rocker"])
    with pytest.raises(px.InvalidInput, match="acceleration has shape"):
        px.assemble(m, q, None, [1.0])


def test_quantities_of_the_tree_say_so():
    linkage = px.Dynamics(px.library.four_bar())
    for name in ("inverse_dynamics", "mass_matrix", "bias", "gravity"):
        doc = getattr(px.Dynamics, name).__doc__
        assert re.search(r"spanning tree.*(actuation|reduced_)", doc, re.S), name
        assert getattr(linkage, f"tree_{name}") is getattr(linkage, name)
        assert getattr(px.Dynamics, f"reduced_{name}").__doc__
    text = linkage.info()
    assert "tree_mass_matrix" in text and "reduced_mass_matrix" in text
    assert "tree_" not in px.Dynamics(px.library.chain(2)).info()


def test_reduced_quantities_of_a_tree_are_its_own():
    d = px.Dynamics(px.library.double_pendulum())
    q, v, a = np.random.default_rng(0).standard_normal((3, 4, 2))
    np.testing.assert_array_equal(d.reduced_mass_matrix(q), d.mass_matrix(q))
    np.testing.assert_array_equal(d.reduced_bias(q, v), d.bias(q, v))
    np.testing.assert_array_equal(d.reduced_gravity(q), d.gravity(q))
    out = np.empty((4, 2))
    assert d.reduced_inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, d.inverse_dynamics(q, v, a))
    np.testing.assert_array_equal(d.complete_motion(q, v, a).a, a)


def test_batches_of_reduced_quantities_are_samples_side_by_side():
    m = px.library.planar_3rrr()
    motors = [joint.name for joint in m.actuated_joints]
    d = px.Dynamics(m, actuated=motors)
    x = px.assemble(m, None, *np.random.default_rng(0).standard_normal((2, m.nv)))
    q, free = np.tile(x.q, (3, 1)), list(d.free_velocities)
    v, a = x.v[free], x.a[free]
    one = d.reduced_inverse_dynamics(x.q, v, a)
    np.testing.assert_array_equal(d.reduced_inverse_dynamics(q, v, a)[2], one)
    with_bias = d.reduced_mass_matrix(q)[1] @ a + d.reduced_bias(q, v)[1]
    np.testing.assert_allclose(with_bias, one, rtol=1e-9)
    np.testing.assert_allclose(one, d.actuation(q, x.v, x.a).tau[0], rtol=1e-9)
    out = np.empty((3, 3)), np.empty((3, 6))
    assert d.actuation(q, v=x.v, a=x.a, out=out).tau is out[0]
    still = d.reduced_inverse_dynamics(x.q, 0 * v, 0 * a)
    np.testing.assert_allclose(d.reduced_gravity(x.q), still, atol=1e-12)


def test_numbers_that_stay_open_go_with_every_check():
    """A length and a mass as arguments: loops close with the length they are given."""
    m = px.library.four_bar()
    shift = m.joint("rocker").pose.translation
    d = px.Dynamics(
        m,
        actuated=["crank"],
        parameters=["coupler.mass", "rocker.position"],
        wrenches=["coupler_end"],
    )
    q = px.assemble(m, [1.2, 0.0, 0.0], held=["crank"]).q
    numbers = 2.0, shift
    v, a = d.complete_motion(q, [1.0], [2.0], *numbers)
    wrench = np.array([3.0, 0.0, -5.0, 0.0, 1.0, 0.0])
    tau = d.actuation(q, v, a, *numbers, wrench).tau
    named = {"coupler_mass": 2.0, "rocker_position": shift, "wrench_coupler_end": wrench}
    np.testing.assert_array_equal(d.actuation(q, v, a, **named).tau, tau)
    same = d.reduced_inverse_dynamics(q, [1.0], [2.0], *numbers, wrench)
    np.testing.assert_allclose(same, tau, rtol=1e-10)
    assert abs(tau - d.actuation(q, v, a, *numbers, np.zeros(6)).tau) > 0.1
    V = d.frame_velocity(q, v, *numbers, frame="coupler")
    A = d.frame_acceleration(q, v, a, *numbers, frame="coupler")
    of_frame = d.complete_motion_of_frame(q, V, A, *numbers, frame="coupler")
    np.testing.assert_allclose(of_frame.a, a, atol=1e-10)
    longer = shift + np.array([0.01, 0.0, 0.0])
    for call in (
        lambda: d.actuation(q, v, a, 2.0, longer, wrench),
        lambda: d.actuation(q, v, a, **named | {"rocker_position": longer}),
        lambda: d.reduced_gravity(q, 2.0, longer),
        lambda: d.complete_motion(q, [1.0], [2.0], 2.0, longer),
    ):
        with pytest.raises(px.InconsistentMotion, match=r"'pin' open by 0\.01"):
            call()
