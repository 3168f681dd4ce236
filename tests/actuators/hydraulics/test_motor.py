from __future__ import annotations

import numpy as np
import pytest
from casadi import SX

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Joint, Mechanism, Spherical

from .machines import MPA, hydraulics, integrated, motor, right_hand_side, turntable, valve


def test_travel_is_the_joint_itself():
    machine = turntable()
    travel = motor().travel(model_of(machine), SX.sym("q", 1))
    assert float(travel.arms[0, 0]) == 1 and travel.arms.shape == (1, 1)


def test_unfit_joints_are_refused():
    with pytest.raises(UnknownName, match=r"no joint 'swong'\. Did you mean 'swing'"):
        motor(joint="swong").check(model_of(turntable()))
    ball = Mechanism(
        "ball",
        [Body("ground"), Body("ball", 1.0, np.zeros(3), np.eye(3))],
        [Joint("swing", "ground", "ball", Spherical())],
    )
    with pytest.raises(InvalidInput, match="has 3 axes"):
        motor().check(model_of(ball))


def test_either_way_is_the_mirror_image():
    """Equal displacements: with a valve of equal ways the motor has no preferred direction."""

    own = motor(valve=valve(drain_a=valve().drain_b), viscous=2e3, coulomb=100.0)
    circuit = hydraulics(actuators={"swing": own})
    machine = turntable()
    f = right_hand_side(machine, circuit)
    x = np.array([0.4, 0.1, 3 * MPA, 1 * MPA, 20 * MPA])
    mirrored = np.array([-0.4, -0.1, 1 * MPA, 3 * MPA, 20 * MPA])
    there, back = (np.asarray(f(*at))[:, 0] for at in ((x, 0.7), (mirrored, -0.7)))
    np.testing.assert_allclose(back[[0, 1, 3, 2, 4]], there * [-1, -1, 1, 1, 1], rtol=1e-12)


def test_shut_motor_drifts_by_its_leakage():
    """Ports shut, torque τ on the joint: Δp = τ / D, all oil it displaces passes the leak.

    The speed is leakage · Δp / D = leakage · τ / D².
    """
    leakage, torque = 5e-11, -2e4
    own = motor(leakage=leakage)
    circuit = hydraulics(actuators={"swing": own}, initial_pressures={"swing.b": 1 * MPA})
    machine = turntable()
    f = right_hand_side(machine, circuit, load=lambda q, v: torque - 4e4 * v)
    # the start: pressures that carry the torque
    x = np.array([0, 0, 20 * MPA, 10 * MPA, 22 * MPA])
    end = integrated(lambda y, u: np.asarray(f(y, u))[:, 0], x, [(3.0, 0.0)], rtol=1e-8)[-1]
    held = (end[2] - end[3]) * own.displacement
    assert end[1] == pytest.approx(-leakage * held / own.displacement**2, rel=1e-6)
    assert held == pytest.approx(-(torque - 4e4 * end[1]), rel=1e-6)
