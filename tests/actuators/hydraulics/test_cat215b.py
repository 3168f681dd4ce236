from __future__ import annotations

from math import radians

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.actuators.hydraulics.cat215b import cat215b_hydraulics
from phalanx.equations.loops import projection
from phalanx.equations.model_of import model_of
from phalanx.mechanism.library.cat215b_cylinders import cat215b_cylinders, cat215b_posture

from .machines import integrated

MACHINE = cat215b_cylinders()
MODEL = model_of(MACHINE)
CIRCUIT = cat215b_hydraulics()
OPERATED = ("cab_hinge", "boom_hinge", "stick_hinge", "bucket_hinge")
NAMES = ("swing", "boom", "stick", "bucket")


@pytest.fixture(scope="module")
def rates():
    n, size = MACHINE.nv, len(CIRCUIT.pressure_labels)
    x, command = SX.sym("x", 2 * n + size), SX.sym("command", 4)
    q, v, s = x[:n], x[n : 2 * n], x[2 * n :]
    tau, rate = CIRCUIT.act(MODEL, q, v, s, command)
    a = projection(MODEL, q, v, tau, independent=OPERATED)
    f = ca.Function("f", [x, command], [ca.vertcat(v, a, rate)], {"cse": True})
    return lambda y, u: np.asarray(f(y, u))[:, 0]


def start(**angles):
    q = cat215b_posture(MACHINE, **angles)
    return np.array([*q, *np.zeros(MACHINE.nv), *CIRCUIT.initial(MACHINE, q)])


def postures():
    limits = [MACHINE.joint(name) for name in OPERATED[1:]]
    grid = [np.linspace(float(j.lower[0]), float(j.upper[0]), 4) for j in limits]
    return [
        dict(zip(NAMES[1:], angles, strict=True))
        for angles in np.stack(np.meshgrid(*grid), -1).reshape(-1, 3)
    ]


def test_commands_in_order():
    assert CIRCUIT.commands(MACHINE) == NAMES


def test_strokes_end_where_the_joints_do():
    q = SX.sym("q", MACHINE.nq)
    positions = ca.Function("positions", [q], [CIRCUIT.positions(MODEL, q)])
    for k, name in enumerate(NAMES[1:], 1):
        own, joint = CIRCUIT.actuators[name], MACHINE.joint(OPERATED[k])
        ends = [
            float(positions(cat215b_posture(MACHINE, **{name: float(limit[0])}))[k])
            for limit in (joint.lower, joint.upper)
        ]
        reach = [own.closed_length, own.closed_length + own.stroke]
        np.testing.assert_allclose(sorted(ends), reach, atol=1e-3)
        # a barrel holds its rod
        assert own.stroke < own.closed_length


def test_it_stands_still_at_its_starts_in_every_posture(rates):
    """The loop of the bucket's linkage is reduced: accelerations with loops closed are zero."""
    qs = np.array([cat215b_posture(MACHINE, **angles) for angles in postures()])
    states = CIRCUIT.initial(MACHINE, qs)
    for q, s in zip(qs, states, strict=True):
        x = np.array([*q, *np.zeros(MACHINE.nv), *s])
        acceleration = rates(x, np.zeros(4))[MACHINE.nv : 2 * MACHINE.nv]
        assert np.abs(acceleration).max() < 1e-9
    # it carries itself with less than half of the pump's pressure
    assert states[:, :-1].max() < 14e6


def test_stall_torques_are_near_those_of_the_source():
    """Wong 1991: 107, 334, 77, 87 kN·m; mean levers are stroke by the joint's way."""
    torques = {}
    for name, hinge in zip(NAMES, OPERATED, strict=True):
        own = CIRCUIT.actuators[name]
        joint = MACHINE.joint(hinge)
        lever = own.stroke / float(joint.upper[0] - joint.lower[0]) if name != "swing" else 1.0
        pressure = min(CIRCUIT.pump.pressure, own.valve.relief.pressure)
        torques[name] = own.displacements[0] * pressure * lever / 1e3
    assert torques["swing"] == pytest.approx(107, rel=0.05)
    assert torques["boom"] == pytest.approx(334, rel=0.05)
    assert torques["bucket"] == pytest.approx(87, rel=0.1)
    assert 77 < torques["stick"] < 250  # a real stick is stronger than the source's


ATOL = np.array([1e-7] * 12 + [10.0] * 9)


def test_swing_reaches_eleven_turns_a_minute(rates):
    end = integrated(rates, start(boom=radians(30)), [(3.5, [1, 0, 0, 0])], rtol=1e-4, atol=ATOL)[
        -1
    ]
    assert end[6] * 60 / (2 * np.pi) == pytest.approx(11.0, abs=0.3)


def test_boom_rises_in_about_five_seconds(rates):
    joint = MACHINE.joint("boom_hinge")
    lowest, highest = float(joint.lower[0]), float(joint.upper[0])
    begin = start(boom=lowest + 0.01)
    path = integrated(rates, begin, [(4.0, [0, 1, 0, 0])], rtol=1e-4, atol=ATOL)
    assert path[-1][1] < highest - 0.1
    end = integrated(rates, path[-1], [(1.5, [0, 1, 0, 0])], rtol=1e-4, atol=ATOL)[-1]
    # it rests on its stop
    assert end[1] == pytest.approx(highest, abs=0.02)
    assert (np.array(path)[:, 12:] > 0).all()
