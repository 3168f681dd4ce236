from __future__ import annotations

import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.pictures.speedup_figure import speedup_figure


def test_the_speedup_figure_draws_plans_bound_and_measurement():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    plans = [mp.schedule(graph, mp.SharedMemory(p)) for p in (1, 2, 4)]
    left, right = speedup_figure(plans, measured=[1.0, 0.5, float("nan")]).axes
    lines = {line.get_label(): line.get_ydata() for line in left.lines}
    assert list(lines) == ["no plan is faster", "planned", "measured"]
    assert list(lines["planned"]) == [plan.speedup for plan in plans]
    assert all(lines["planned"] <= lines["no plan is faster"])
    assert right.lines[1].get_ydata()[2] == pytest.approx(100 * plans[2].efficiency)
    assert (left.get_xlabel(), right.get_ylabel()) == ("processors", "efficiency [%]")
    with pytest.raises(InvalidInput, match="no plan"):
        speedup_figure([])
