"""Lathrop (1983), sec. III, V, VI: arrays of operators, simulated.

Acceptance checks 13, 14 and 24 of the spec. Times are those of plans, which carry values through
buffers; formulas of the source stand in the tests alone.
"""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import GOLDEN_STATE, GOLDEN_TAU_FREE, TIP, golden_chain, random_chain
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.scans import brent_kung, kogge_stone, sklansky

SETS = 20
READOUT = 3  # a dot product, VD


def turning_chain(joints: int) -> px.Mechanism:
    return random_chain(joints, np.random.default_rng(joints), turning=1.1)


def states(joints: int) -> np.ndarray:
    return np.random.default_rng(17).uniform(-1, 1, size=(3, SETS, joints))


def serial_torques(mechanism: px.Mechanism, q, v, a) -> np.ndarray:
    """By the recursion of the library in coordinates of its own choice, one set after the other."""
    function = px.expression(px.inverse_dynamics.recursive, mechanism)
    return np.array([np.array(function(*row)).ravel() for row in zip(q, v, a, strict=True)])


def check_torques(array: hardware.OperatorArray, mechanism: px.Mechanism) -> None:
    q, v, a = states(mechanism.nv)
    torques = serial_torques(mechanism, q, v, a)
    error = np.abs(array.execute(q, v, a) - torques).max() / np.abs(torques).max()
    assert error < 1e-12


@pytest.mark.parametrize("joints", [1, 2, 3, 6, 7])
def test_sets_pass_the_linear_array_every_4_flops(joints):
    """Check 13: no operator is wanted twice, torques are right, K sets take 8n+10+4(K-1)."""
    arm = turning_chain(joints)
    array = hardware.linear_array(mp.vector_tasks(arm))
    assert array.periodic.violations == ()
    assert array.interval == 4
    assert array.latency_to_wrenches == 8 * joints + 10
    assert array.latency == array.latency_to_wrenches + READOUT
    assert array.time(SETS) == 8 * joints + 10 + READOUT + 4 * (SETS - 1)
    unrolled = array.periodic.unrolled(SETS)
    assert unrolled.violations == ()
    assert unrolled.makespan == array.time(SETS)
    check_torques(array, arm)


@pytest.mark.parametrize("joints", [1, 2, 3, 6, 7, 8])
def test_sets_pass_the_logarithmic_array_every_4_flops(joints):
    """Check 13: 8 L + 15 + 4 (K - 1) with L = ceil(log2(n + 1)), counting the base."""
    arm = turning_chain(joints)
    array = hardware.prefix_tree(mp.vector_tasks(arm, sklansky))
    tiers = int(np.ceil(np.log2(joints + 1)))
    flops = 8 * tiers + 15
    assert array.periodic.violations == ()
    assert array.interval == 4
    assert array.latency_to_wrenches == flops
    # of 2^k joints the first has its torque a tier before the base has its wrench
    assert array.latency == flops + (0 if joints in (1, 2, 4, 8) else READOUT)
    assert array.time(SETS) == array.latency + 4 * (SETS - 1)
    check_torques(array, arm)


def test_six_joints_take_58_and_39_flops():
    arm = turning_chain(6)
    assert hardware.operator_array(arm).latency_to_wrenches == 58
    assert hardware.operator_array(arm, sklansky).latency_to_wrenches == 39


@pytest.mark.parametrize(("joints", "flops"), [(4, 31), (6, 39), (8, 39), (16, 47)])
def test_a_tree_that_begins_at_joint_1_has_a_tier_less_for_powers_of_two(joints, flops):
    """G11: 8 ceil(log2 n) + 15, where the source counts the base among its leaves."""
    array = hardware.operator_array(turning_chain(joints), sklansky, grounded=True)
    assert array.latency_to_wrenches == flops
    assert array.latency == flops + READOUT
    assert array.periodic.violations == ()


@pytest.mark.parametrize("network", [None, sklansky], ids=["linear", "logarithmic"])
def test_an_interval_of_2_is_a_conflict_of_named_operators(network):
    """Check 13: a product of matrix and vector takes 3, so 3 is the least, and 2 is refused."""
    array = hardware.operator_array(turning_chain(6), network)
    assert mp.initiation_interval(array.plan) == 3
    assert array.every(3.0).periodic.violations == ()
    short = array.every(2.0)
    kinds = {violation.kind for violation in short.periodic.violations}
    assert kinds == {"interval"}
    clashing = {violation.text.split(" is still at ")[0] for violation in short.periodic.violations}
    tasks = array.tasks.graph.tasks
    products = {
        array.plan.computer.processor_name(placed.processor)
        for placed in array.plan.placements
        if tasks[placed.task].kind in ("MV", "MM", "VD")
    }
    assert clashing == products
    q, v, a = states(6)
    assert np.isnan(short.execute(q, v, a)).any()


@pytest.mark.parametrize("joints", [1, 2, 6, 9])
def test_forces_wait_2_n_minus_i_cycles_for_the_way_back(joints):
    """Check 14: buffers between outward and inward recursion, n (n - 1) slots in all."""
    array = hardware.operator_array(turning_chain(joints))
    names = [array.plan.computer.processor_name(p) for p in range(array.plan.computer.processors)]
    depths = {(b.task, names[b.destination]): b.depth for b in array.periodic.buffers_needed}
    forces = [depths[f"{i}.F", f"inward {i} · f"] for i in range(1, joints + 1)]
    moments = [depths[f"{i}.T21", f"inward {i} · T23"] for i in range(1, joints + 1)]
    assert forces == moments == [2 * (joints - i) for i in range(1, joints + 1)]
    assert sum(forces) == joints * (joints - 1)


