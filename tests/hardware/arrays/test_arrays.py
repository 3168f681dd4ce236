"""Arrays for chains of any joints: right torques, no conflicts, names and errors that help."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from papers.lathrop.golden import random_chain
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.hardware.arrays.networks import NETWORKS
from phalanx.hardware.arrays.operator_binding import Binding, bound_schedule
from phalanx.mechanism.edit import release_mimics
from phalanx.multiprocessor.plans.validation import violations
from strategies import menagerie, moving, state_of

NETWORK = st.sampled_from([None, *NETWORKS.values()])


@given(
    joints=st.integers(1, 9),
    network=NETWORK,
    how=st.sampled_from(["systolic", "single", "shared"]),
    padded=st.booleans(),
    grounded=st.booleans(),
    unified=st.booleans(),
    times=st.sampled_from([(1.0, 1.0), (2.0, 1.0), (1.0, 3.0), (0.3, 0.1)]),
    seed=st.integers(0, 99),
)
def test_every_array_gives_the_torques_of_the_serial_recursion(
    joints, network, how, padded, grounded, unified, times, seed
):
    """Joints that turn and slide, any network, any speed of multipliers and adders."""
    rng = np.random.default_rng(seed)
    arm = random_chain(joints, rng)
    options = {} if network is None else {"grounded": grounded, "unified": unified}
    array = hardware.operator_array(
        arm,
        network,
        systolic=how == "systolic",
        shared=how == "shared",
        padded=padded,
        multiply=times[0],
        add=times[1],
        **options,
    )
    assert array.periodic.violations == ()
    q, v, a = rng.uniform(-1, 1, size=(3, 3, joints))
    function = px.expression(px.inverse_dynamics.recursive, arm)
    expected = np.array([np.array(function(*row)).ravel() for row in zip(q, v, a, strict=True)])
    error = np.abs(array.execute(q, v, a) - expected).max()
    assert error <= 1e-12 * np.abs(expected).max()


@given(joints=st.integers(1, 9), network=NETWORK, seed=st.integers(0, 99))
def test_no_array_is_quicker_than_its_longest_chain_of_operations(joints, network, seed):
    arm = random_chain(joints, np.random.default_rng(seed))
    array = hardware.operator_array(arm, network)
    path = mp.critical_path(array.tasks.graph, array.plan.computer).length
    assert array.latency == pytest.approx(path)
    padded = hardware.operator_array(arm, network, padded=True)
    single = hardware.operator_array(arm, network, systolic=False)
    assert padded.latency >= path - 1e-9
    assert single.latency >= path - 1e-9


@pytest.mark.parametrize("network", [None, *NETWORKS.values()])
def test_padded_tasks_of_a_role_start_a_step_apart(network):
    array = hardware.operator_array(random_chain(7, np.random.default_rng(1)), network, padded=True)
    offsets = {}
    for placed in array.plan.placements:
        place = array.tasks.places[placed.task]
        if place.direction == "outward" and (place.level or network is None):
            step = place.level or place.index
            offsets.setdefault(place.role, set()).add(round(placed.start - 4 * step, 9))
    assert offsets and all(len(of_role) == 1 for of_role in offsets.values())


def test_names_of_operators_say_where_they_are():
    arm = px.library.puma560()
    names = {
        network: {
            array.plan.computer.processor_name(p) for p in range(array.plan.computer.processors)
        }
        for network, array in (
            ("linear", hardware.operator_array(arm)),
            ("tree", hardware.operator_array(arm, px.scans.sklansky)),
            ("node", hardware.operator_array(arm, systolic=False)),
            ("tier", hardware.operator_array(arm, px.scans.sklansky, systolic=False)),
        )
    }
    assert {"outward 3 · T4", "own 1 · F", "inward 6 · T24", "readout 2 · tau"} <= names["linear"]
    assert {"outward leaf 3 · w", "outward tier 2, 3 · T14", "own 6 · N"} <= names["tree"]
    assert {"outward · T4", "own · F", "inward · n"} <= names["node"]
    assert {"outward node 0 · T1", "inward node 2 · T19", "own node 1 · F"} <= names["tier"]


def test_a_conflict_is_told_with_the_operator_and_the_least_interval():
    array = hardware.operator_array(px.library.puma560(), interval=2.0)
    with pytest.raises(InvalidInput) as caught:
        array.check()
    text = str(caught.value)
    assert text.startswith("the linear array cannot take a set every 2 Flops: ")
    assert " is still at " in text and text.endswith("The least is 3.")
    array.every(3.0).check()
    for nothing in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="it must be finite and positive"):
            array.every(nothing)


def test_a_wrapped_node_may_begin_a_set_before_it_has_ended_the_last():
    """Both directions are nodes of their own, so that two sets can pass each other."""
    array = hardware.operator_array(px.library.puma560(), systolic=False)
    least = mp.initiation_interval(array.plan)
    assert least < array.latency
    quick = array.every(least)
    quick.check()
    q, v, a = np.random.default_rng(4).uniform(-1, 1, size=(3, 10, 6))
    np.testing.assert_array_equal(quick.execute(q, v, a), array.execute(q, v, a))


def test_buffers_between_directions():
    array = hardware.operator_array(px.library.puma560())
    waiting = array.buffers_between("own", "inward")
    deepest = {}
    for buffer, joint in waiting.items():
        deepest[joint] = max(buffer.depth, deepest.get(joint, 0))
    assert deepest == {joint: max(1, 2 * (6 - joint)) for joint in range(1, 7)}
    assert array.buffers_between("readout", "outward") == {}


def test_tasks_of_the_other_recursion_are_refused():
    arm = px.library.double_pendulum()
    line, tree = mp.vector_tasks(arm), mp.vector_tasks(arm, px.scans.sklansky)
    for make, other in (
        (hardware.linear_array, "prefix_tree"),
        (hardware.wrapped_node, "wrapped_tier"),
    ):
        with pytest.raises(InvalidInput, match=f"combines segments.* Take {other}"):
            make(tree)
    for make, other in (
        (hardware.prefix_tree, "linear_array"),
        (hardware.wrapped_tier, "wrapped_node"),
    ):
        with pytest.raises(InvalidInput, match=f"are of the linear recursion. Take {other}"):
            make(line)


def test_a_systolic_array_shares_nothing():
    with pytest.raises(InvalidInput, match="at work for other sets all the time"):
        hardware.operator_array(px.library.double_pendulum(), shared=True)


@given(
    machine=moving(max_bodies=6, max_freedoms=9),
    how=st.sampled_from(["systolic", "single", "shared"]),
    padded=st.booleans(),
    network=NETWORK,
)
def test_every_tree_passes_through_an_array(machine, how, padded, network):
    """Branches work side by side; one node, or one tier, for all joints takes them in turn."""
    mechanism, x = machine
    branches = not mp.vector_tasks(mechanism).is_chain
    array = hardware.operator_array(
        mechanism,
        network,
        systolic=how == "systolic",
        shared=how == "shared",
        padded=padded and not (branches and network is not None),
    )
    array.check()
    states = [x, state_of(mechanism, 1), state_of(mechanism, 2)]
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in "qva")
    wanted = px.Dynamics(mechanism).inverse_dynamics(q, v, a)
    scale = max(np.abs(wanted).max(initial=0.0), 1.0)
    np.testing.assert_allclose(array.execute(q, v, a), wanted, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("systolic", [True, False])
@pytest.mark.parametrize("sine", [None, *mp.Sine])
@pytest.mark.parametrize(
    "quantity", ["forward_kinematics", "jacobian", "mass_matrix", "forward_dynamics"]
)
def test_other_quantities_pass_through_a_linear_array(quantity, sine, systolic):
    machine = release_mimics(menagerie())
    frame = {"frame": "tool"} if quantity in ("forward_kinematics", "jacobian") else {}
    array = hardware.operator_array(
        machine, systolic=systolic, quantity=quantity, sine=sine, **frame
    )
    array.check()
    states = [state_of(machine, seed) for seed in range(3)]
    names = ("q", "v", "tau") if quantity == "forward_dynamics" else ("q",)
    inputs = [np.array([getattr(state, name) for state in states]) for name in names]
    wanted = getattr(px.Dynamics(machine), quantity)(*inputs, **frame)
    found = array.execute(*inputs)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_a_systolic_array_waits_for_its_slowest_operator():
    """Inverse dynamics by its step; a reciprocal or a sine takes longer than that."""
    arm = px.library.double_pendulum()
    assert hardware.operator_array(arm).interval == 4
    assert hardware.operator_array(arm, sine=mp.Sine.CORDIC).interval == mp.Kind.SC.time()
    array = hardware.operator_array(arm, quantity="forward_dynamics")
    assert array.interval == mp.Kind.RC.time()
    assert hardware.operator_array(arm, quantity="mass_matrix").interval == 4


@pytest.mark.parametrize("option", [{"padded": True}, {"lean": True}, {"grounded": True}])
def test_options_of_inverse_dynamics_are_refused_with_other_quantities(option):
    arm = px.library.double_pendulum()
    with pytest.raises(InvalidInput, match=r"mass_matrix is computed joint after joint; a network"):
        hardware.operator_array(arm, quantity="mass_matrix", **option)
    with pytest.raises(InvalidInput, match=r"inverse_dynamics is of the whole machine"):
        hardware.operator_array(arm, frame="tip")
    with pytest.raises(InvalidInput, match=r"mass_matrix is computed joint after joint; a network"):
        hardware.operator_array(arm, px.scans.sklansky, quantity="mass_matrix")


def test_branches_take_no_longer_than_their_longest_and_what_joins_them():
    """Six joints in three branches are nearly as quick as three in a row."""
    torso = px.library.torso()
    array = hardware.operator_array(torso)
    depth = max(array.tasks.depths)
    alone = hardware.operator_array(px.library.chain(depth)).latency
    assert len(array.tasks.parents) > depth
    assert alone < array.latency <= alone + 4 * depth
    assert array.interval == 4


@pytest.mark.parametrize("systolic", [True, False])
def test_tiers_of_a_tree_have_no_offsets_in_common(systolic):
    with pytest.raises(InvalidInput, match=r"of torso' branches: .* Leave out padded"):
        hardware.operator_array(
            px.library.torso(), px.scans.sklansky, systolic=systolic, padded=True
        )


def test_unified_leaves_are_of_chains():
    unified = {"unified": True}
    with pytest.raises(InvalidModel, match=r"branches at joint 'right_upper_arm_hinge'.*--lock"):
        hardware.operator_array(px.library.torso(), px.scans.sklansky, **unified)
    with pytest.raises(InvalidModel, match=r"joint 'joint_1' moves about a point.*--lock"):
        hardware.operator_array(px.library.chain(3, "spherical"), px.scans.sklansky, **unified)


def test_steps_that_are_too_quick_for_fixed_offsets_are_refused():
    tasks = mp.vector_tasks(px.library.chain(8))
    with pytest.raises(InvalidInput, match=r"would have to be later than itself by 0\.5"):
        bound_schedule(
            tasks,
            "too quick",
            lambda place: Binding(place.direction, str(place.index), place.role),
            multiply=1.0,
            add=1.0,
            padded=(
                lambda place: place.index if place.direction != "inward" else -place.index,
                3.5,
            ),
        )


def test_a_picture_of_an_array(tmp_path):
    array = hardware.operator_array(px.library.double_pendulum(), px.scans.sklansky)
    array.space_time(tmp_path / "array.html", sets=3)
    text = (tmp_path / "array.html").read_text()
    assert "outward tier 1, 1" in text and "prefix tree" in text
    rows = {name: y for name, (_, y) in array.positions.items()}
    assert rows["outward leaf 1"] < rows["outward tier 1, 1"] < rows["own 1"] < rows["readout 1"]


def test_large_arrays_have_no_more_to_say_than_small_ones():
    """All rules are looked at, operator by operator, also where there are thousands of them."""
    array = hardware.operator_array(px.library.chain(20), px.scans.kogge_stone)
    plan = array.plan
    assert tuple(violations(plan.graph, plan.computer, plan.placements)) == ()
    late = plan.placements[-1]._replace(start=0.0, end=1.0)
    wrong = violations(plan.graph, plan.computer, (*plan.placements[:-1], late))
    assert {"precedence"} <= {violation.kind for violation in wrong}


@pytest.mark.parametrize("wrong", [None, "x", [], {}, 1j, np.zeros((2, 2)), object()])
def test_what_is_no_argument_is_told_by_name(wrong):
    arm = px.library.double_pendulum()
    array = hardware.operator_array(arm)
    calls = {
        "mechanism": lambda: hardware.operator_array(wrong),
        "multiply": lambda: hardware.operator_array(arm, multiply=wrong),
        "tasks": lambda: hardware.linear_array(wrong),
        "interval": lambda: array.every(wrong),
        "sets": lambda: array.time(wrong),
        "joints": lambda: hardware.budgets.published_array("linear", wrong),
        "flops": lambda: hardware.budgets.allowed_flop_time(wrong),
    }
    for name, call in calls.items():
        with pytest.raises(InvalidInput, match=name):
            call()
    with pytest.raises(InvalidInput):
        array.execute(wrong, np.zeros((1, 2)), np.zeros((1, 2)))


def test_a_lean_tree_needs_fewer_processors_inward_and_no_more_time():
    arm = random_chain(6, np.random.default_rng(6), turning=1.1)
    tree, lean = (
        hardware.operator_array(arm, px.scans.sklansky, lean=lean) for lean in (False, True)
    )
    assert lean.vector_processors["inward"] < tree.vector_processors["inward"]
    assert lean.latency <= tree.latency
    q, v, a = np.random.default_rng(1).uniform(-1, 1, size=(3, 4, 6))
    np.testing.assert_allclose(lean.execute(q, v, a), tree.execute(q, v, a), rtol=1e-9, atol=1e-12)
