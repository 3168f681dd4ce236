"""Contacts that roll without slip: closed forms of a ball, a disk, a sleigh, vehicles."""

from functools import lru_cache

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx.equations import energy as energy_of
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.mechanism import Blade, Floating, Planar, RollingContact
from phalanx.mechanism.library.wheeled import WheeledPlatform, differential_drive, team
from phalanx.simulation.formulations import Adaptive, RollingMotion, RungeKutta, run

G = 9.81
M, R = 2.0, 0.15


def nothing(t, q, v):
    return np.zeros(len(v))


def largest(formulation, history):
    """What slips, or is off the ground or open, at worst."""
    states = zip(history.q, history.v, strict=True)
    return max(np.abs(off).max() for q, v in states for off in formulation.off(q, v))


@lru_cache(maxsize=4)
def rolling_body(kind, slope=0.0):
    """A free ball or thin disk of mass M on a plane whose x falls with a slope."""
    gravity = G * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    moments = M * R**2 * np.array([2 / 5] * 3 if kind == "ball" else [1 / 4, 1 / 4, 1 / 2])
    body = px.Body("body", M, inertia=np.diag(moments))
    machine = px.Mechanism(
        kind, [px.Body("ground"), body], [px.Joint("free", "ground", "body", Floating())],
        gravity=gravity,
    )  # fmt: skip
    axis = None if kind == "ball" else np.array([0.0, 0.0, 1.0])
    return RollingMotion(machine, [RollingContact("touch", "body", R, axis)])


def turned(tilt, spin):
    """Quaternion (x, y, z, w) of a turn about x, then about the new z."""
    a, b = tilt / 2, spin / 2
    return np.array(
        [
            np.sin(a) * np.cos(b),
            -np.sin(a) * np.sin(b),
            np.cos(a) * np.sin(b),
            np.cos(a) * np.cos(b),
        ]
    )


def test_a_ball_on_a_slope():
    """a = 5/7 g sin(slope), and friction carries 2/7 of the weight's part along it."""
    slope = 0.2
    ball = rolling_body("ball", slope)
    q = np.array([0.0, 0.0, R, 0.0, 0.0, 0.0, 1.0])
    errors = []
    for step in (0.01, 0.005):
        found = run(ball, q, np.zeros(6), nothing, duration=1.0, steps=RungeKutta(step))
        way = 5 / 7 * G * np.sin(slope) * found.t**2 / 2
        errors.append(np.abs(found.q[:, 0] - way).max())
    # the integrator's own error, of fourth order: velocities are in axes of a ball that turns
    assert errors[1] < 2e-8 and errors[0] / errors[1] == pytest.approx(16, rel=0.1)
    np.testing.assert_allclose(found.q[:, 2], R, rtol=0, atol=1e-12)
    force = ball.forces(found.q[-1], found.v[-1], np.zeros(6))["touch"]
    weight = M * G
    expected = [-2 / 7 * weight * np.sin(slope), 0.0, weight * np.cos(slope)]
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-10)


def test_a_ball_on_a_table_rolls_straight_whatever_its_spin():
    """Spin about the vertical changes nothing; what slips at first is taken away."""
    ball = rolling_body("ball")
    q = np.array([0.0, 0.0, R, 0.0, 0.0, 0.0, 1.0])
    with pytest.raises(px.InvalidInput, match="velocities are off"):
        ball.begin(q, np.array([1.0, 0.0, 0.0, 0.0, 0.0, 3.0]))
    q, v = ball.nearest(q, np.array([1.0, 0.0, 0.0, 0.0, 0.0, 3.0]))
    # an impulse at the ground leaves m v - I w / r of the ball: 5/7 of the speed
    assert v[:3] == pytest.approx((5 / 7, 0.0, 0.0), abs=1e-14)
    found = run(ball, q, v, nothing, duration=1.0, steps=RungeKutta(5e-3))
    np.testing.assert_allclose(found.q[-1, :3], [5 / 7, 0.0, R], rtol=0, atol=1e-7)


@pytest.mark.parametrize("tilt", [0.3, 0.8, 1.2])
def test_a_disk_that_rolls_in_a_circle(tilt):
    """Steady precession W of a disk whose axle leans by ``tilt`` from the vertical, spin n.

    I_d W² sin cos - (I_a + m r²) W n sin - m g r cos = 0, with n the whole rate about the axle.
    """
    diametral, axial = M * R**2 / 4, M * R**2 / 2
    W = 6.0
    s, c = np.sin(tilt), np.cos(tilt)
    n = (diametral * W**2 * s * c - M * G * R * c) / ((axial + M * R**2) * W * s)
    disk = rolling_body("disk")
    # the axle leans from z towards -y; the lowest point is ahead of the centre along the slope
    q = np.array([0.0, 0.0, R * s, *turned(tilt, 0.0)])
    spins = np.array([0.0, W * s, n])  # in axes of the disk: W along the vertical, the rest axial
    to_ground = np.array([0.0, -R, 0.0])
    v = np.concatenate([-np.cross(spins, to_ground), spins])
    q, v = disk.nearest(q, v)
    np.testing.assert_allclose(v[3:], spins, rtol=0, atol=1e-12)
    found = run(disk, q, v, nothing, duration=2.0, steps=RungeKutta(2e-3))
    x, y = found.q[:, 3:5].T
    upright = 1 - 2 * (x**2 + y**2)
    np.testing.assert_allclose(upright, c, rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.q[:, 2], R * s, rtol=0, atol=1e-7)
    # the centre goes round a circle of radius |n r / W|, at the rate W
    speed = np.linalg.norm(found.v[:, :3], axis=1)
    np.testing.assert_allclose(speed, R * abs(n), rtol=0, atol=1e-6)
    turns = 2 * np.pi / W
    k = round(turns / 2e-3)
    np.testing.assert_allclose(found.q[k, :2], found.q[0, :2], rtol=0, atol=2 * R * abs(n) * 2e-3)


