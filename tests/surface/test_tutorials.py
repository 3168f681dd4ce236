"""Numbers of the tutorials, against a loop that shares nothing with them but `px.Dynamics`.

A controller in Python on nominal dynamics, at every stage of a classical Runge-Kutta step of the
true machine: the closed loop that a compiled law on the nominal model has to be.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import phalanx as px

DOCS = Path(__file__).parents[2] / "docs"
ARM = px.library.puma560()
GOAL = np.array([0.8, -0.6, 0.5, 0.3, 0.4, -0.2])
MASS = ARM.body("link_3").mass
STEP = 1e-3


def final_positions(masses, steps, *, informed=False):
    """Where arms with these masses of link 3 are at last under computed torque, shape (k, 6)."""
    nominal, true = px.Dynamics(ARM), px.Dynamics(ARM, parameters=["link_3.mass"])
    x = np.zeros((len(masses), 12))

    def rate(x):
        q, v = x[:, :6], x[:, 6:]
        a = 100.0 * (GOAL - q) - 20.0 * v
        tau = (
            true.inverse_dynamics(q, v, a, masses)
            if informed
            else nominal.inverse_dynamics(q, v, a)
        )
        return np.hstack([v, true.forward_dynamics(q, v, tau, masses)])

    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + STEP / 2 * k1)
        k3 = rate(x + STEP / 2 * k2)
        k4 = rate(x + STEP * k3)
        x = x + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x[:, :6]


def stated(page, pattern):
    """Numbers that comments of a page state behind some code."""
    return [float(one) for one in re.findall(pattern, (DOCS / page).read_text())]


def degrees_off(q):
    return np.degrees(np.abs(q - GOAL).max())


def test_arms_that_differ_from_what_the_controller_believes():
    """0.417 degrees for the nominal law, none for one that knows each arm."""
    masses = MASS * np.array([0.7, 1.0, 1.3])
    nominal, informed = stated("tutorial_arm.md", r"worst arm: .*degrees\"\)  # ([\d.]+)")
    alone = final_positions(masses, 2000)
    assert degrees_off(alone) == pytest.approx(nominal, abs=5e-4)
    assert nominal == 0.417
    knowing = final_positions(masses, 2000, informed=True)
    assert degrees_off(knowing) < 5e-4
    assert informed == 0.0
    law = px.computed_torque(GOAL, stiffness=100.0, damping=20.0)
    for compiled, reference in (
        (law, alone),
        (px.with_true_model(law), knowing),
    ):
        runs = px.rollout(
            px.Setup(ARM, control=compiled, parameters=("link_3.mass",), forces=()),
            np.zeros((3, 6)),
            np.zeros(6),
            steps=2000,
            step=STEP,
            parameters={"link_3.mass": masses},
        )
        np.testing.assert_allclose(runs.q[:, -1], reference, atol=1e-10)


def test_the_first_sweep():
    """Masses of a sweep are the plant's alone; its page states the worst of ten thousand cases."""
    (worst,) = stated("sweeps.md", r"degrees off at most\"\)  # ([\d.]+)")
    # the error grows with the mass: the worst case is next to an end of the range
    assert degrees_off(final_positions(MASS * np.array([0.8, 1.2]), 1000)) == pytest.approx(
        worst, abs=6e-3
    )
    factors = [0.8, 0.93, 1.2]
    law = px.computed_torque(GOAL, stiffness=100, damping=20)
    run = px.sweeps.Rollout(px.Setup(ARM, control=law, forces=()), steps=300)
    result = px.sweep(run, px.sweeps.Grid({"link_3.mass.factor": factors}), keep=("q_end",))
    np.testing.assert_allclose(
        result["q_end"], final_positions(MASS * np.array(factors), 300), atol=1e-11
    )
