from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations import forward_kinematics
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Frame, Joint, Mechanism, Pose, Revolute, Spherical

from .machines import CYLINDER, cylinder, pendulum


def chain(last) -> Mechanism:
    """Ground, cab about z, boom and stick; pins on cab and stick."""

    def at(*xyz):
        return Pose(translation=np.array(xyz, dtype=float))

    def body(name):
        return Body(name, 1.0, np.array([0.3, 0.1, 0.0]), np.eye(3))

    y = Revolute(np.array([0.0, 1.0, 0.0]))
    return Mechanism(
        "hoe",
        [Body("ground"), body("cab"), body("boom"), body("stick")],
        [
            Joint("swing", "ground", "cab", Revolute()),
            Joint("boom", "cab", "boom", y, at(0.5, 0, 0.4)),
            Joint("stick", "boom", "stick", last, at(2.0, 0, 0)),
        ],
        [
            Frame("base_pin", "cab", at(0.9, 0.1, -0.2)),
            Frame("boom_pin", "boom", at(1.0, 0.0, 0.2)),
            Frame("rod_pin", "stick", at(0.4, -0.1, 0.5)),
        ],
    )


Y = Revolute(np.array([0.0, 1.0, 0.0]))


def test_length_is_the_distance_of_the_pins_and_the_swing_does_not_enter():
    machine = chain(Y)
    model, q = model_of(machine), SX.sym("q", 3)
    L = cylinder().length(model, q)
    pins = [forward_kinematics(model, q, frame=name)[:3, 3] for name in ("rod_pin", "base_pin")]
    f = ca.Function("f", [q], [L, ca.norm_2(pins[0] - pins[1])])
    for x in np.random.default_rng(1).uniform(-2, 2, (20, 3)):
        ours, apart = (float(y) for y in f(x))
        assert ours == pytest.approx(apart, rel=1e-13)
    assert not ca.which_depends(L, q)[0]


def test_arms_are_the_slopes_of_the_length_and_do_the_work_of_the_force():
    machine = chain(Y)
    model, q = model_of(machine), SX.sym("q", 3)
    travel = cylinder().travel(model, q)
    f = ca.Function("f", [q], [travel.position, ca.densify(travel.arms)])
    x, h = np.array([0.3, -0.4, 0.9]), 1e-6
    arms = np.asarray(f(x)[1])[0]
    slopes = [(float(f(x + h * e)[0]) - float(f(x - h * e)[0])) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(arms, slopes, atol=1e-9)
    assert arms[0] == 0


def test_area_ratio_and_number():
    one, two = cylinder(), cylinder(number=2)
    head, rod = one.displacements
    assert head == pytest.approx(np.pi / 4 * 0.1**2)
    assert rod / head == pytest.approx(1 - (0.07 / 0.1) ** 2)
    assert two.displacements == pytest.approx((2 * head, 2 * rod))


def test_chambers_fill_each_other():
    x = SX.sym("x")
    volumes = ca.Function("v", [x], list(cylinder().volumes(x)))
    closed, stroke = CYLINDER["closed_length"], CYLINDER["stroke"]
    head, rod = cylinder().displacements
    dead = CYLINDER["dead_volume"]
    for out in (0.0, 0.3, stroke):
        V = [float(y) for y in volumes(closed + out)]
        np.testing.assert_allclose(V, [dead + head * out, dead + rod * (stroke - out)], rtol=1e-12)
    # beyond the ends, where the stops give, no chamber vanishes
    assert float(volumes(closed - 0.5)[0]) == dead == float(volumes(closed + stroke + 0.5)[1])


def test_stops_push_back_and_never_pull():
    x, v = SX.sym("x"), SX.sym("v")
    stop = ca.Function("stop", [x, v], [cylinder().stop(x, v)])
    closed, stroke = CYLINDER["closed_length"], CYLINDER["stroke"]
    assert float(stop(closed + 1e-9, -3.0)) == 0 == float(stop(closed + stroke - 1e-9, 3.0))
    for speed in (-5.0, 0.0, 5.0):
        assert float(stop(closed - 1e-3, speed)) >= 0
        assert float(stop(closed + stroke + 1e-3, speed)) <= 0
    assert float(stop(closed - 1e-3, 0.0)) == pytest.approx(CYLINDER["stop_stiffness"] * 1e-3)
    assert float(stop(closed - 1e-3, -0.1)) > float(stop(closed - 1e-3, 0.1))


def test_joints_of_several_axes_between_the_pins_are_refused():
    with pytest.raises(InvalidInput, match=r"joint 'stick', which moves about a point"):
        cylinder().check(model_of(chain(Spherical())))


def test_joints_of_several_axes_elsewhere_do_no_harm():
    machine = chain(Spherical())
    only_boom = cylinder(rod="boom_pin")
    only_boom.check(model_of(machine))
    q = SX.sym("q", machine.nq)
    arms = only_boom.travel(model_of(machine), q).arms
    assert arms.shape == (1, machine.nv)
    assert [bool(arms[0, k].nnz()) for k in range(3)] == [False, True, False]


def test_frames_that_are_not_there_or_do_not_move_are_refused():
    with pytest.raises(UnknownName, match=r"no frame 'rod_pn'\. Did you mean 'rod_pin'"):
        cylinder(rod="rod_pn").check(model_of(pendulum()))
    with pytest.raises(InvalidInput, match="do not move against each other"):
        cylinder(base="beam").check(model_of(pendulum()))
