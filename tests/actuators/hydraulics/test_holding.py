from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.actuators.hydraulics import Relief
from phalanx.actuators.hydraulics.holding import holding_forces
from phalanx.base.errors import InvalidInput
from phalanx.equations.model_of import model_of

from .machines import CENTRE, GRAVITY, MASS, TANK, cylinder, hydraulics, pendulum, sledge, valve

from .machines import SLEDGE_MASS, pendulum_rates  # isort: skip


def test_holding_pressure_is_the_moment_over_lever_and_area():
    machine, own, angle = pendulum(), cylinder(), 0.25
    q = SX.sym("q", 1)
    travel = own.travel(model_of(machine), q)
    lever = float(ca.Function("arms", [q], [travel.arms])(angle))
    head, rod = own.displacements
    expected = (MASS * GRAVITY * CENTRE * np.cos(angle) / lever + TANK * rod) / head
    pressures = hydraulics().initial(machine, np.array([angle]))
    np.testing.assert_allclose(pressures, [expected, TANK, 22e6], rtol=1e-12)


def test_at_holding_pressures_nothing_moves_whatever_the_batch():
    machine, circuit = pendulum(), hydraulics()
    angles = np.linspace(-0.1, 0.3, 6).reshape(2, 3, 1)
    states = circuit.initial(machine, angles)
    assert states.shape == (2, 3, 3)
    for angle, s in zip(angles.reshape(-1), states.reshape(-1, 3), strict=True):
        assert abs(pendulum_rates(np.array([angle, 0.0, *s]), 0.0)[1]) < 1e-13


def test_a_pulling_weight_is_held_by_the_rod_side():
    machine, circuit = sledge(gravity=(GRAVITY, 0.0, 0.0)), hydraulics()
    _, rod = circuit.actuators["lift"].displacements
    head_area = circuit.actuators["lift"].displacements[0]
    s = circuit.initial(machine, np.array([0.3]))
    assert s[0] == TANK
    assert s[1] == pytest.approx((SLEDGE_MASS * GRAVITY + head_area * TANK) / rod, rel=1e-12)
    forces = holding_forces(circuit.actuators, machine, np.array([0.3]))
    assert forces[0] == pytest.approx(-SLEDGE_MASS * GRAVITY, rel=1e-12)


def test_a_weight_beyond_the_relief_valves_is_refused():
    weak = cylinder(valve=valve(relief=Relief(1e6, 1e5, 1e-3)))
    with pytest.raises(InvalidInput, match=r"'lift' would need .* MPa to hold 'pendulum' still"):
        hydraulics(actuators={"lift": weak}).initial(pendulum(), np.array([0.2]))


def test_a_start_beyond_the_stroke_is_refused():
    with pytest.raises(InvalidInput, match=r"cylinder 'lift' would be .* m long"):
        hydraulics().initial(pendulum(), np.array([1.5]))
