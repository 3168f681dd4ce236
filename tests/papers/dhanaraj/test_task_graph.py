"""Dhanaraj (1990), sec. 4.3: inverse dynamics as 43 subtasks a link, each of three operations.

Acceptance checks 14 to 16 of the spec. Torques are compared with ``recursive``, which tests/physics
pins by the virtual power of all bodies.
"""

from collections import Counter
from functools import cache

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from papers.dhanaraj.printed import (
    LAYERS,
    STANFORD_ELIMINATED,
    STANFORD_S,
    names_in,
    stanford_by_rule,
    stanford_without_rotors,
)
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Joint, Mechanism
from phalanx.mechanism.pose import Pose
from phalanx.multiprocessor import Customization
from phalanx.multiprocessor.tasks.streamlined.subtasks import layer
from phalanx.studies.dhanaraj import (
    general_arm,
    subtask_names,
    tabulated,
    with_tabulated_precedence,
)
from phalanx.studies.dhanaraj.subtasks import NOT_OF_A_SLIDING_LINK, NOT_OF_THE_LAST_LINK
from strategies import state_of

SIZES = range(2, 11)
# section 5 of the spec
WIDTHS = (6, 6, 8, 9, 13, 12, 13, 12, 13, 12, 11, 9, 5, 3, 4, 3, *[9] * 8, 7, 9, 3)


@cache
def general(links):
    return mp.streamlined_tasks(general_arm(links), customization="general")


