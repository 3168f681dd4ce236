"""What the trench scenario leaves: a load that came out of the ground and went back to it."""

import numpy as np
import pytest

import phalanx as px
from phalanx.ground import Ground
from phalanx.machines.excavator.soil_figures import ground, knows_ground, worked_terrain
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.simulation.record.recording import Recording
from phalanx.view.reports.report import standard_figures, summary
from phalanx.view.reports.report_figures import ENERGY


@pytest.fixture(scope="module")
def trench():
    return px.read_scenario("excavator-trench").run()


def test_several_hundred_kilograms_are_dug_and_dumped(trench):
    load = trench["soil_load"][:, 0]
    assert load.max() > 700
    assert load[-1] < 30
    # dug with the cab straight ahead, dumped with it turned
    cab = np.degrees(trench.signal("q").column("cab_hinge"))
    rate = np.diff(load)
    assert np.abs(cab[1:][rate > 1]).max() < 5
    assert np.degrees(np.pi / 3) < cab[1:][rate < -5].min()


def test_no_chamber_runs_empty(trench):
    # too long a step would leave lines at the pressure where oil boils
    assert trench["pressure"].min() > 0


def test_no_soil_is_lost(trench):
    terrain, level = worked_terrain(ExcavatorSummary(trench))
    in_place = terrain.gained + terrain.outside
    load = trench["soil_load"][-1, 0]
    assert terrain.soil.density * in_place + load == pytest.approx(0, abs=1e-6)
    moved = terrain.heights - level
    assert -1.0 < moved.min() < -0.3  # a trench
    assert moved.max() > 0.2  # and a heap
    deepest, highest = (np.unravel_index(k, moved.shape) for k in (moved.argmin(), moved.argmax()))
    x, y = (terrain.corner[k] + terrain.cell * np.array([deepest[k], highest[k]]) for k in (0, 1))
    assert x[0] > 5 and abs(y[0]) < 1
    assert y[1] > 4 and abs(x[1]) < 3


def test_figures_have_units_and_all_energy_is_named(trench):
    drawn = standard_figures(trench)
    assert "Soil in the bucket over time." in drawn and ENERGY in drawn
    assert "integration error in energy" in summary(trench)
    texts = [
        text
        for figure in drawn.values()
        for axes in figure.axes
        for text in (axes.get_xlabel(), axes.get_ylabel())
        if text
    ]
    assert all("[" in text for text in texts), texts


def test_the_cut_is_through_the_trench(trench):
    cut = ground(ExcavatorSummary(trench)).axes[1]
    assert cut.lines[0].get_ydata().min() < Ground().surface - 0.3


def test_ground_is_drawn_only_when_it_is_known(trench):
    assert knows_ground(trench)
    assert not knows_ground(Recording(trench.time, trench.signals, {"model": "cat215b_cylinders"}))
