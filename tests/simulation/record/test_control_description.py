from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.description import describe_control


def mine(t, q, v):
    """Hold still, more or less."""
    return -q


@pytest.mark.parametrize(
    ("control", "parts"),
    [
        (None, ["none"]),
        (
            px.proportional_derivative([0.5, -1.0], stiffness=400.0, damping=60.0),
            ["PD control: tau = ", "target = (0.5, -1)", "stiffness = 400", "damping = 60"],
        ),
        (px.computed_torque(np.full(6, 0.5), stiffness=100, damping=20), ["target = 0.5"]),
        (px.Profile([0.0, 2.5], [[1.0], [2.0]]), ["2 rows", "2.5 s"]),
        (mine, ["a function in Python, mine: Hold still, more or less."]),
        (px.Law(lambda model, t, q, v: -v), ["a compiled law"]),
    ],
)
def test_control_is_told_in_words(control, parts):
    words = describe_control(control)
    for part in parts:
        assert part in words
    assert "<" not in words and "object at" not in words


def test_long_lists_are_cut():
    words = describe_control(px.proportional_derivative(np.arange(30.0), stiffness=1, damping=0))
    assert "7, …" in words and "29" not in words


def test_a_recording_knows_its_control_and_its_day():
    run = px.simulate(px.library.double_pendulum(), duration=0.01, control=mine)
    assert "mine" in run.settings["control"]
    assert run.settings["begun"].endswith("+00:00")
