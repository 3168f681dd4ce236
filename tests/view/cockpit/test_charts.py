from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.machines.excavator import cylinder_excavator
from phalanx.machines.excavator.instruments import excavator_charts
from phalanx.view.cockpit.machine import charts_of

from .fake_machine import FakeMachine


def test_a_machine_that_says_nothing_has_plain_plots():
    machine = FakeMachine()
    charts = {chart.title: chart for chart in charts_of(machine)}
    assert list(charts) == ["Angles", "Valve openings", "Torques at the joints", "Pressures"]
    angles, pressures = charts["Angles"], charts["Pressures"]
    assert [line.name for line in angles.lines] == list(machine.instruments.joints)
    assert [line.wanted for line in angles.lines] == [f"desired.{k}" for k in range(4)]
    np.testing.assert_allclose(angles.factor * np.pi, 180.0)
    signals = [f"pressures.{label}" for label in machine.telemetry().pressures]
    assert [line.signal for line in pressures.lines] == signals


def test_one_that_does_not_answer_has_plots_all_the_same():
    machine = FakeMachine()
    machine.fault = RuntimeError("gone")
    assert [chart.title for chart in charts_of(machine)][-1] == "Torques at the joints"


def test_a_machine_says_what_its_plots_are():
    machine = FakeMachine()
    charts = excavator_charts(cylinder_excavator())
    machine.instruments = replace(machine.instruments, charts=charts)
    assert charts_of(machine) is charts
