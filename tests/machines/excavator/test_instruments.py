"""Names for people: nobody reads an identifier in the cockpit."""

from __future__ import annotations

import pytest

from phalanx.ground import LOAM, Ground
from phalanx.machines.excavator import LiveExcavator, cylinder_excavator, rotary_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.machines.excavator.recordings import title_of


@pytest.fixture(
    scope="module", params=[cylinder_excavator, rotary_excavator], ids=["cylinders", "rotary"]
)
def machine(request, tmp_path_factory):
    excavator = request.param(ground=Ground(LOAM))
    return ExcavatorMachine(LiveExcavator(excavator, folder=tmp_path_factory.mktemp("kept")))


def test_every_line_has_a_signal_and_every_pressure_a_line(machine):
    now = machine.telemetry()
    known = {"payload", *(f"pressures.{label}" for label in now.pressures)}
    known |= {f"{kind}.{k}" for kind in ("angles", "desired", "spool", "torque") for k in range(4)}
    lines = [line for chart in machine.instruments.charts for line in chart.lines]
    assert {line.signal for line in lines} | {line.wanted for line in lines} - {""} == known
    assert len({chart.title for chart in machine.instruments.charts}) == len(
        machine.instruments.charts
    )


def test_no_plot_is_crowded_and_no_name_an_identifier(machine):
    for chart in machine.instruments.charts:
        assert 1 <= len(chart.lines) <= 4
        assert chart.unit and chart.least > 0
    names = [chart.title for chart in machine.instruments.charts]
    names += [line.name for chart in machine.instruments.charts for line in chart.lines]
    names += [machine.instruments.title, *machine.instruments.modes.values()]
    for name in names:
        assert name[0].isupper() and not set("_.") & set(name)
    assert machine.instruments.title.startswith("Caterpillar 215B with ")
    assert set(machine.instruments.modes) == set(machine.instruments.axes) == {"JOINT", "RESOLVED"}


def test_chambers_are_called_by_their_side():
    titles = cylinder_excavator().actuation.pressure_titles
    assert titles["boom.rod"] == "Boom cylinder, rod side"
    assert titles["swing.a"] == "Swing motor, line A"
    assert titles["pump"] == "Pump"
    assert rotary_excavator().actuation.pressure_titles["stick.out"] == "Stick actuator, line out"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("excavator-20261118-040509", "18 Nov 2026, 04:05:09"),
        ("excavator-20260102-235959-3", "2 Jan 2026, 23:59:59 (3)"),
        ("excavator-first-dig", "excavator-first-dig"),
        ("excavator-20261399-040509", "excavator-20261399-040509"),
    ],
)
def test_a_recording_is_called_by_when_it_began(name, title):
    assert title_of(name) == title
