from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.machines.excavator.cylinder_design import lengths_and_levers, stick_cylinder
from phalanx.mechanism.library.cat215b_cylinders import LIMITS, STICK_BASE, cat215b_posture


def test_lengths_and_levers_are_those_of_the_library():
    """The table of ``cat215b_cylinders``, and its frames in the machine's own kinematics."""
    angles = np.linspace(*LIMITS["stick_hinge"], 40)
    lengths, levers = lengths_and_levers(STICK_BASE, angles)
    assert lengths[[0, -1]] == pytest.approx([3.62, 2.21], abs=0.005)
    assert np.abs(levers).min() == pytest.approx(0.32, abs=0.005)
    assert np.abs(levers).max() == pytest.approx(0.80, abs=0.005)
    machine = px.library.cat215b_cylinders()
    dynamics = px.Dynamics(machine)
    posture = cat215b_posture(machine, 0.0, 0.3, angles[11], 0.0)
    base, rod = (
        dynamics.forward_kinematics(posture, frame=f"stick_cylinder_{end}")[:3, 3]
        for end in ("base", "rod")
    )
    assert np.linalg.norm(rod - base) == pytest.approx(lengths[11], rel=1e-12)


def test_levers_are_derivatives_of_lengths():
    angles = np.linspace(-2.5, -0.6, 9)
    ahead, behind = (lengths_and_levers((2.4, 1.1), angles + h)[0] for h in (1e-6, -1e-6))
    _, levers = lengths_and_levers((2.4, 1.1), angles)
    np.testing.assert_allclose(levers, (ahead - behind) / 2e-6, atol=1e-9)


def test_work_of_a_stroke_is_pressure_times_oil():
    """The mean torque over the angle is the work: pressure times the oil of the stroke."""
    told = stick_cylinder({})
    angles = np.linspace(*LIMITS["stick_hinge"], 4001)
    _, levers = lengths_and_levers(STICK_BASE, angles)
    work = 28e6 * np.pi / 4 * 0.110**2 * np.trapezoid(np.abs(levers), angles)
    assert work == pytest.approx(28e6 * told["oil"], rel=1e-6)
    assert told["weakest_torque"] == pytest.approx(84e3, rel=0.02)  # as the hydraulics say


def test_a_thicker_cylinder_is_stronger_and_slower():
    thin, thick = stick_cylinder({"bore": 0.1}), stick_cylinder({"bore": 0.2})
    assert thick["weakest_torque"] == pytest.approx(4 * thin["weakest_torque"])
    assert thick["time_in"] == pytest.approx(4 * thin["time_in"])
    assert thick["length_ratio"] == thin["length_ratio"]


def test_designs_that_cannot_be_built_say_why():
    with pytest.raises(px.InvalidInput, match=r"no lever to pull with at .*°"):
        stick_cylinder({"base_x": 5.2, "base_y": 1.0})
    with pytest.raises(px.InvalidInput, match=r"times as long when it is out"):
        stick_cylinder({"base_x": 3.6, "base_y": 0.9})
