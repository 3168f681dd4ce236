"""Excavators ready to work: what joysticks mean, runs, fleets."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.machines.excavator import (
    cylinder_excavator,
    joint_experiment,
    resolved_experiment,
    rotary_excavator,
)
from phalanx.machines.excavator.excavator import mode_number

SMALL = np.array([0.1, 0.05, -0.1, 0.2])


def test_deflections_become_rates_or_speeds():
    excavator = rotary_excavator()
    sticks = np.array([[1.0, -1.0, 0.5, 0.0], [0.0] * 4])
    joint = excavator.commands(sticks, "JOINT")
    np.testing.assert_allclose(joint, sticks * excavator.joint_rates)
    np.testing.assert_allclose(
        excavator.commands(sticks, "RESOLVED"), sticks * (0.4, 0.8, 0.3, 0.2)
    )


def test_modes_have_numbers():
    assert mode_number("JOINT") == [0.0] and mode_number("RESOLVED") == [1.0]
    with pytest.raises(InvalidInput, match="JOINT, RESOLVED"):
        mode_number("resolved")
    with pytest.raises(InvalidInput, match="JOINT, RESOLVED"):
        rotary_excavator().run(SMALL, 0.1, mode="ARM")


def test_a_run_in_another_mode():
    excavator = rotary_excavator()
    run = excavator.run(SMALL, 0.5, mode="RESOLVED")
    same = rotary_excavator(mode="RESOLVED").run(SMALL, 0.5)
    other = excavator.run(SMALL, 0.5)
    np.testing.assert_array_equal(run["q"], same["q"])
    assert np.abs(run["q"] - other["q"]).max() > 1e-3


def test_control_comes_once_a_step_of_the_source():
    excavator = rotary_excavator()
    assert excavator.step == excavator.control.period == 0.01
    assert rotary_excavator(step=2e-3).control.period == 2e-3
    assert rotary_excavator(step=2e-3, period=0.01).control.period == 0.01


def test_starts():
    np.testing.assert_allclose(np.degrees(rotary_excavator().q0), [0, 30, -150.12, 0])
    cylinders = cylinder_excavator()
    assert max(closed_loops(cylinders.mechanism).open_loops(cylinders.q0, 0.0).values()) < 1e-12


def test_a_fleet_is_its_machines():
    excavator = rotary_excavator()
    operators = SMALL * np.array([[1.0], [-0.5], [2.0]])
    fleet = excavator.rollouts(record=("q", "spool"))(
        np.broadcast_to(excavator.q0, (3, 4)), np.zeros((3, 4)), steps=50,
        inputs={"operator": operators},
    )  # fmt: skip
    for k, operator in enumerate(operators):
        alone = excavator.run(operator, 0.5)
        np.testing.assert_allclose(fleet.q[k], alone["q"][1:], rtol=1e-12, atol=1e-13)
        # a rollout keeps what a step leaves; a run what the control makes of it
        np.testing.assert_allclose(fleet.states["spool"][k, 1:], alone["spool"][1:-1], atol=1e-12)


def test_cylinders_hold_the_machine_and_follow_the_sticks():
    excavator = cylinder_excavator()
    still = excavator.run(np.zeros(4), 0.5, every=50)
    assert np.abs(still["q"] - excavator.q0).max() < 1e-4
    rates = np.array([0.3, 0.1, -0.2, -0.2])
    run = excavator.run(rates, 1.5, every=100)
    m = excavator.mechanism
    hinges = [m.q_slices[f"{name}_hinge"].start for name in ("cab", "boom", "stick", "bucket")]
    np.testing.assert_allclose(run["desired"][-1] - run["desired"][0], 1.5 * rates, rtol=1e-9)
    # never further behind than control lets them, and well on their way
    behind = run["desired"] - run["q"][:, hinges]
    assert np.abs(behind).max() < excavator.control.lead + 0.01
    assert ((run["q"][-1] - run["q"][0])[hinges] / (1.5 * rates) > 0.7).all()
    assert not closed_loops(m).open_loops(run["q"][-1], 1e-9)


def test_experiments_are_fifteen_seconds_of_commands():
    joint = joint_experiment([0.1, 0.2, 0.3, 0.4])
    assert not joint(0.0).any() and not joint(4.99).any() and not joint(10.0).any()
    np.testing.assert_array_equal(joint(5.0), [0.1, 0.2, 0.3, 0.4])
    resolved = resolved_experiment()
    assert not resolved(4.99).any() and not resolved(10.0).any()
    np.testing.assert_allclose(resolved(5.0), [0.3, 5.0 * np.radians(3), 0, 0])
    np.testing.assert_allclose(resolved(7.5), [0.3, 5.75 * np.radians(3), 0, 0])
    for rates in ([1.0, 2.0], [np.nan, 0, 0, 0]):
        with pytest.raises(InvalidInput, match="four finite"):
            joint_experiment(rates)


def test_unknown_inputs():
    with pytest.raises(px.UnknownName, match="operator"):
        rotary_excavator().run(SMALL, 0.1, inputs={"driver": SMALL})
    with pytest.raises(InvalidInput, match="4 finite numbers"):
        rotary_excavator().run([0.1, 0.2], 0.1)
