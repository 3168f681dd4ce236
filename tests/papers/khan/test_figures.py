"""Figures 4.1 to 4.10: what the sweeps of stiffness, decay, tolerance and energy show."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from phalanx.simulation.formulations import RungeKutta
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan import figures
from phalanx.studies.khan.springs import STIFFNESSES
from phalanx.studies.khan.sweeps import (
    DECAYS,
    FEEDBACK_STEP,
    TOLERANCES,
    adaptive,
    by_decay,
    by_projector,
    by_stiffness,
    by_tolerance,
    corrections,
    energy_by_decay,
    energy_by_stiffness,
    followed_by_springs,
)


def evaluations(runs):
    return [one.history.evaluations for one in runs]


@pytest.mark.parametrize("relative", [1e-3, 1e-6])
def test_evaluations_grow_with_the_stiffness(relative):
    """Figures 4.3 and 4.4: and errors hardly depend on the tolerance, as the thesis says."""
    runs = by_stiffness(adaptive(relative))
    assert evaluations(runs) == sorted(evaluations(runs))
    assert not any(one.history.stopped for one in runs)
    fine = by_stiffness(adaptive(1e-6))
    for one, other in zip(runs, fine, strict=True):
        assert one.largest_error == pytest.approx(other.largest_error, rel=0.02)


def test_loops_open_less_the_stiffer_their_springs():
    openings = [one.opening for one in by_stiffness(adaptive(1e-6))]
    assert openings == sorted(openings, reverse=True)
    assert openings[0] > 100 * openings[-1]


@pytest.mark.parametrize(("step", "survive"), [(0.01, 1), (0.001, 3)])
def test_which_steps_fail(step, survive):
    """Figures 4.5 and 4.6, beside the sentence that says which."""
    runs = by_stiffness(RungeKutta(step))
    assert [bool(one.history.stopped) for one in runs] == [k >= survive for k in range(4)]


def test_feedback_needs_no_more_than_15_per_cent():
    added = corrections(followed_by_springs())
    assert added.max() <= 15
    assert added.max(axis=0) == pytest.approx((9.9, 7.5, 14.0), abs=0.06)


def test_rates_are_not_smooth_with_a_basis_that_jumps():
    """Figure 4.8: the budget ends in the first second, and rates change sign at most steps."""
    history = by_projector().history
    assert history.stopped and history.t[-1] < 1.0
    turns = np.diff(np.sign(np.diff(history.v[:, 0]))) != 0
    assert turns.mean() > 0.4
    smooth = by_decay(adaptive(1e-6))[0].history
    assert (np.diff(np.sign(np.diff(smooth.v[:, 0]))) != 0).mean() < 0.05


def test_evaluations_grow_with_the_decay_and_not_as_with_stiffness():
    """Figure 4.9; and figure 4.10 where the acceleration fits the partition."""
    runs = by_decay(adaptive(1e-6))
    assert evaluations(runs) == sorted(evaluations(runs))
    assert max(evaluations(runs)) < min(evaluations(by_stiffness(adaptive(1e-6)))) / 3
    fixed = by_decay(RungeKutta(0.01))
    assert len(fixed) == len(DECAYS) and not any(one.history.stopped for one in fixed)
    assert max(one.largest_error for one in fixed) < 1e-3


def test_a_tighter_tolerance_costs_more():
    for name, runs in by_tolerance().items():
        assert evaluations(runs) == sorted(evaluations(runs)), name
        assert len(runs) == len(TOLERANCES)
    legs = [one.largest_error for one in by_tolerance()["legs"]]
    assert legs[0] > 4 * legs[-1]


def test_missing_energy_is_what_the_dampers_take():
    """By the rate at which loops open, d |c'|², which the energy balance does not know."""
    found = energy_by_stiffness()
    runs = by_stiffness(RungeKutta(FEEDBACK_STEP), follow=True)
    for one, k in zip(runs[:3], STIFFNESSES, strict=False):
        t, defect = found[one.label]
        history, terms = one.history, terms_of(one.formulation.mechanism)
        rates = [terms.place(q)[2] @ v for q, v in zip(history.q, history.v, strict=True)]
        power = 2 * np.sqrt(k) * (np.array(rates) ** 2).sum(axis=1)
        # the first milliseconds have few steps in the fastest mode
        assert -defect[-1] == pytest.approx(trapezoid(power, t), rel=0.05)
        assert np.diff(defect[::100]).max() < 1e-6
    losses = [-defect[-1] for _, defect in found.values()]
    assert losses == sorted(losses, reverse=True) and losses[0] > 1.0


def test_eliminations_lose_no_energy():
    for t, defect in energy_by_decay().values():
        assert t[-1] == pytest.approx(3.0)
        assert np.abs(defect).max() < 1e-6


@pytest.mark.parametrize("name", figures.FIGURES)
def test_figures_have_units_and_data(name):
    figure = figures.FIGURES[name]()
    shown = [axes for axes in figure.axes if axes.axison]
    assert shown
    for axes in shown:
        assert axes.lines or axes.patches
        labels = axes.get_xlabel() + axes.get_ylabel()
        assert "[" in labels or "evaluations" in labels


def test_the_table_has_every_value_of_the_sweeps():
    data = figures.figure_facts().data["figures"]
    assert len(data) == 6 * 4
    assert data["4.5, k = 1e+06 N/m"]["stopped"] and not data["4.9, σ = 10 /s"]["stopped"]
    assert data["4.4, k = 1e+06 N/m"]["evaluations"] == evaluations(by_stiffness(adaptive(1e-6)))[3]
