"""Lathrop (1983), sec. VI and VII: operators, vector processors, buffers, packages, rates.

Acceptance checks 15, 22 and 25 of the spec. What the source prints is recounted from the tasks and
plans of the product; where a plan has more, the test says what.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

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


def nodes(array: hardware.OperatorArray, direction: str) -> set[str]:
    """Names of the nodes of a direction that combine segments."""
    computer = array.plan.computer
    named = (computer.processor_name(p).partition(" · ")[0] for p in range(computer.processors))
    return {name for name in named if name.startswith(f"{direction} node")}


@pytest.mark.parametrize("joints", range(2, 13))
def test_a_tier_has_a_node_for_each_pair_of_joints(joints):
    """F26: for any number of joints, odd ones too; the source prints six.

    Leaves are made in two turns of the tier, so there is a node for each pair, or fraction of one.
    Links that end their outward recursion in one tier are worked on side by side: tier t, of
    joints 2^(t-1) + 1 to 2^t.
    """
    pairs = (joints + joints % 2) // 2
    levels = range(1, joints.bit_length() + 1)
    ending = max(1, *(min(2**t, joints) - 2 ** (t - 1) for t in levels))
    published = budgets.published_device("logarithmic", joints)
    assert published == budgets.Processors(26 * pairs, 10 * ending, 13 * pairs)
    ways = sum(bin(k).count("1") for k in range(joints)) + joints
    systolic = budgets.published_array("logarithmic", joints)
    assert systolic == budgets.Processors(26 * ways, 10 * joints, 13 * ways)
    assert budgets.published_array("linear", joints) == budgets.Processors(
        12 * joints, 10 * joints, 8 * joints
    )
    assert budgets.published_device("linear", joints) == budgets.Processors(12, 10, 8)

    tier, tree = (
        hardware.operator_array(
            arm(joints), sklansky, grounded=True, unified=True, systolic=systolic
        )
        for systolic in (False, True)
    )
    for array, counted, many in ((tier, published, pairs), (tree, systolic, ways)):
        built = array.vector_processors
        assert (built["outward"], built["own"]) == (counted.outward, counted.own)
        # and the moment of each link's own force, in leaves
        leaves = pairs if array is tier else joints
        assert built["inward"] == counted.inward + leaves
        assert many == counted.outward // 26
    assert tier.periodic.violations == ()


@pytest.mark.parametrize("joints", range(2, 13))
def test_a_base_that_stands_saves_a_node_for_an_even_number_of_joints(joints):
    """F23: "one processor node for each pair (or fraction thereof) of input nodes".

    With the base there are n + 1 inputs, which is a pair more for an even n. This is so on the way
    outward, where leaves are made by the nodes that combine them, two for each. The base has no
    load of its own, so inward there are n leaves in any case. A tier that combines only, and has
    operators for leaves beside it, has a node for each whole pair: there an odd n saves one.
    """
    for unified in (True, False):
        from_base, from_joint_1 = (
            hardware.operator_array(
                arm(joints), sklansky, systolic=False, unified=unified, grounded=grounded
            )
            for grounded in (False, True)
        )
        assert from_base.periodic.violations == from_joint_1.periodic.violations == ()
        outward = [len(nodes(array, "outward")) for array in (from_base, from_joint_1)]
        inward = [len(nodes(array, "inward")) for array in (from_base, from_joint_1)]
        if unified:
            assert outward == [joints // 2 + 1, (joints + 1) // 2]
            assert outward[0] - outward[1] == (joints % 2 == 0)
            assert inward == [(joints + 1) // 2] * 2
        else:
            assert outward == inward == [(joints + 1) // 2, max(1, joints // 2)]


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


@cache
def both_devices(form: str, joints: int) -> tuple[hardware.OperatorArray, hardware.OperatorArray]:
    """A device for one sample at a time, and the systolic array."""
    single, systolic = (
        hardware.operator_array(arm(joints), FORMS[form], systolic=wanted)
        for wanted in (False, True)
    )
    return single, systolic


JOINTS = (4, 6, 8, 16, 32)


def test_a_linear_systolic_array_stores_n_times_as_much():
    """F24: "by about a factor of n": results that wait at a time, 6 (n + 1) and 6 n² + 18 n + 21.

    One node keeps force and moment of every joint for the way back. The array keeps those of
    2 (n - i) samples for joint i, 6 n (n - 1) in all, and eight vectors in each node.
    """
    for n in JOINTS:
        single, systolic = (budgets.words_alive(array) for array in both_devices("linear", n))
        assert single == 6 * (n + 1)
        assert systolic == 6 * n * (n - 1) + 24 * n + 21
        assert n + 2 < systolic / single < n + 2.31


def test_a_systolic_tree_stores_as_much_more_as_it_has_tiers():
    """F24: "by about a factor of log2 n": with L tiers L + 1.1 to L + 1.7 times, one more for each.

    Forces and moments alone, which wait for the way back, do not grow like this: most joints are
    complete in the last tier. So the source means all results.
    """
    factors = {}
    for n in JOINTS:
        single, systolic = both_devices("logarithmic", n)
        factors[n] = budgets.words_alive(systolic) / budgets.words_alive(single)
        tiers = n.bit_length()  # of n + 1 leaves
        assert tiers + 1.1 < factors[n] < tiers + 1.7
        back = [
            sum(b.words * b.depth for b in array.buffers_between("own", "inward"))
            for array in (single, systolic)
        ]
        assert 1 < back[1] / back[0] < 2
    doubled = np.diff([factors[n] for n in (4, 8, 16, 32)])
    assert doubled.min() > 0.7 and doubled.max() < 1.2


def test_a_place_for_every_result_is_another_count_of_storage():
    """F24: ``words_stored``. A single device has as many places as results that ever wait."""
    factors = {
        (form, n): systolic.periodic.words_stored / single.periodic.words_stored
        for form in FORMS
        for n in (6, 8, 16, 32)
        for single, systolic in [both_devices(form, n)]
    }
    assert factors["linear", 6] == pytest.approx(2.09, abs=5e-3)
    assert factors["logarithmic", 6] == pytest.approx(2.26, abs=5e-3)
    assert factors["linear", 32] == pytest.approx(6.73, abs=5e-3)
    assert factors["logarithmic", 32] == pytest.approx(3.18, abs=5e-3)
    for form, grows_with in (("linear", lambda n: n), ("logarithmic", np.log2)):
        some = [factors[form, n] for n in (8, 16, 32)]
        slopes = np.diff(some) / np.diff([grows_with(n) for n in (8, 16, 32)])
        assert slopes.min() > 0
        assert slopes.max() / slopes.min() < 1.25


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("systolic", [False, True])
def test_results_that_wait_at_a_time_are_those_of_samples_one_by_one(form, systolic):
    """F24: every result of twelve samples, when it came and was last read, counted in between."""
    array = both_devices(form, 4)[systolic]
    tasks, interval, samples = array.tasks.graph, array.interval, 12
    ends = {p.task: p.end for p in array.plan.placements}
    starts = {p.task: p.start for p in array.plan.placements}
    waiting = Counter()
    for sample in range(samples):
        for task, readers in enumerate(tasks.successors):
            last = max((starts[reader] for reader in readers), default=ends[task])
            for flop in range(int(ends[task]), int(last)):  # times are whole Flops
                waiting[flop + sample * int(interval)] += tasks.tasks[task].words
    assert budgets.words_alive(array) == max(waiting.values())


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


def test_pins_of_a_chip_and_of_packages():
    """F33: eight pins; forty hold five chips that share nothing, or (40 - 4) / 3 that share four.

    Where vectors are not shifted but come at once, pins forbid it: 3 words of 24 bits a port.
    """
    named = ("power", "ground", "clock 1", "clock 2", "reset", "operand A", "operand B", "result")
    assert budgets.pins() == len(named)
    assert budgets.packages(1, shared=False, size=8) == 1
    for size in (8, 15, 16, 24, 39, 40, 64):
        alone, shared = size // 8, (size - 4) // 3
        for count in range(1, 40):
            assert budgets.packages(count, shared=False, size=size) == -(-count // alone)
            assert budgets.packages(count, size=size) == -(-count // shared)
    assert (40 // 8, (40 - 4) // 3) == (5, 12)
    assert budgets.pins(3) == 5 + 9 and budgets.pins(72) == 221
    assert budgets.packages(4, wires=3) == 1 and budgets.packages(5, wires=3) == 2
    with pytest.raises(InvalidInput, match="40 pins holds no vector processor with 72 wires a po"):
        budgets.packages(1, wires=72)
    with pytest.raises(InvalidInput, match="holds no vector processor with 1 wires"):
        budgets.packages(1, shared=False, size=7)
    with pytest.raises(InvalidInput, match="ports of 0 wires"):
        budgets.pins(0)


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
