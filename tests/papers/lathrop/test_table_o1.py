"""Lathrop (1983), table O.1, and the baseline and the neurons that go with it.

Acceptance check 16 of the spec, and rows F39 and F41.
"""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import random_chain
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import sklansky
from phalanx.studies import lathrop
from phalanx.studies.lathrop.table_o1 import CONCURRENCY

# printed for six joints: multiplications, additions
PRINTED = {
    "Uicker, Kahn": (66271, 51548),
    "Waters": (7051, 5652),
    "Hollerbach, 4×4": (4388, 3586),
    "Hollerbach, 3×3": (2195, 1719),
    "Luh, Walker, Paul": (852, 738),
    "Horn, Raibert": (468, 264),
    "Luh, Lin": (323, 280),
    "linear parallel": (15, 43),
    "logarithmic parallel": (11, 28),
    "systolic, each further set": (1, 3),
}


def test_every_value_but_two_is_that_of_its_formula():
    """Check 16: the table says so itself, and gives the right numbers."""
    cells = {(cell.method, cell.operation): cell for cell in lathrop.table_o1()}
    assert len(cells) == 2 * len(PRINTED)
    for (method, operation), cell in cells.items():
        assert cell.printed == PRINTED[method][operation == "add"]
    wrong = {key: cell.count for key, cell in cells.items() if not cell.agrees}
    assert wrong == {("Uicker, Kahn", "multiply"): 67071, ("Waters", "multiply"): 7045}
    for key, cell in cells.items():
        assert key in wrong or cell.count == cell.printed


@pytest.mark.parametrize("joints", [3, 6, 12])
def test_parallel_rows_are_those_of_plans(joints):
    """With multipliers that take a thousand times as long, both counts can be read off a plan."""
    counts = {(c.method, c.operation): c.count for c in lathrop.table_o1(joints)}
    arm = random_chain(joints, np.random.default_rng(joints), turning=1.1)
    for method, network in (("linear parallel", None), ("logarithmic parallel", sklansky)):
        array = hardware.operator_array(arm, network, multiply=1000.0)
        read = divmod(array.latency_to_wrenches, 1000)
        assert read == (counts[method, "multiply"], counts[method, "add"])
    array = hardware.operator_array(arm, multiply=1000.0)
    assert divmod(array.interval, 1000) == (1, 3)


def test_other_numbers_of_joints_have_no_printed_values():
    cells = lathrop.table_o1(7)
    assert all(cell.printed is None and cell.agrees for cell in cells)
    with pytest.raises(InvalidInput, match="an arm of 0 joints"):
        lathrop.table_o1(0)


@pytest.mark.parametrize("fine", [False, True])
def test_each_joint_has_its_processor(fine):
    plan = lathrop.processor_per_joint(mp.vector_tasks(px.library.stanford()), fine=fine)
    assert plan.violations == ()
    assert plan.computer.processors == 6
    for placed in plan.placements:
        joint = plan.graph.tasks[placed.task].name.split(".")[0]
        assert plan.computer.processor_name(placed.processor) == f"joint {joint}"


def test_concurrency_of_a_processor_for_each_joint():
    """F41: Luh and Lin report 2.64 for the Stanford arm.

    With the variables of the recursion as subtasks no order has more than 2.17, with every vector
    operation as one the best has 3.77: theirs lie between. Both are proven by search.
    """
    pytest.importorskip("ortools")
    tasks = mp.vector_tasks(px.library.stanford())
    coarse, fine = (lathrop.processor_per_joint(tasks, mp.exact, fine=f) for f in (False, True))
    assert coarse.is_proven_shortest and fine.is_proven_shortest
    assert coarse.serial_time == fine.serial_time
    assert coarse.speedup < float(CONCURRENCY) < fine.speedup
    assert coarse.speedup == pytest.approx(2.167, abs=1e-3)
    assert fine.speedup == pytest.approx(3.772, abs=1e-3)


def test_a_processor_for_each_joint_has_no_tree():
    with pytest.raises(InvalidInput, match="combines segments"):
        lathrop.processor_per_joint(mp.vector_tasks(px.library.stanford(), sklansky))


def test_error_of_neurons_falls_with_the_root_of_their_number():
    """F39: sixteen times as many multipliers for each product, a quarter of the error."""
    arm = px.library.puma560()
    state = tuple(np.random.default_rng(1).normal(size=(3, 6)))
    errors = {
        replicas: lathrop.torque_error(arm, lathrop.Dendrites(replicas), state, experiments=100)
        for replicas in (16, 256)
    }
    assert errors[16] / errors[256] == pytest.approx(4, rel=0.2)
    assert lathrop.torque_error(arm, lathrop.Dendrites(1, scatter=0.0), state) < 1e-12


def test_a_dendrite_multiplies_once_its_linear_term_is_cancelled():
    exact = lathrop.Dendrites(3, scatter=0.0, alpha=0.25)
    noise = np.random.default_rng(0)
    g1, g2 = np.array([0.5, -2.0]), np.array([3.0, 1.5])
    np.testing.assert_allclose(exact.product(g1, g2, noise), g1 * g2, rtol=1e-14)
    with pytest.raises(InvalidInput, match="0 multipliers"):
        lathrop.Dendrites(0)
    with pytest.raises(InvalidInput, match="alpha 0"):
        lathrop.Dendrites(1, alpha=0.0)