@pytest.mark.parametrize("joints", [1, 5, 6, 8])
def test_one_node_and_one_tier_give_the_torques_of_the_whole_array(joints):
    """Check 24: bit for bit, since they do the same operations; one set at a time."""
    arm = turning_chain(joints)
    q, v, a = states(joints)
    for network in (None, sklansky):
        systolic = hardware.operator_array(arm, network)
        single = hardware.operator_array(arm, network, systolic=False)
        assert single.periodic.violations == ()
        assert single.periodic.sets_at_a_time == 1
        assert single.plan.computer.processors <= systolic.plan.computer.processors
        np.testing.assert_array_equal(single.execute(q, v, a), systolic.execute(q, v, a))
        check_torques(single, arm)


def test_one_linear_node_is_30_operators_and_as_quick_as_the_array():
    """Sec. III: the outputs of a node are wrapped to its inputs without a conflict."""
    tasks = mp.vector_tasks(turning_chain(6), readout=False)
    node, array = hardware.wrapped_node(tasks), hardware.linear_array(tasks)
    assert node.plan.computer.processors == 30
    assert node.latency == array.latency == 58


def test_one_tier_is_as_quick_as_the_tree():
    tasks = mp.vector_tasks(turning_chain(6), sklansky, readout=False)
    assert hardware.wrapped_tier(tasks).latency == hardware.prefix_tree(tasks).latency == 39


def test_directions_can_share_operators():
    """Sec. VI, figure VI.1b: 22 operators for one node, 98 processors for one tier.

    The source says that directions are never active at the same time, so that this costs nothing.
    They nearly are not: at the tip both are, and moments of own forces are made on the way out.
    """
    arm = turning_chain(6)
    tasks = mp.vector_tasks(arm, readout=False)
    node = hardware.wrapped_node(tasks, shared=True)
    assert node.vector_processors == {"outward": 12, "own": 10}
    assert node.periodic.violations == ()
    assert node.latency == 58 + 2
    tree = mp.vector_tasks(arm, sklansky, grounded=True, unified=True, readout=False)
    tier = hardware.wrapped_tier(tree, shared=True)
    assert tier.vector_processors == {"outward": 78, "own": 20}
    assert tier.periodic.violations == ()
    assert tier.latency <= hardware.wrapped_tier(tree).latency + 8
    for network in (None, sklansky):
        array = hardware.operator_array(arm, network, systolic=False, shared=True)
        check_torques(array, arm)


@pytest.mark.parametrize("network", [None, sklansky, kogge_stone, brent_kung])
@pytest.mark.parametrize("systolic", [True, False])
def test_torques_of_the_golden_chain(network, systolic):
    """Mixed joints, by every array: the published torques, and those of the serial recursion."""
    chain = golden_chain()
    array = hardware.operator_array(chain, network, systolic=systolic)
    inputs = [np.array([row]) for row in GOLDEN_STATE]
    np.testing.assert_allclose(array.execute(*inputs)[0], GOLDEN_TAU_FREE, rtol=1e-9)
    assert array.periodic.violations == ()
    check_torques(array, chain)


def test_a_wrench_at_the_tip_goes_through_the_array():
    from papers.lathrop.golden import GOLDEN_TAU, GOLDEN_WRENCH

    for network, make in ((None, hardware.linear_array), (sklansky, hardware.prefix_tree)):
        tasks = mp.vector_tasks(golden_chain(), network, tip=TIP, tip_wrench=True)
        inputs = [np.array([row]) for row in (*GOLDEN_STATE, GOLDEN_WRENCH)]
        np.testing.assert_allclose(make(tasks).execute(*inputs)[0], GOLDEN_TAU, rtol=1e-9)


@pytest.mark.parametrize("network", [None, sklansky])
def test_padded_offsets_are_those_of_the_source(network):
    """Sec. III and V: each recursion variable advances a step in 4; no time is lost by it."""
    arm = turning_chain(6)
    array = hardware.operator_array(arm, network, padded=True)
    assert array.latency_to_wrenches == (58 if network is None else 39)
    assert array.periodic.violations == ()
    ends = {}
    for placed in array.plan.placements:
        place = array.tasks.places[placed.task]
        if place.direction == "outward" and (network is None or place.level):
            step = place.index if network is None else place.level
            ends.setdefault(place.role, set()).add(placed.end - 4 * step)
    constants = {role: min(ends[role]) for role in ("w", "dw", "a")}
    assert all(len(ends[role]) == 1 for role in constants)
    leaf = 0 if network is None else 3  # a leaf begins with a product of matrix and vector
    assert constants == {"w": leaf, "dw": leaf + 3, "a": leaf + 7}
    check_torques(array, arm)


def test_a_hundred_sets_pass_the_logarithmic_array_of_64_joints():
    """8 thousand operators, all of them checked, values through every buffer."""
    arm = px.library.chain(64)
    array = hardware.operator_array(arm, sklansky)
    assert array.plan.computer.processors == len(array.tasks.graph) > 7500
    assert array.periodic.violations == ()
    assert array.latency_to_wrenches == 8 * 7 + 15
    q, v, a = np.random.default_rng(64).uniform(-1, 1, size=(3, 100, 64))
    torques = px.Dynamics(arm).inverse_dynamics(q, v, a)
    error = np.abs(array.execute(q, v, a) - torques).max() / np.abs(torques).max()
    assert error < 1e-12
