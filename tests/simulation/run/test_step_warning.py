"""A step that is too long for a machine is said once, with one that would do."""

import re
import warnings

import pytest

import phalanx as px


def test_a_step_that_is_too_long_is_named_and_the_one_proposed_will_do():
    """A double pendulum in steps of 0.2 s gains energy from nowhere."""
    m, start = px.library.double_pendulum(), [2.5, 0.0]
    with pytest.warns(px.StepWarning, match=r"step of 0\.2 s is too long") as told:
        run = px.simulate(m, start, duration=10.0, step=0.2)
    assert len(told) == 1 and told[0].filename == __file__
    assert run.energy_balance().relative_error > 0.02
    proposed = float(re.search(r"step=([\d.e-]+)", str(told[0].message)).group(1))
    assert proposed < 0.2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shorter = px.simulate(m, start, duration=10.0, step=proposed)
    assert shorter.energy_balance().relative_error < 0.02


def test_what_is_sane_or_adaptive_says_nothing():
    """Also at rest, where nothing but rounding is turned over."""
    m = px.library.double_pendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        px.simulate(m, [2.5, 0.0], duration=2.0, step=1e-3)
        px.simulate(m, [2.5, 0.0], duration=2.0, step=0.2, integrator=px.DormandPrince())
        px.simulate(m, [-1.5707963267948966, 0.0], duration=1.0)
