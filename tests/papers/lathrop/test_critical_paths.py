"""Checks 9 to 12: how long vector operators take, from their graph and not from the formula."""

from __future__ import annotations

import math
from functools import cache

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from papers.lathrop.golden import golden_chain, random_chain
from phalanx.base.scans import brent_kung, kogge_stone, sklansky
from phalanx.multiprocessor import (
    Kind,
    SharedMemory,
    Task,
    VectorTasks,
    critical_path,
    offset_inequalities,
    recurrence_ways,
    shortest_period,
    smallest_offsets,
    vector_operator,
    vector_tasks,
)
from phalanx.multiprocessor.computers.costs import quickest_times
from phalanx.multiprocessor.plans.critical_path import earliest_starts

RATIOS = ((1, 1), (2, 1), (1, 2), (5, 1), (1, 5))  # times of a multiplication and an addition


def computer(multiply: float, add: float) -> SharedMemory:
    return SharedMemory(1, (vector_operator("any", multiply=multiply, add=add),))


@cache
def chain_tasks(n: int, turning: float, logarithmic: bool, **options) -> VectorTasks:
    chain = random_chain(n, np.random.default_rng(n), turning=turning)
    return vector_tasks(chain, sklansky if logarithmic else None, **options)


def length(tasks: VectorTasks, multiply: float, add: float) -> float:
    return critical_path(tasks.graph, computer(multiply, add)).length


def levels(n: int) -> int:
    return math.ceil(math.log2(n + 1))


# appendix A: multiplications and additions one after the other; Flops; all of the scalar work
OPERATORS = {
    "VA": ((0, 1), 1, (0, 3)),
    "SV": ((1, 0), 1, (3, 0)),
    "VC": ((1, 1), 2, (6, 3)),
    "VD": ((1, 2), 3, (3, 2)),
    "MV": ((1, 2), 3, (9, 6)),
    "MM": ((1, 2), 3, (27, 18)),
}


def scalar_cost(result: SX) -> tuple[tuple[int, int], tuple[int, int]]:
    """Longest chain and number of multiplications and additions, from the scalar expression."""
    function = ca.Function("f", ca.symvar(result), [result])
    depth: dict[int, np.ndarray] = {}  # of the place that holds a value
    longest, work = np.zeros(2, int), np.zeros(2, int)
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        if operation == ca.OP_OUTPUT:
            continue
        (place,) = function.instruction_output(k)
        if operation == ca.OP_INPUT:
            depth[place] = np.zeros(2, int)
            continue
        own = np.array([operation == ca.OP_MUL, operation in (ca.OP_ADD, ca.OP_SUB)], int)
        assert own.sum() == 1
        before = [depth[arg] for arg in function.instruction_input(k)]
        depth[place] = np.max(before, axis=0) + own
        work += own
        longest = np.maximum(longest, depth[place])
    return tuple(longest.tolist()), tuple(work.tolist())


def test_operators_cost_what_their_scalar_expressions_do():
    """F7: a Flop is the time of a multiplication or an addition; components side by side."""
    a, b, s = SX.sym("a", 3), SX.sym("b", 3), SX.sym("s")
    A, B = SX.sym("A", 3, 3), SX.sym("B", 3, 3)
    expressions = {
        "VA": a + b,
        "SV": s * b,
        "VC": ca.cross(a, b),
        "VD": ca.dot(a, b),
        "MV": A @ b,
        "MM": A @ B,
    }
    beyond = {Kind.SP, Kind.SC, Kind.RC}  # sines and reciprocals, which the source has given
    assert {kind.value for kind in set(Kind) - beyond} == set(OPERATORS)
    for name, ((multiply, add), flops, work) in OPERATORS.items():
        kind = Kind(name)
        assert scalar_cost(expressions[name]) == ((multiply, add), work)
        assert (kind.delay.multiply, kind.delay.add) == (multiply, add)
        assert (kind.work.multiply, kind.work.add) == work
        assert kind.time() == flops == multiply + add
        for M, A_ in RATIOS:
            assert kind.time(M, A_) == multiply * M + add * A_
            # and so does an operator of an array
            operator = vector_operator("one", [name], multiply=M, add=A_)
            task = Task("t", kind=name)
            assert operator.time(task) == multiply * M + add * A_


@pytest.mark.parametrize("n", [*range(1, 13), 33])
def test_the_linear_form_takes_2n_3_multiplications_and_6n_7_additions(n):
    """G2: so appendix A and table O.1; 2n (M + 3A) + 5M + 9A in the text counts the read-out."""
    tasks = chain_tasks(n, 1.0, False, readout=False)
    for M, A in RATIOS:
        assert length(tasks, M, A) == (2 * n + 3) * M + (6 * n + 7) * A