def test_a_disk_keeps_its_energy_while_it_wobbles():
    disk = rolling_body("disk")
    q = np.array([0.0, 0.0, R * np.sin(1.0), *turned(1.0, 0.0)])
    q, v = disk.nearest(q, np.array([1.0, 0.3, -0.2, 0.5, -2.0, -8.0]))
    found = run(disk, q, v, nothing, duration=1.0, steps=RungeKutta(1e-3))
    energy = Numbers(disk.mechanism)
    E = [energy(energy_of, a, b) for a, b in zip(found.q[::100], found.v[::100], strict=True)]
    assert np.ptp(found.q[:, 2]) > 1e-3  # it wobbles
    np.testing.assert_allclose(E, E[0], rtol=1e-8)
    assert largest(disk, found) < 1e-12


def test_the_sleigh_of_chaplygin():
    """A blade with the mass centre ahead of it ends going straight: w = w0 / cosh(k t)."""
    ahead, moment, w0 = 0.2, 0.05, 3.0
    body = px.Body("sleigh", M, np.array([ahead, 0.0, 0.0]), np.diag([0.02, 0.04, moment]))
    machine = px.Mechanism(
        "sleigh", [px.Body("ice"), body], [px.Joint("slide", "ice", "sleigh", Planar())]
    )
    sleigh = RollingMotion(machine, [Blade("edge", "sleigh")])
    assert sleigh.freedoms(machine.neutral()) == 2
    found = run(
        sleigh, machine.neutral(), np.array([0.0, 0.0, w0]), nothing,
        duration=3.0, steps=RungeKutta(5e-3),
    )  # fmt: skip
    last = w0 * np.sqrt((moment + M * ahead**2) / M)
    k = ahead * w0**2 / last
    np.testing.assert_allclose(found.v[:, 2], w0 / np.cosh(k * found.t), rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.v[:, 0], last * np.tanh(k * found.t), rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.v[:, 1], 0.0, rtol=0, atol=1e-13)
    # what the ice bears sideways turns the sleigh: m (dv/dt + w v) of its mass centre
    v, w = found.v[0, 0], found.v[0, 2]
    slows = -M * ahead * v * w / (moment + M * ahead**2)
    force = sleigh.forces(found.q[0], found.v[0], np.zeros(3))["edge"]
    np.testing.assert_allclose(force, [0.0, M * (w * v + ahead * slows), 0.0], atol=1e-12)


SIZES = WheeledPlatform()
WHEEL = SIZES.wheel_mass * SIZES.radius**2 / 2  # about the axle


def drive(machine, **torques):
    """Constant torques of wheels."""
    tau = np.zeros(machine.nv)
    for name, torque in torques.items():
        tau[machine.v_slices[name]] = torque
    return lambda t, q, v: tau


@lru_cache(maxsize=1)
def vehicle():
    wheeled = differential_drive()
    return RollingMotion(wheeled.mechanism, wheeled.contacts)


def test_two_wheels_on_one_axle_leave_two_freedoms():
    """Six equations for five velocities: heights hold by themselves, one sideways is twice said."""
    car = vehicle()
    assert car.mechanism.nv == 5 and car.freedoms(car.mechanism.neutral()) == 2


def test_a_vehicle_speeds_up_by_its_wheels():
    """Straight ahead: (m + 2 I / r²) a = 2 tau / r; on the spot: the same of moments."""
    car, tau = vehicle(), 0.3
    m = car.mechanism
    r, half = SIZES.radius, SIZES.track / 2
    start = m.neutral(), np.zeros(5)
    whole = SIZES.mass + 2 * SIZES.wheel_mass + 2 * WHEEL / r**2
    both = drive(m, wheel_left=tau, wheel_right=tau)
    found = run(car, *start, both, duration=1.0, steps=RungeKutta(0.02))
    np.testing.assert_allclose(found.q[-1, 0], tau / r / whole, rtol=1e-10)
    np.testing.assert_allclose(found.q[-1, 3:], found.q[-1, 0] / r, rtol=1e-10)
    spin = SIZES.moment + 2 * (SIZES.wheel_mass * half**2 + WHEEL / 2) + 2 * WHEEL * (half / r) ** 2
    against = drive(m, wheel_left=-tau, wheel_right=tau)
    found = run(car, *start, against, duration=1.0, steps=RungeKutta(0.02))
    np.testing.assert_allclose(found.v[-1, 2], 2 * tau * half / r / spin, rtol=1e-9)
    np.testing.assert_allclose(found.q[-1, :2], 0.0, atol=1e-9)


