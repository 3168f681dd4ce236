"""Accelerations and rates of subsystems in recordings, against differences of what they drive."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.ground import Ground
from phalanx.machines.excavator import cylinder_excavator

STICKS = np.array([0.1, 0.05, -0.1, 0.1])


def test_accelerations_are_those_of_the_equations():
    machine = px.library.puma560()
    q0, duration = np.full(6, 0.3), 0.05
    run = px.simulate(machine, q0, duration=duration, rates=True, forces=())
    dynamics = px.Dynamics(machine)
    for k in (0, 10, -1):
        by_hand = dynamics.forward_dynamics(run["q"][k], run["v"][k], run["tau"][k])
        np.testing.assert_allclose(run["a"][k], by_hand, rtol=1e-10, atol=1e-10)
    signal = run.signal("a")
    assert signal.unit == "rad/s²" and signal.labels == run.signal("v").labels
    assert "a" not in px.simulate(machine, q0, duration=0.01)


@pytest.mark.parametrize("method", [None, px.DormandPrince()])
def test_a_run_is_the_same_with_and_without(method):
    """By steps alone, by native loops of many, and by a method that chooses its own steps."""
    duration = 0.2 if method else 2.5
    runs = [
        px.simulate(
            px.library.double_pendulum(), [1.0, 0.5], duration=duration, integrator=method, rates=on
        )
        for on in (False, True)
    ]
    np.testing.assert_array_equal(runs[0]["q"], runs[1]["q"])
    # differences are of second order: h² d²a/dt² / 6 off, where d²a/dt² is some thousands
    differences = np.gradient(runs[1]["v"], 1e-3, axis=0)[1:-1]
    np.testing.assert_allclose(differences, runs[1]["a"][1:-1], rtol=0, atol=3e-3)


def test_every_state_beside_has_a_rate_but_what_control_remembers():
    run = cylinder_excavator(ground=Ground()).run(STICKS, 0.05, rates=True)
    assert run.signal("pressure_rate").unit == "Pa/s"
    assert run["pressure_rate"].shape == run["pressure"].shape
    assert run.signal("soil_load_rate").unit == "kg/s"
    assert not {"desired_rate", "spool_rate"} & set(run.signals)


def test_a_scenario_may_ask_for_them(tmp_path):
    text = 'model = "double_pendulum"\nduration = 0.01\nrates = {}\n'
    path = tmp_path / "swing.toml"
    path.write_text(text.format("true"))
    assert "a" in px.read_scenario(path).run()
    path.write_text(text.format("3"))
    with pytest.raises(px.ReadError, match="rates"):
        px.read_scenario(path)
    assert "pressure_in_rate" in px.read_scenario("excavator-joint").run().signals
