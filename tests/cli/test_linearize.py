from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px


def test_a_double_pendulum(run):
    found = json.loads(run("linearize", "double_pendulum", "--json").stdout)
    near = px.linearize(px.library.double_pendulum())
    assert found["natural_frequencies"] == pytest.approx(near.natural_frequencies)
    assert found["sampling_period"] == pytest.approx(near.sampling_period())
    assert np.array(found["eigenvalues"])[:, 1] == pytest.approx(near.eigenvalues.imag)
    assert found["stable"] is True


def test_an_arm_with_gains(run):
    words = ("puma560", "--control", "pd", "--stiffness", "2000", "--damping", "100", "--hold")
    law = px.proportional_derivative(np.zeros(6), stiffness=2000.0, damping=100.0)
    near = px.linearize(px.library.puma560(), control=law, hold=True)
    said = run("linearize", *words, "--samples-per-period", "10").stdout
    assert f"{near.sampling_period(10):.4g} s" in said
    assert f"{near.natural_frequencies[-1] / (2 * np.pi):.6g}" in said


def test_why_there_is_no_sampling_period(run):
    result = run("linearize", "double_pendulum", "--q", "3.141592653589793,0", "--json")
    assert json.loads(result.stdout)["sampling_period"] is None
    assert "unstable" in result.stderr


def test_a_posture_that_falls(run):
    assert "hold=True" in run("linearize", "double_pendulum", "--q", "1,0", code=2).stderr
