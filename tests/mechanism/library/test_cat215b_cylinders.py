"""The excavator with cylinders: the thesis's masses, pins with levers, a linkage that closes."""

from functools import cache
from itertools import pairwise
from math import radians

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.mechanism import library
from phalanx.mechanism.library.cat215b_cylinders import LIMITS, OPERATED, cat215b_posture
from phalanx.view.plots.draw import body_poses

PLAIN, MACHINE = library.cat215b(), library.cat215b_cylinders()
BUCKET_AT_ZERO = [(0.0, 0.0, 0.0, 0.0), (0.3, 0.5, -1.2, 0.0), (-1.0, -0.6, -2.4, 0.0)]


def place(mechanism, q, name):
    frame = mechanism.frame(name)
    pose = body_poses(mechanism, q)[mechanism.body_index(frame.body)] @ frame.pose
    return pose.translation


def cylinder(q, name):
    ends = [place(MACHINE, q, f"{name}_cylinder_{end}") for end in ("base", "rod")]
    return float(np.linalg.norm(ends[1] - ends[0]))


def reduced(q):
    """How all joints move with the operated ones: columns of G in v = G v_operated."""
    A = np.asarray(closure_derivative()(q))
    return np.vstack([np.eye(4), -np.linalg.solve(A[:, 4:], A[:, :4])])


@cache
def closure_derivative():
    return derivative_function(model_of(MACHINE))


def angles(name, count):
    """Angles over the working range of an operated joint."""
    return np.linspace(*LIMITS[f"{name}_hinge"], count)


def test_it_has_the_freedoms_of_the_plain_machine_and_none_of_its_closures_follows_from_others():
    x = assemble(MACHINE)
    np.testing.assert_array_equal(x.q, MACHINE.neutral())
    assert (x.mobility, x.redundant, x.is_singular) == (4, 0, False)
    assert tuple(MACHINE.q_slices)[:4] == OPERATED
    assert [joint.name for joint in MACHINE.actuated_joints] == ["cab_hinge"]


@pytest.mark.parametrize("name", ["stick_tip", "teeth", "bucket_centre", "operator_eye"])
def test_the_same_angles_are_the_same_posture(name):
    posture = (0.4, 0.7, -1.5, -0.9)
    places = [place(m, cat215b_posture(m, *posture), name) for m in (PLAIN, MACHINE)]
    np.testing.assert_allclose(places[0], places[1], atol=1e-12)


def test_the_linkage_closes_wherever_the_bucket_is_and_stays_far_from_singular():
    before = None
    for bucket in angles("bucket", 61):
        q = cat215b_posture(MACHINE, 0.2, 0.5, -1.5, bucket)
        assert not closed_loops(MACHINE).open_loops(q, 1e-14)
        # one way of putting it together: no joint jumps from one angle to the next
        assert before is None or np.abs(q - before).max() < 0.1
        before = q
        A = np.asarray(closure_derivative()(q))
        assert np.linalg.cond(A[:, 4:]) < 4


def test_postures_that_do_not_exist_are_refused():
    with pytest.raises(InvalidInput, match="finite"):
        cat215b_posture(MACHINE, boom=np.nan)
    with pytest.raises(InvalidInput, match="no Caterpillar"):
        cat215b_posture(library.puma560())


@pytest.mark.parametrize("name", ["boom", "stick", "bucket"])
def test_cylinders_have_levers_and_strokes_that_a_cylinder_can_have(name):
    swing = angles(name, 31)
    lengths = np.array([cylinder(cat215b_posture(MACHINE, **{name: x}), name) for x in swing])
    sign = 1 if name == "boom" else -1  # extending raises the boom, and pulls in and curls
    levers = sign * np.diff(lengths) / np.diff(swing)
    assert levers.min() > 0.12 and levers.max() < 0.81
    # a cylinder is its stroke twice and its ends when it is out
    assert lengths.max() / lengths.min() < 1.7
    strut = next(s for s in MACHINE.struts if s.name == f"{name}_cylinder")
    assert strut.length < lengths.min() and lengths.max() < 2 * strut.length


def test_the_bucket_is_a_hoe():
    """With the stick upright its edge is below the hinge and curls towards the cab."""
    open_, curled = (
        cat215b_posture(MACHINE, 0.0, radians(20), radians(-110), bucket)
        for bucket in (0.0, radians(-60))
    )
    hinge = place(MACHINE, open_, "stick_tip")
    teeth = place(MACHINE, open_, "teeth") - hinge
    assert teeth[2] < -1 and abs(teeth[0]) < 0.3
    assert (place(MACHINE, open_, "bucket_centre") - hinge)[0] > 0.3  # the shell is outside
    assert (place(MACHINE, curled, "teeth") - hinge)[0] < -0.9
    height = [place(MACHINE, q, "ear")[2] for q in (open_, curled)]
    assert height[1] < height[0]  # pushed down by the linkage on the stick's back