def test_many_steps_arrive_at_the_end():
    """Each step begins anew where nothing slips; their times add up but for rounding."""
    ball = rolling_body("ball", 0.2)
    q = np.array([0.0, 0.0, R, 0.0, 0.0, 0.0, 1.0])
    found = run(ball, q, np.zeros(6), nothing, duration=1.0, steps=RungeKutta(2.5e-3))
    assert found.steps == 400 and found.t[-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("steps", [RungeKutta(0.01), Adaptive(1e-9, 1e-9)], ids=["fixed", "free"])
def test_a_vehicle_without_torque_goes_round_a_circle(steps):
    """Both wheels keep their speed, as the axle's middle is its mass centre."""
    car = vehicle()
    r, half, left, right = SIZES.radius, SIZES.track / 2, 6.0, 9.0
    speed, turning = r * (left + right) / 2, r * (right - left) / (2 * half)
    v = np.array([speed, 0.0, turning, left, right])
    found = run(car, car.mechanism.neutral(), v, nothing, duration=2.0, steps=steps)
    t = found.t
    np.testing.assert_allclose(found.v, np.tile(v, (len(t), 1)), rtol=0, atol=1e-9)
    circle = speed / turning * np.stack([np.sin(turning * t), 1 - np.cos(turning * t)], axis=1)
    np.testing.assert_allclose(found.q[:, :2], circle, rtol=0, atol=1e-7)


def test_wheels_that_slip_are_refused():
    car = vehicle()
    with pytest.raises(px.InvalidInput, match=r"velocities are off .* by 0\.1"):
        car.begin(car.mechanism.neutral(), np.array([0.0, 0.1, 0.0, 0.0, 0.0]))
    with pytest.raises(px.InvalidInput, match="a name of its own"):
        RollingMotion(car.mechanism, car.contacts[:1] * 2)
    with pytest.raises(px.InvalidModel, match="radius of rolling contact 'w'"):
        RollingContact("w", "wheel", 0.0)


@lru_cache(maxsize=1)
def carriers():
    wheeled = team()
    return RollingMotion(wheeled.mechanism, wheeled.contacts)


def test_a_team_carries_its_load_straight():
    """All four wheels alike: (masses + 4 I / r²) a = 4 tau / r, and pins share the load's pull."""
    pair, tau, load = carriers(), 0.5, 5.0
    m = pair.mechanism
    assert m.nv == 13 and pair.freedoms(m.neutral()) == 3
    wheels = [joint.name for joint in m.actuated_joints]
    assert len(wheels) == 4
    control = drive(m, **dict.fromkeys(wheels, tau))
    found = run(pair, m.neutral(), np.zeros(13), control, duration=1.0, steps=RungeKutta(0.02))
    r = SIZES.radius
    whole = 2 * (SIZES.mass + 2 * SIZES.wheel_mass) + load + 4 * WHEEL / r**2
    np.testing.assert_allclose(found.q[-1, m.q_slices["load"]][0], 2 * tau / r / whole, rtol=1e-9)
    np.testing.assert_allclose(found.q[-1, m.q_slices["load"]][1:], 0.0, atol=1e-9)


def test_a_team_that_is_driven_apart_keeps_its_loops_and_its_energy_balance():
    """Wheels push differently: loops stay closed, nothing slips, work of motors is energy."""
    pair = carriers()
    m = pair.mechanism
    tau = {"a_wheel_left": 0.4, "a_wheel_right": 0.6, "b_wheel_left": 0.5, "b_wheel_right": 0.35}
    control = drive(m, **tau)
    found = run(pair, m.neutral(), np.zeros(13), control, duration=2.0, steps=RungeKutta(5e-3))
    assert max(np.abs(closed_loops(m).search.openings(q)).max() for q in found.q) < 1e-12
    assert largest(pair, found) < 1e-12
    heading = found.q[-1, m.q_slices["a_platform"]][2] - found.q[-1, m.q_slices["b_platform"]][2]
    assert abs(heading) > 0.01  # they head apart
    numbers = Numbers(m)
    E = [numbers(energy_of, found.q[k], found.v[k]) for k in (0, -1)]
    turned = {name: found.q[-1, m.q_slices[name]].item() for name in tau}
    work = sum(torque * turned[name] for name, torque in tau.items())
    assert E[1] - E[0] == pytest.approx(work, rel=1e-7)
    # the load weighs on nothing here: planar joints hold it, wheels bear no more than they must
    for force in pair.forces(found.q[-1], found.v[-1], control(0, None, None)).values():
        assert np.isfinite(force).all()