@pytest.mark.parametrize("logarithmic", [False, True])
def test_torques_take_a_dot_product_more(logarithmic):
    """G1: the third coordinate is the torque only where axes are parallel.

    A dot product is three products and two sums one after the other.
    """
    with_tau = chain_tasks(6, 1.0, logarithmic)
    without = chain_tasks(6, 1.0, logarithmic, readout=False)
    for M, A in RATIOS:
        assert length(with_tau, M, A) == length(without, M, A) + M + 2 * A


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_a_wrench_at_the_tip_costs_an_addition_in_the_logarithmic_form_alone(n):
    """What the tip carries comes to the last link before that link's force does, if links follow
    each other; segments have to be complete before they are combined.
    """
    arm = random_chain(n, np.random.default_rng(n), turning=1.1)
    for network, more in ((None, 0), (sklansky, 1)):
        loaded, free = (
            vector_tasks(arm, network, readout=False, tip_wrench=tip) for tip in (True, False)
        )
        for M, A in RATIOS:
            assert length(loaded, M, A) == length(free, M, A) + more * A


@pytest.mark.parametrize("n", range(1, 9))
def test_chains_that_only_slide_take_an_addition_less(n):
    tasks = chain_tasks(n, 0.0, False, readout=False)
    for M, A in RATIOS:
        assert length(tasks, M, A) == (2 * n + 3) * M + (6 * n + 6) * A


def test_mixed_chains_take_as_long_as_turning_ones_or_less():
    for n in range(1, 9):
        for logarithmic in (False, True):
            mixed = chain_tasks(n, 0.5, logarithmic, readout=False)
            turning = chain_tasks(n, 1.0, logarithmic, readout=False)
            for M, A in RATIOS:
                assert length(mixed, M, A) <= length(turning, M, A)


@pytest.mark.parametrize("n", range(1, 40))
def test_the_logarithmic_form_takes_2l_5_multiplications_and_6l_10_additions(n):
    """With L levels outward and L inward, the base among the leaves of both (G11)."""
    tasks = chain_tasks(n, 1.0, True, readout=False)
    for M, A in RATIOS if n < 9 else RATIOS[:2]:
        assert length(tasks, M, A) == (2 * levels(n) + 5) * M + (6 * levels(n) + 10) * A


@pytest.mark.parametrize("n", [4, 8, 16])
def test_beginning_at_the_first_joint_saves_two_levels_at_powers_of_two(n):
    on_the_ground = chain_tasks(n, 1.0, True, readout=False, grounded=True)
    from_the_base = chain_tasks(n, 1.0, True, readout=False)
    assert length(from_the_base, 1, 1) - length(on_the_ground, 1, 1) == 8


def test_logarithmic_beats_linear_from_three_joints_on():
    times = {
        n: [length(chain_tasks(n, 1.0, log, readout=False), 1, 1) for log in (False, True)]
        for n in range(1, 9)
    }
    assert [t[0] for t in times.values()] == [18, 26, 34, 42, 50, 58, 66, 74]
    assert [t[1] for t in times.values()] == [23, 31, 31, 39, 39, 39, 39, 47]


def test_other_networks_and_lean_nodes_keep_or_pay_the_time_they_say():
    arm = random_chain(7, np.random.default_rng(7), turning=1.0)
    wanted = 8 * 3 + 15
    assert length(vector_tasks(arm, kogge_stone, readout=False), 1, 1) == wanted
    assert length(vector_tasks(arm, sklansky, lean=True, readout=False), 1, 1) == wanted
    # two more levels for as many operators as a tree needs at least
    assert length(vector_tasks(arm, brent_kung, readout=False), 1, 1) > wanted


def ends(tasks: VectorTasks, multiply: float = 1, add: float = 1) -> dict[str, float]:
    """When each task ends if nothing but its predecessors holds it up."""
    machine = computer(multiply, add)
    starts = earliest_starts(tasks.graph, machine)
    times = quickest_times(tasks.graph, machine)
    both = zip(tasks.graph.tasks, starts, times, strict=True)
    return {task.name: start + time for task, start, time in both}


@pytest.mark.parametrize("n", [4, 6])
def test_every_variable_of_the_linear_form_is_there_when_the_source_says(n):
    """In Flops; the graphical table III.2 is lost, these are its closed forms."""
    end = ends(chain_tasks(n, 1.0, False, readout=False))
    for i in range(1, n + 1):
        assert end[f"{i}.w"] == 4 * i
        assert end[f"{i}.dw"] == 4 * i + 3
        assert end[f"{i}.a"] == 4 * i + 7
        assert end[f"{i}.rdd"] == 4 * i + 8
        assert end[f"{i}.F"] == 4 * i + 9
        assert end[f"{i}.N"] == 4 * i + 7
        assert end[f"{i}.f"] == 8 * n + 10 - 4 * i
        assert end[f"{i}.n"] == 8 * n + 14 - 4 * i
    assert max(end.values()) == {4: 42, 6: 58}[n]