@pytest.mark.parametrize("posture", BUCKET_AT_ZERO)
def test_with_the_bucket_at_zero_it_weighs_and_moves_as_the_thesis_machine(posture):
    plain, machine = Numbers(PLAIN), Numbers(MACHINE)
    q0, q = cat215b_posture(PLAIN, *posture), cat215b_posture(MACHINE, *posture)
    G = reduced(q)
    g0, g = plain(eq.gravity, q0), G.T @ machine(eq.gravity, q)
    M0, M = plain.mass_matrix(q0), G.T @ machine.mass_matrix(q) @ G
    held = slice(0, 3)
    np.testing.assert_allclose(g[held], g0[held], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(M[held, held], M0[held, held], rtol=1e-12, atol=1e-9)
    # link and coupler (50 of 1200 kg) do not turn with the bucket: its own row differs a little
    scale = np.sqrt(np.diag(M0) * M0[3, 3])
    assert np.abs((M - M0)[3] / scale).max() < 0.01
    assert abs(g[3] - g0[3]) < 50.0  # of up to 3600 N·m


def test_masses_are_the_thesis_ones_and_physical():
    total = sum(body.mass for body in MACHINE.bodies)
    assert total == pytest.approx(sum(body.mass for body in PLAIN.bodies))
    for body in MACHINE.bodies[1:]:
        small, middle, large = np.linalg.eigvalsh(body.inertia)
        assert small > 0 and small + middle > large


@pytest.mark.parametrize("build", [library.cat215b, library.cat215b_cylinders])
def test_a_payload_weighs_at_the_centre_of_the_bucket(build):
    machine = build(payload=True)
    q = cat215b_posture(machine, 0.1, 0.2, -1.2, -0.4)
    loaded = Numbers(machine, ("payload.mass",))
    J = Numbers(machine)(eq.jacobian, q, frame="bucket_centre")
    empty, full = (loaded(eq.gravity, q, [mass]) for mass in (0.0, 700.0))
    np.testing.assert_allclose(full - empty, 700.0 * 9.81 * J[2], rtol=1e-9, atol=1e-6)
    unloaded = Numbers(build())(eq.gravity, cat215b_posture(build(), 0.1, 0.2, -1.2, -0.4))
    np.testing.assert_allclose(empty, unloaded, rtol=1e-12, atol=1e-9)


def test_cylinders_do_work_at_the_rate_of_their_joints():
    """A force in the bucket's cylinder turns the bucket by its lever, whatever the linkage does."""
    q = cat215b_posture(MACHINE, 0.0, 0.3, -1.5, -0.5)
    G, n = reduced(q), Numbers(MACHINE)
    ends = [f"bucket_cylinder_{end}" for end in ("base", "rod")]
    J = [n(eq.jacobian, q, frame=end)[:3] @ G for end in ends]
    reach = place(MACHINE, q, ends[1]) - place(MACHINE, q, ends[0])
    rate = reach / np.linalg.norm(reach) @ (J[1] - J[0])  # of the length, per operated joint
    np.testing.assert_allclose(rate[:3], 0, atol=1e-12)
    step = 1e-5
    lengths = [
        cylinder(cat215b_posture(MACHINE, 0.0, 0.3, -1.5, -0.5 + d), "bucket")
        for d in (step, -step)
    ]
    assert rate[3] == pytest.approx((lengths[0] - lengths[1]) / (2 * step), rel=1e-7)


def test_it_falls_and_keeps_its_energy_and_its_loop():
    q = cat215b_posture(MACHINE, 0.1, 0.5, -1.2, -0.5)
    run = px.simulate(MACHINE, q, np.zeros(6), duration=0.3, step=5e-3)
    n = Numbers(MACHINE)
    energy = [
        n(eq.kinetic_energy, q, v) + n(eq.potential_energy, q)
        for q, v in zip(run["q"][::20], run["v"][::20], strict=True)
    ]
    moving = n(eq.kinetic_energy, run["q"][-1], run["v"][-1])
    assert moving > 5e3 and all(abs(b - a) < 1e-6 * moving for a, b in pairwise(energy))
    assert not closed_loops(MACHINE).open_loops(run["q"][-1], 1e-9)