def of_link(graph, link):
    return {int(name) % 100 for name in graph.numbers if int(name) // 100 == link}


def before(graph):
    """For each task all tasks that end before it starts, as bits."""
    known = [0] * len(graph)
    for i in graph.order:
        for p in graph.predecessors[i]:
            known[i] |= known[p] | 1 << p
    return known


def in_order_of_layers(graph):
    """A plan that runs one layer after another, with a processor for every task of a layer."""
    rows = [[] for _ in range(max(graph.earliest_layers))]
    for task, number in zip(graph.tasks, graph.earliest_layers, strict=True):
        rows[number - 1].append(task.name)
    return mp.Schedule.from_levels(graph, mp.uniform_tasks(max(map(len, rows))), rows)


def closeness(graph, mechanism, seed=0, plan=in_order_of_layers):
    """Largest difference between the torques of the executed tasks and those of ``recursive``."""
    x = state_of(mechanism, seed)
    executed = plan(graph).execute(x.q, x.v, x.a)
    expected = Numbers(mechanism).inverse(x.q, x.v, x.a)
    assert np.abs(expected).max() > 0.1
    return np.abs(executed - expected).max()


# Check 14: the subtasks


@pytest.mark.parametrize("links", SIZES)
def test_a_general_arm_has_43_subtasks_a_link_less_28(links):
    graph = general(links)
    assert len(graph) == 43 * links - 28
    assert list(graph.numbers) == subtask_names(links)
    for link in range(2, links):
        assert of_link(graph, link) == set(range(1, 44))


@pytest.mark.parametrize("links", SIZES)
def test_no_subtask_has_more_than_three_operations(links):
    assert {task.operations.total for task in general(links).tasks} <= {1, 2, 3}


def test_every_subtask_of_an_interior_link_has_exactly_three_operations():
    full = [t.operations.total for t in general(6).tasks if int(t.name) // 100 in (3, 4, 5)]
    assert len(full) == 3 * 43
    assert set(full) == {3}


def test_general_tasks_do_not_depend_on_the_numbers_of_the_arm():
    rotors = {f"{link}46" for link in range(1, 7)}
    puma = mp.streamlined_tasks(px.library.puma560(), customization="general")
    assert set(puma.numbers) - set(general(6).numbers) == rotors
    assert set(general(6).numbers) <= set(puma.numbers)


def test_the_source_counts_231_and_its_table_240_but_its_schedules_hold_230():
    """19 and 8 off 258 make 231: table 4.2 misses 119 and 128 of the first link, and names 126."""
    schedules, text, table = (
        set(subtask_names(6, which)) for which in ("schedules", "text", "table")
    )
    assert (len(schedules), len(text), len(table)) == (230, 231, 240)
    assert schedules == set(general(6).numbers)
    # 19 numbers of the first link in table 4.2, which the text takes off with 8 of the last
    whole = {str(100 * link + t) for link in range(1, 7) for t in range(1, 44)}
    printed = {*range(101, 110), *range(111, 119), 126, 127}
    assert len(printed) == 19
    assert whole - text == set(map(str, printed)) | {f"6{t}" for t in NOT_OF_THE_LAST_LINK}
    assert table == set(names_in(LAYERS["4.3"]))
    # all three are graphs that can be planned; only that of the schedules can be executed
    assert [
        mp.schedule(tabulated(sorted(names, key=int)), mp.uniform_tasks(1)).makespan
        for names in (schedules, text, table)
    ] == [230, 231, 240]


@pytest.mark.parametrize("links", SIZES)
def test_accountings_of_other_arms(links):
    assert subtask_names(links) == list(general(links).numbers)
    assert len(subtask_names(links, "text")) == 43 * links - 27
    assert len(subtask_names(links, "table")) == 43 * links - 18


def test_accountings_that_nobody_has_made():
    with pytest.raises(InvalidInput, match="schedules, text, table"):
        subtask_names(6, "abstract")
    with pytest.raises(InvalidInput, match="two or more"):
        subtask_names(1)


def test_table_4_3_draws_what_the_schedules_leave_out():
    table_4_3 = set(names_in(LAYERS["4.3"]))
    not_eliminated = {f"6{t}" for t in NOT_OF_THE_LAST_LINK} | {"127", "128"}
    assert len(table_4_3) == 240
    assert table_4_3 - set(subtask_names(6)) == not_eliminated
    assert set(subtask_names(6)) <= table_4_3


def test_a_sliding_joint_eliminates_nine_subtasks_and_those_that_turn_vectors():
    """Table 4.2. Nor does a slide turn vectors: 18, 19; of the link before 30, 31, 39, 40."""
    sliding = mp.streamlined_tasks(general_arm(6, sliding=(3,)), customization="general")
    assert set(range(1, 44)) - of_link(sliding, 3) == NOT_OF_A_SLIDING_LINK | {18, 19}
    assert set(range(1, 44)) - of_link(sliding, 2) == {30, 31, 39, 40}
    assert len(sliding) == 230 - 9 - 6


# Precedence (table 4.1)


@pytest.mark.parametrize("links", [2, 3, 6])
def test_data_ask_for_nothing_that_the_table_does_not(links):
    """The table says more: a component's sum waits there for the products of all components."""
    by_data = general(links)
    by_table = with_tabulated_precedence(by_data)
    more = 0
    for data, table in zip(before(by_data), before(by_table), strict=True):
        assert data & ~table == 0
        more += (table & ~data).bit_count()
    assert more > 0


def test_what_the_table_asks_for_beyond_the_data_of_an_interior_link():
    """Of link 3's own subtasks: components that are not read, by themselves or through others."""
    by_data, by_table = general(6), with_tabulated_precedence(general(6))
    data, table = before(by_data), before(by_table)
    extra = {}
    for i, task in enumerate(by_data.tasks):
        beyond = [t.name for j, t in enumerate(by_data.tasks) if (table[i] & ~data[i]) >> j & 1]
        own = {int(name) % 100 for name in beyond if name.startswith("3")}
        if task.name.startswith("3") and own:
            extra[int(task.name) % 100] = own
    assert extra[15] == {13, 14}
    assert extra[16] == {12, 14}
    # ω, α and λ need all that the table says
    assert not {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20, 21, 22, 26, 32} & set(extra)


def test_precedence_passes_through_what_is_eliminated():
    graph = tabulated(["201", "202", "203", "401", "403"])
    waits = {graph.tasks[p].name for p in graph.predecessors[graph.number("401")]}
    assert waits == {"201", "202", "203"}


# Check 15: layers


@pytest.mark.parametrize("links", SIZES)
def test_layers_are_4n_plus_3_as_is_the_longest_chain(links):
    for graph in (general(links), with_tabulated_precedence(general(links))):
        assert len(graph.widths) == max(graph.layers) == 4 * links + 3
        assert max(graph.earliest_layers) == 4 * links + 3
        assert mp.critical_path(graph, mp.uniform_tasks(1)).length == 4 * links + 3
    assert max(general(links).widths) == {2: 9, 3: 11}.get(links, 13)


def test_widths_of_the_six_link_arm():
    assert general(6).widths == WIDTHS
    assert sum(WIDTHS) == 230


def test_all_240_subtasks_of_table_4_3_stand_in_the_layers_of_the_formula():
    for number, row in enumerate(LAYERS["4.3"], start=1):
        for name in row:
            link, subtask = divmod(int(name), 100)
            assert layer(link, subtask, 6) == number, name


def test_only_110_shares_a_layer_with_subtasks_that_wait_for_it():
    graph = with_tabulated_precedence(general(6))
    same = [
        (graph.tasks[p].name, task.name)
        for task, waits in zip(graph.tasks, graph.predecessors, strict=True)
        for p in waits
        if graph.tasks[p].layer >= task.layer
    ]
    assert same == [("110", "120"), ("110", "121"), ("110", "122")]


# Check 16: the tasks compute


ARMS = {
    "general": general_arm,
    "general, joint 3 slides": lambda: general_arm(6, sliding=(3,)),
    "puma 560": px.library.puma560,
    "stanford": px.library.stanford,
}


@pytest.mark.parametrize("customization", Customization)
@pytest.mark.parametrize("arm", ARMS)
def test_tasks_executed_layer_by_layer_give_the_torques(arm, customization):
    mechanism = ARMS[arm]()
    graph = mp.streamlined_tasks(mechanism, customization=customization)
    for seed in range(2):
        assert closeness(graph, mechanism, seed) < 1e-10


@pytest.mark.parametrize("links", [2, 10])
def test_arms_of_other_lengths_give_the_torques(links):
    assert closeness(general(links), general_arm(links)) < 1e-9


def test_a_layer_of_the_source_run_at_once_reads_what_is_not_there_yet():
    """Table 4.3 as a plan for 13 processors: 120 and 121 read the matrix that 110 makes."""
    graph = general(6)
    rows = [[n for n in row if n in graph.numbers] for row in LAYERS["4.3"]]
    plan = mp.Schedule.from_levels(graph, mp.uniform_tasks(13), rows)
    wrong = {violation.tasks for violation in plan.violations}
    assert wrong == {("110", "120"), ("110", "121")}
    x = state_of(general_arm(6), 0)
    assert np.isnan(plan.execute(x.q, x.v, x.a)[0])


# Sparsity (tables 4.4 to 4.7)


def arm_with_zeros(zeros):
    """The general arm with zeros in the centre of mass of link 3 and in the offset to link 4."""
    arm = general_arm(6)
    bodies, joints = list(arm.bodies), list(arm.joints)
    third = bodies[3]
    com = np.where(np.isin(range(3), zeros), 0.0, third.com)
    bodies[3] = Body(third.name, third.mass, com, third.inertia)
    fourth = joints[3]
    shift = np.where(np.isin(range(3), zeros), 0.0, fourth.pose.translation)
    pose = Pose(fourth.pose.rotation, shift)
    joints[3] = Joint(fourth.name, fourth.parent, fourth.child, fourth.motion, pose)
    return Mechanism("zeros", bodies, joints)


@pytest.mark.parametrize("zeros", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
def test_zeros_of_an_offset_leave_as_many_subtasks_as_table_4_5_says(zeros):
    left = 3 - len(zeros)
    arm = arm_with_zeros(zeros)
    graph = mp.streamlined_tasks(arm, customization="offsets")
    third, fourth = of_link(graph, 3), of_link(graph, 4)
    assert len(third & set(range(20, 26))) == len(fourth & set(range(12, 18))) == 2 * left
    assert len(third & {36, 37, 38}) == len(third & {33, 34, 35}) == left
    assert len(graph) == 230 - 6 * len(zeros)
    assert max(graph.earliest_layers) <= 27
    assert closeness(graph, arm) < 1e-10


def test_stanford_subtasks_of_table_4_7_are_156_in_9_columns():
    rows = LAYERS["4.7"]
    assert len(names_in(rows)) == sum(map(len, rows)) == 156
    assert [len(row) for row in rows] == [
        *(6, 6, 3, 6, 5, 5, 7, 8, 8, 9, 6, 6, 2, 2, 4, 1, 9, 5, 9, 5, 9, 4, 9, 6, 7, 6, 3)
    ]
    assert max(map(len, rows)) == 9
    for number, row in enumerate(rows, start=1):
        for name in row:
            link, subtask = divmod(int(name), 100)
            assert layer(link, subtask, 6) == number, name


def test_tables_4_2_and_4_6_do_not_give_table_4_7():
    """They leave 153. Table 4.7 keeps four that they drop, and has no N_z of the first link."""
    left = set(subtask_names(6)) - set(map(str, STANFORD_ELIMINATED))
    left -= {f"3{t:02d}" for t in NOT_OF_A_SLIDING_LINK}
    printed = set(names_in(LAYERS["4.7"]))
    assert len(left) == 153
    assert printed - left == {"120", "121", "127", "233"}
    assert left - printed == {"129"}


def test_stanford_subtasks_by_the_rule_and_by_its_zeros():
    """152 by the rule, 146 without turning vectors for the slide, of which 643 computes nothing."""
    s_of_table_2_7 = (*STANFORD_S[:4], "y", STANFORD_S[5])
    rule = stanford_by_rule(s_of_table_2_7)
    assert len(rule) == 152
    assert max(tabulated(rule).earliest_layers) == 26
    turning = {"318", "319", "230", "231", "239", "240"}
    assert turning <= set(rule)

    arm = stanford_without_rotors()
    ours = mp.streamlined_tasks(arm, customization="offsets")
    per_link = Counter(name[0] for name in rule if name not in turning | {"643"})
    assert Counter(name[0] for name in ours.numbers) == per_link
    assert len(ours) == 145
    assert closeness(ours, arm) < 1e-10

    everything = mp.streamlined_tasks(arm, customization="full")
    assert len(everything) < len(ours)
    assert everything.operations.total < ours.operations.total
    assert closeness(everything, arm) < 1e-10
