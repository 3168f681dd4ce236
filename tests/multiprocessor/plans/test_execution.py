from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from multiprocessor.samples import diamond
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor import (
    Message,
    Placement,
    Schedule,
    SharedMemory,
    Speed,
    earliest_finish,
    highest_level_first,
    layered,
    task_graph,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)

x = ca.SX.sym("x", 2)
# two tasks in a row: a sum, then its square root
ROW = task_graph(ca.Function("f", [x], [ca.sqrt(x[0] + x[1])], ["x"], ["y"]))
TWO = SharedMemory(2, Speed(task=1.0), synchronization=0.5)


def test_torques_of_an_arm_do_not_depend_on_the_plan():
    """Torques of a PUMA 560 from plans on four computers, against CasADi's interpreter."""
    arm = px.library.puma560()
    function = px.expression(px.inverse_dynamics.recursive, arm)
    graph = task_graph(px.inverse_dynamics.recursive, arm)
    q, v, a = np.random.default_rng(3).standard_normal((3, 6))
    expected = np.array(function(q, v, a)).ravel()
    for computer in (uniform_tasks(5), TWO, transputer_mesh(2, 2), vector_lanes(4)):
        for policy in (layered, highest_level_first, earliest_finish):
            tau = policy(graph, computer).execute(q, v, a)
            np.testing.assert_allclose(tau, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("processor", "start", "value"),
    [(0, 1.0, 3.0), (0, 0.9, np.nan), (1, 1.0, np.nan), (1, 1.4, np.nan), (1, 1.5, 3.0)],
)
def test_results_are_there_at_once_on_the_processor_itself_and_later_on_others(
    processor, start, value
):
    rows = (Placement(0, 0, 0.0, 1.0), Placement(1, processor, start, start + 1.0))
    plan = Schedule(ROW, TWO, rows)
    assert (plan.violations == ()) == np.isfinite(value)
    np.testing.assert_equal(plan.execute([4.0, 5.0]).item(), value)


def test_memory_holds_what_was_written_last():
    """A first run of the root that comes too early is repaired by a second one."""
    early = Placement(1, 1, 0.0, 1.0)
    plan = Schedule(ROW, TWO, (Placement(0, 0, 0.0, 1.0), early, Placement(1, 1, 2.0, 3.0)))
    assert plan.execute([4.0, 5.0]) == 3.0
    assert np.isnan(replace(plan, placements=plan.placements[:2]).execute([4.0, 5.0])).all()


def test_messages_without_wires_are_no_harm():
    plan = Schedule(
        ROW,
        TWO,
        (Placement(0, 0, 0.0, 1.0), Placement(1, 0, 1.0, 2.0)),
        (Message(0, 0, 1, 1, ()),),
    )
    assert plan.violations == ()
    assert plan.execute([4.0, 5.0]) == 3.0


def test_costs_alone_cannot_be_executed():
    with pytest.raises(InvalidInput, match="'diamond' has costs but no program"):
        layered(diamond(), SharedMemory(2)).execute()
