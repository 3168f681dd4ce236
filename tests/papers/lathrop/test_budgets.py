"""Lathrop (1983), sec. VI and VII: operators, vector processors, buffers, packages, rates.

Acceptance checks 15, 22 and 25 of the spec. What the source prints is recounted from the tasks and
plans of the product; where a plan has more, the test says what.
"""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import random_chain
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import kogge_stone, sklansky
from phalanx.hardware import budgets

FORMS = {"linear": None, "logarithmic": sklansky}

# VA, SV, VC, MV, MM of a node; scalar multiplications and additions of all its operators
NODES = {
    ("linear", "outward"): ({"MV": 3, "VA": 5, "VC": 4}, 51, 45),
    ("linear", "inward"): ({"MV": 2, "VA": 4, "VC": 2}, 30, 30),
    ("linear", "own"): ({"MV": 2, "VA": 3, "VC": 4, "SV": 1}, 45, 33),
    ("logarithmic", "outward"): ({"MV": 6, "VA": 12, "VC": 4, "SV": 1, "MM": 1}, 108, 102),
    ("logarithmic", "inward"): ({"MV": 5, "VA": 4, "VC": 1, "MM": 1}, 78, 63),
    ("logarithmic", "own"): ({"MV": 2, "VA": 3, "VC": 4, "SV": 1}, 45, 33),
}


