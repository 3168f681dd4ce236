"""Figures of recorded excavators: units on all axes, lines where the numbers are."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.machines.excavator import figures as figures
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.simulation.record.recording import Recording
from phalanx.view.reports.report import standard_figures, summary
from phalanx.view.reports.report_figures import ENERGY
from simulation.runs import pendulum


@pytest.fixture(scope="module")
def resolved():
    return px.read_scenario("excavator-resolved").run()


def labels(figure):
    """All axes' labels."""
    return [text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()) if text]


def test_every_axis_has_a_unit(resolved):
    drawn = standard_figures(resolved)
    assert len(drawn) == 11
    for caption, figure in drawn.items():
        assert labels(figure), caption
        assert all("[" in label for label in labels(figure)), (caption, labels(figure))


def test_angles_are_in_degrees_beside_the_wanted(resolved):
    upper, lower = figures.angles(ExcavatorSummary(resolved)).axes
    boom, wanted = (line.get_ydata() for line in upper.lines[2:4])
    np.testing.assert_allclose(boom, np.degrees(resolved["q"][:, 1]))
    np.testing.assert_allclose(wanted, np.degrees(resolved["desired"][:, 1]))
    np.testing.assert_allclose(lower.lines[1].get_ydata(), wanted - boom)


def test_the_deadband_is_shaded_where_spools_stay_shut(resolved):
    upper, lower = figures.spools(ExcavatorSummary(resolved)).axes
    (band,) = upper.patches
    low, high = band.get_y(), band.get_y() + band.get_height()
    voltage, spool = resolved["voltage"], resolved["spool"]
    inside = (voltage > low) & (voltage < high)
    assert inside.any() and not inside.all()
    assert not spool[inside].any() and spool[~inside].all()
    assert lower.get_ylabel() == "spool [cm]"


def test_without_facts_there_is_no_band(resolved):
    plain = Recording(resolved.time, resolved.signals, {"model": "cat215b"})
    upper, _ = figures.spools(ExcavatorSummary(plain)).axes
    assert not upper.patches


def test_pressures_have_a_row_an_actuator(resolved):
    rows = figures.pressures(ExcavatorSummary(resolved)).axes
    assert [axes.get_ylabel() for axes in rows] == [
        "cab [psi]",
        "boom [psi]",
        "stick [psi]",
        "bucket [psi]",
    ]
    np.testing.assert_array_equal(rows[1].lines[0].get_ydata(), resolved["pressure_in"][:, 1])


def test_the_path_ends_where_the_machine_does(resolved):
    trends = ExcavatorSummary(resolved)
    side = figures.tip_path(trends).axes[0]
    path = side.lines[1].get_xydata()
    np.testing.assert_array_equal(path[-1], trends.tip[-1])
    assert 6.3 < path[-1][0] < 6.5


def test_the_summary_says_what_happened(resolved):
    told = summary(resolved)
    assert "sag until 5 s (desired - actual)" in told and "integration error in energy" in told


def test_other_machines_have_other_figures():
    assert "Angles of joints, q [rad], over time: hinge." in standard_figures(pendulum())
    with pytest.raises(px.InvalidInput, match="not of an excavator"):
        figures.excavator_figures(pendulum())


def test_a_run_of_one_sample_is_drawn():
    still = replace(px.read_scenario("excavator-joint"), duration=0.01).run().every(2)
    assert len(still) == 1
    drawn = standard_figures(still)
    assert set(figures.excavator_figures(still)) < set(drawn) and ENERGY in drawn