def test_six_joints_take_39_flops_in_logarithmic_form():
    assert max(ends(chain_tasks(6, 1.0, True, readout=False)).values()) == 39


def kinds(M: float, A: float) -> dict[str, float]:
    return {kind.value: kind.time(M, A) for kind in Kind}


@pytest.mark.parametrize(("M", "A"), RATIOS)
def test_offsets_of_the_linear_form_are_the_source_s_and_hold_in_its_schedule(M, A):
    tasks = chain_tasks(6, 1.0, False, readout=False)
    number, t = tasks.graph.number, kinds(M, A)
    variables = ("w", "dw", "a")
    ways = recurrence_ways(
        tasks.graph,
        computer(M, A),
        {x: [number(f"3.{x}")] for x in variables},
        {x: number(f"4.{x}") for x in variables},
    )
    period = shortest_period(ways)
    assert period == t["MV"] + t["VA"]
    offset = smallest_offsets(offset_inequalities(ways, period), {"w": period})
    # 3, 7 and 4 Flops
    assert offset["dw"] - offset["w"] == t["VC"] + t["VA"]
    assert offset["a"] - offset["w"] == 2 * t["VC"] + 3 * t["VA"]
    assert offset["a"] - offset["dw"] == t["VC"] + 2 * t["VA"]
    end = ends(tasks, M, A)
    for i in range(1, 7):
        for x in variables:
            assert end[f"{i}.{x}"] == offset[x] + (i - 1) * period

    loads = recurrence_ways(
        tasks.graph,
        computer(M, A),
        {x: [number(f"3.{x}")] for x in ("f", "n")},
        {x: number(f"2.{x}") for x in ("f", "n")} | {x: number(f"2.{x}") for x in ("F", "N")},
    )
    between = [way for way in loads if {way.to, way.source} <= {"f", "n"}]
    assert shortest_period(between) == period
    late = smallest_offsets(offset_inequalities(between, period))
    assert late["n"] - late["f"] == t["VC"] + t["VA"]
    for i in range(1, 7):
        assert end[f"{i}.n"] - end[f"{i}.f"] >= t["VC"] + t["VA"]


@pytest.mark.parametrize(("M", "A"), RATIOS)
def test_offsets_of_the_logarithmic_form_are_the_source_s(M, A):
    tasks = chain_tasks(8, 1.0, True, readout=False)
    number, t = tasks.graph.number, kinds(M, A)
    MV, VC, VA, SV = t["MV"], t["VC"], t["VA"], t["SV"]
    variables = ("W", "w", "dw", "Q", "R", "S", "a")
    ways = recurrence_ways(
        tasks.graph,
        computer(M, A),
        {x: [number(f"4:5.{x}"), number(f"6:7.{x}")] for x in variables},
        {x: number(f"4:7.{x}") for x in variables},
    )
    period = shortest_period(ways)
    assert period == MV + VA
    found = {
        (c.later, c.earlier): c.delay
        for c in offset_inequalities(ways, period)
        if c.later != c.earlier
    }
    assert found == pytest.approx(
        {
            ("w", "W"): 0,
            ("dw", "W"): VC + VA,
            ("dw", "w"): VC + VA,
            ("R", "W"): 0,
            ("Q", "W"): 0,
            ("S", "W"): VC + VA,
            ("S", "w"): VC + VA,
            ("S", "R"): VC + VA - MV,
            ("a", "W"): 2 * VC + 3 * VA,
            ("a", "w"): 2 * VC + 3 * VA,
            ("a", "dw"): VC + 2 * VA,
            ("a", "R"): 2 * VC + 3 * VA - MV,
            ("a", "S"): VC + 4 * VA + SV - MV,
            ("a", "Q"): VC + 4 * VA + SV - MV,
        }
    )
    # leaves wait for the slowest of them, as the source pads them
    end = ends(tasks, M, A)
    starts = {x: end[f"3:3.{x}"] for x in ("w", "dw", "S", "a")} | {"Q": MV}
    assert starts == {"w": MV, "dw": MV, "S": MV + VC, "a": MV + 2 * VC + VA, "Q": MV}
    padded = smallest_offsets(offset_inequalities(ways, period), starts)
    assert padded == pytest.approx(
        {
            "W": 0,
            "R": 0,
            "w": MV,
            "Q": MV,
            "dw": MV + VC + VA,
            "S": MV + VC + VA,
            "a": MV + 2 * VC + 3 * VA,
        }
    )
    for place, task in zip(tasks.places, tasks.graph.tasks, strict=True):
        if place.direction == "outward" and place.role in variables and place.level:
            assert end[task.name] <= padded[place.role] + place.level * period


def test_the_golden_arm_with_its_sliding_joint_is_no_slower():
    assert length(vector_tasks(golden_chain(), readout=False), 1, 1) <= 58
    assert length(vector_tasks(golden_chain(), sklansky, readout=False), 1, 1) == 39