def arm(joints: int = 6) -> px.Mechanism:
    return random_chain(joints, np.random.default_rng(joints), turning=1.1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("direction", ["outward", "inward", "own"])
def test_operators_of_a_node(form, direction):
    """Check 15: the table of operators, recounted from the tasks, and their scalar work."""
    expected, multiply, add = NODES[form, direction]
    counted = budgets.node_operators(mp.vector_tasks(arm(7), FORMS[form]))[direction]
    assert counted == expected == budgets.PUBLISHED_NODES[form, direction]
    work = [mp.Kind(kind).work.times(count) for kind, count in counted.items()]
    assert sum(w.multiply for w in work) == multiply
    assert sum(w.add for w in work) == add


def test_published_vector_processors_of_six_joints():
    """Check 15: per node, for one set at a time, and systolic, as printed."""
    P = budgets.Processors
    assert budgets.published_node("linear") == P(12, 10, 8)
    assert budgets.published_node("logarithmic") == P(26, 10, 13)
    assert budgets.published_device("linear", 6) == P(12, 10, 8)
    assert budgets.published_device("logarithmic", 6) == P(78, 20, 39)
    assert budgets.published_array("linear", 6) == P(72, 60, 48)
    assert budgets.published_array("logarithmic", 6) == P(338, 60, 169)
    totals = [
        make(form, 6).total
        for make in (budgets.published_device, budgets.published_array)
        for form in FORMS
    ]
    assert totals == [30, 137, 180, 567]


@pytest.mark.parametrize("systolic", [False, True])
def test_vector_processors_of_a_linear_plan_are_those_published(systolic):
    """Check 15: the plan itself has as many, and a dot product for each torque (G1)."""
    found = hardware.operator_array(arm(), systolic=systolic).vector_processors
    make = budgets.published_array if systolic else budgets.published_device
    published = make("linear", 6)
    assert found == {
        "outward": published.outward,
        "own": published.own,
        "inward": published.inward,
        "readout": 6 if systolic else 1,
    }


@pytest.mark.parametrize("systolic", [False, True])
def test_vector_processors_of_a_tree_are_those_published_and_two_more_things(systolic):
    """Check 15, as the source counts: from joint 1, with leaves made like combinations.

    Beside the dot products of the torques (G1), a plan needs for each leaf a cross product of its
    own force (G7), neither of which the source counts. Gravity costs nothing: it enters the first
    leaf as the acceleration of its left segment.
    """
    array = hardware.operator_array(arm(), sklansky, systolic=systolic, grounded=True, unified=True)
    make = budgets.published_array if systolic else budgets.published_device
    published = make("logarithmic", 6)
    found = array.vector_processors
    leaves = 6 if systolic else 3
    assert found["outward"] == published.outward
    assert found["own"] == published.own
    assert found["inward"] == published.inward + leaves
    assert found["readout"] == (6 if systolic else 2)


@pytest.mark.parametrize("joints", [1, 2, 3, 5, 8, 13])
def test_published_formulas_hold_for_plans_of_other_lengths(joints):
    array = hardware.operator_array(arm(joints), sklansky, grounded=True, unified=True)
    published = budgets.published_array("logarithmic", joints)
    found = array.vector_processors
    assert found["outward"] == published.outward
    assert found["inward"] - joints == published.inward
    assert found["own"] == published.own


def test_operators_that_are_not_unified_are_fewer():
    """Leaves that do only what a leaf needs: 367 operators with read-out, of which 6 are it."""
    lean = hardware.operator_array(arm(), sklansky, grounded=True)
    unified = hardware.operator_array(arm(), sklansky, grounded=True, unified=True)
    assert sum(lean.vector_processors.values()) < sum(unified.vector_processors.values())


def test_what_waits_within_a_node():
    """Check 22: five vectors, 15 numbers, in a linear node (w, T8, T13, T15, T17), found in plans
    that work with the source's offsets; one vector, 3 numbers, in a node of a tree (T1).
    """
    linear = budgets.temporaries(hardware.operator_array(arm(), padded=True))
    assert set(linear.values()) == {frozenset({"w", "T8", "T13", "T15", "T17"})}
    assert sum(3 for _ in next(iter(linear.values()))) == 15
    tree = budgets.temporaries(hardware.operator_array(arm(), sklansky, padded=True))
    assert {roles for (tier, _), roles in tree.items() if tier} == {frozenset({"T1"})}


def test_numbers_from_node_to_node():
    """Check 22: two segments of nine vectors outward, 54 numbers, and of six vectors inward.

    A linear node gets w, dw and a (G8: the source says four vectors), and f and n on the way back.
    """
    tree, line = mp.vector_tasks(arm(7), sklansky), mp.vector_tasks(arm(7))
    assert budgets.operand_words(tree) == 2 * 9 * 3 == 54
    assert budgets.operand_words(tree, "inward") == 2 * 6 * 3
    assert budgets.operand_words(line) == 3 * 3
    assert budgets.operand_words(line, "inward") == 2 * 3
    assert budgets.input_words(6) == 37 * 6 + 15


@pytest.mark.parametrize(
    ("form", "grows_with"), [("linear", lambda n: n), ("logarithmic", np.log2)]
)
def test_systolic_arrays_store_more_by_a_factor_that_grows(form, grows_with):
    """F24: with n joint after joint, with log2 n in a tree; per unit of that within a quarter."""
    joints, factors = (8, 16, 32), []
    for n in joints:
        single, systolic = (
            hardware.operator_array(arm(n), FORMS[form], systolic=wanted)
            for wanted in (False, True)
        )
        factors.append(systolic.periodic.words_stored / single.periodic.words_stored)
    slopes = np.diff(factors) / np.diff([grows_with(n) for n in joints])
    assert slopes.min() > 0
    assert slopes.max() / slopes.min() < 1.25


def test_buses_of_a_tree_are_twice_as_wide_as_a_node_at_most():
    """F22: whatever the number of joints, with the source's network; not so with Kogge-Stone."""
    assert {budgets.side_by_side(sklansky, count) for count in range(2, 66)} == {2}
    assert budgets.side_by_side(sklansky, 1) == 1
    assert [budgets.side_by_side(kogge_stone, 2**k) for k in range(1, 6)] == [2, 3, 5, 9, 17]


def test_buses():
    """At most two for each operator: 25 and 50 buses, 35 and 70 where directions share."""
    nodes = budgets.node_operators(mp.vector_tasks(arm(7), sklansky))
    outward, inward, own = (nodes[of].total() for of in ("outward", "inward", "own"))
    assert (outward, inward, own) == (24, 11, 10)
    assert budgets.buses(outward) <= 50
    assert budgets.buses(outward + inward) == 70
    assert budgets.buses(own) == 20


def test_packages_of_the_linear_array():
    """G3: the 11 packages that the source names hold its outward operators alone; all are 15."""
    linear = budgets.published_array("linear", 6)
    assert budgets.packages(linear.outward + linear.own) == 11
    assert budgets.packages(linear.total) == 15
    assert budgets.packages(12) == 1 and budgets.packages(13) == 2
    assert budgets.packages(5, shared=False) == 1 and budgets.packages(6, shared=False) == 2


def test_time_for_an_operation_at_60_hertz():
    """Check 25, from simulated plans: 287 us, 427 us, and 4.2 ms for a systolic array."""
    linear, tree = (hardware.operator_array(arm(), network) for network in FORMS.values())
    allowed = budgets.allowed_flop_time
    assert allowed(linear.latency_to_wrenches) == pytest.approx(287e-6, rel=2e-3)
    assert allowed(tree.latency_to_wrenches) == pytest.approx(427e-6, rel=2e-3)
    assert allowed(tree.interval) == allowed(linear.interval) == pytest.approx(4.17e-3, rel=1e-3)
    # with the torques read out as they must be
    assert allowed(linear.latency) == pytest.approx(1 / (60 * 61))


@pytest.mark.parametrize("ratio", [(1, 1), (2, 1), (1, 2), (5, 1), (1, 5)])
@pytest.mark.parametrize("form", FORMS)
def test_published_latency_holds_for_any_speed_of_multiplier_and_adder(form, ratio):
    multiply, add = ratio
    array = hardware.operator_array(arm(), FORMS[form], multiply=multiply, add=add)
    products, sums = budgets.published_latency(form, 6)
    assert array.latency_to_wrenches == products * multiply + sums * add
    assert array.interval == multiply + 3 * add
    assert array.periodic.violations == ()


def test_numbers_that_mean_nothing_are_refused():
    with pytest.raises(InvalidInput, match="0 joints"):
        budgets.published_array("linear", 0)
    with pytest.raises(InvalidInput, match="no recursion is called 'cubic'"):
        budgets.published_node("cubic")
    with pytest.raises(InvalidInput, match="0 operations at 60"):
        budgets.allowed_flop_time(0)
