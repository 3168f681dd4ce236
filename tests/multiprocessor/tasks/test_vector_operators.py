"""Vector operators as tasks: what they count, that they compute, and what they refuse."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from papers.lathrop.golden import (
    GOLDEN_STATE,
    GOLDEN_TAU,
    GOLDEN_WRENCH,
    TIP,
    golden_chain,
    random_chain,
    random_state,
)
from papers.lathrop.numbers import values, wide
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.base.scans import brent_kung, kogge_stone, serial, sklansky
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.motion import BaseMotion
from phalanx.kernel.graph.operations import Operations
from phalanx.mechanism import (
    Body,
    Joint,
    Mechanism,
    Mimic,
    Pose,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.multiprocessor import (
    Kind,
    SharedMemory,
    VectorTasks,
    compile_serial,
    highest_level_first,
    vector_operator,
    vector_tasks,
)
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values
from strategies import KINDS, menagerie, moving, random_body, random_motion, random_pose, state_of

NETWORKS = (None, sklansky, kogge_stone, brent_kung, serial)


def turning_chain(n: int = 6) -> Mechanism:
    return random_chain(n, np.random.default_rng(n), turning=1.0)


def results(tasks: VectorTasks, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
    """What a plan of the tasks on a few operators computes."""
    machine = SharedMemory(3, tuple(vector_operator(f"unit {k}") for k in range(3)))
    plan = highest_level_first(tasks.graph, machine)
    assert not plan.violations
    outputs = plan.execute(*inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)


def counted(tasks: VectorTasks, direction: str, **where: int) -> dict[str, int]:
    """How many tasks of each kind there are at a place."""
    return dict(
        Counter(
            task.kind
            for task, place in zip(tasks.graph.tasks, tasks.places, strict=True)
            if place.direction == direction
            and all(getattr(place, key) == value for key, value in where.items())
        )
    )


def test_a_link_of_the_linear_form_has_the_source_s_operators():
    tasks = vector_tasks(turning_chain())
    for i in range(1, 7):
        assert counted(tasks, "outward", index=i) == {"MV": 3, "VA": 5, "VC": 4}
        assert counted(tasks, "own", index=i) == {"MV": 2, "VA": 3, "VC": 4, "SV": 1}
        assert counted(tasks, "inward", index=i) == {"MV": 2, "VA": 4, "VC": 2}
        assert counted(tasks, "readout", index=i) == {"VD": 1}
    assert tasks.graph.operations == Operations(multiply=6 * (126 + 3), add=6 * (108 + 2))


def test_a_node_of_the_logarithmic_form_has_the_source_s_operators():
    tasks = vector_tasks(turning_chain(), sklansky)
    nodes = {
        (p.direction, p.level, p.first, p.last)
        for p in tasks.places
        if p.level and p.direction in ("outward", "inward")
    }
    assert len([n for n in nodes if n[0] == "outward"]) == sklansky.nodes(7)
    assert len([n for n in nodes if n[0] == "inward"]) == sklansky.nodes(7)
    for direction, level, first, last in nodes:
        wanted = {
            "outward": {"MV": 6, "VA": 12, "VC": 4, "SV": 1, "MM": 1},
            "inward": {"MV": 5, "VA": 4, "VC": 1, "MM": 1},
        }
        found = counted(tasks, direction, level=level, first=first, last=last)
        assert found == wanted[direction]
    for i in range(1, 7):
        assert counted(tasks, "own", index=i) == {"MV": 2, "VA": 3, "VC": 4, "SV": 1}
        # G7: s* × F and its sum are counted by neither row of the source
        assert counted(tasks, "inward", level=0, index=i) == {"VC": 1, "VA": 1}


def test_unified_leaves_are_nodes_and_lean_nodes_save_two_operators():
    unified = vector_tasks(turning_chain(), sklansky, unified=True)
    for i in range(1, 7):
        assert sum(counted(unified, "outward", level=0, index=i).values()) == 24
        leaf = counted(unified, "inward", level=0, index=i)
        assert leaf == {"MV": 5, "VA": 4, "VC": 1 + 1, "MM": 1}  # G7 again
    # gravity is the acceleration of what the first joint stands on, which the node turns anyway
    grounded = vector_tasks(turning_chain(), sklansky, unified=True, grounded=True)
    assert sum(counted(grounded, "outward", level=0).values()) == 6 * 24
    lean = vector_tasks(turning_chain(), sklansky, lean=True)
    assert counted(lean, "inward", level=3, last=6, first=1) == {"MV": 3, "VA": 4, "VC": 1, "MM": 1}


@pytest.mark.parametrize("network", NETWORKS)
def test_no_zero_or_one_of_a_machine_saves_an_operation(network):
    """The PUMA's twists are quarter turns, so nearly half of its numbers are 0 or 1."""
    tasks = vector_tasks(px.library.puma560(), network)
    assert {task.kind for task in tasks.graph.tasks} <= {kind.value for kind in Kind}
    for task, place in zip(tasks.graph.tasks, tasks.places, strict=True):
        wanted = Operations(add=1) if place.role == "rotor" else Kind(task.kind).work
        assert task.operations == wanted
        assert task.label == place.role


def test_a_product_of_matrices_may_be_three_tasks():
    whole = vector_tasks(turning_chain(), sklansky)
    parts = vector_tasks(turning_chain(), sklansky, matrix_products=False)
    kinds, kinds_of_parts = (Counter(t.kind for t in x.graph.tasks) for x in (whole, parts))
    assert kinds_of_parts["MM"] == 0
    assert kinds_of_parts["MV"] == kinds["MV"] + 3 * kinds["MM"]
    assert parts.graph.operations == whole.graph.operations
    state = random_state(6, np.random.default_rng(0))
    for one, other in zip(results(whole, *state), results(parts, *state), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("unified", [False, True])
def test_plans_of_vector_operators_compute_the_golden_torques(network, unified):
    if network is None and unified:
        return
    tasks = vector_tasks(golden_chain(), network, unified=unified, tip=TIP, tip_wrench=True)
    tau = results(tasks, *GOLDEN_STATE, GOLDEN_WRENCH)[0]
    np.testing.assert_allclose(tau, GOLDEN_TAU, rtol=1e-9)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("arm", [px.library.puma560, px.library.stanford])
def test_arms_with_rotors_on_a_moving_base_agree_with_the_recursion(network, arm):
    arm = arm()
    rng = np.random.default_rng(3)
    state, (V, A) = random_state(6, rng), rng.uniform(-1, 1, (2, 6))
    motion = BaseMotion(Twist.of(wide(V)), Twist.of(wide(A)))
    wanted = values(px.inverse_dynamics.recursive, arm, state, base=motion)
    tau = results(vector_tasks(arm, network, moving_base=True), *state, V, A)[0]
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_a_tip_of_one_s_own_moves_no_torque():
    arm, state = golden_chain(), random_state(6, np.random.default_rng(5))
    for network in (None, sklansky):
        own = results(vector_tasks(arm, network), *state)[0]
        tip = results(vector_tasks(arm, network, tip=TIP), *state)[0]
        np.testing.assert_allclose(tip, own, rtol=0, atol=1e-12 * np.abs(own).max())


def test_without_a_read_out_the_loads_of_the_joints_come_as_vectors():
    """The third coordinate, which the source reads, is no torque unless axes are parallel (G1)."""
    arm, state = turning_chain(), random_state(6, np.random.default_rng(9))
    carried = results(vector_tasks(arm, readout=False), *state)[0].reshape(6, 3)
    tau = results(vector_tasks(arm), *state)[0]
    assert np.abs(carried[:, 2] - tau).max() > 0.1 * np.abs(tau).max()
    # what a joint carries along its axis is no more than the whole
    assert (np.abs(tau) <= np.linalg.norm(carried, axis=1) + 1e-12).all()


def test_a_universal_joint_is_two_joints_with_a_massless_link_between():
    arm = px.library.puma560()
    joints = [replace(arm.joints[0], motion=Universal((0, 0, 1), (0, 1, 0))), *arm.joints[1:]]
    arm = Mechanism("two freedoms", arm.bodies, joints, gravity=arm.gravity)
    tasks = vector_tasks(arm, sklansky)
    state = random_state(7, np.random.default_rng(1))
    wanted = values(px.inverse_dynamics.recursive, arm, state)
    np.testing.assert_allclose(results(tasks, *state)[0], wanted, rtol=0, atol=1e-10)


def test_tasks_compile_to_machine_code():
    arm, rng = golden_chain(), np.random.default_rng(2)
    state = random_state(6, rng)
    tau = compile_serial(vector_tasks(arm, sklansky).graph)(*state)[0]
    wanted = values(px.inverse_dynamics.recursive, arm, state)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11)


def test_names_say_where_a_task_belongs():
    linear = vector_tasks(turning_chain(3)).graph
    assert {"3.T4", "1.w", "2.F", "1.T24", "3.tau"} <= set(linear.numbers)
    joined = vector_tasks(turning_chain(3), sklansky).graph
    assert {"0:1.T7", "2:3.T7", "0:3.a", "3:2.T19", "3:0.W", "2:2.w", "2.T12"} <= set(
        joined.numbers
    )
    assert linear.tasks[linear.number("2.F")].link == "link_2"
    assert joined.tasks[joined.number("3:0.W")].link == "base"


def test_sixty_four_joints_make_thousands_of_tasks_that_compute():
    arm = random_chain(64, np.random.default_rng(64))
    tasks = vector_tasks(arm, sklansky, grounded=True)
    assert len(tasks.graph) > 7000
    program = tasks.graph.program
    assert program is not None
    state = random_state(64, np.random.default_rng(65))
    x = given_values(program, state, ())
    evaluate_nodes(program, [n for n in range(len(program.nodes)) if n not in x], x)
    wanted = values(px.inverse_dynamics.recursive, arm, state)
    tau = np.array([x[n] for n in program.results[0]])
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def branched() -> Mechanism:
    bodies = [Body("base"), Body("trunk", 1.0), Body("left", 1.0), Body("right", 1.0)]
    joints = [
        Joint("root", "base", "trunk", Revolute()),
        Joint("one", "trunk", "left", Revolute(), Pose(translation=np.array([1.0, 0, 0]))),
        Joint("other", "trunk", "right", Revolute(), Pose(translation=np.array([0, 1.0, 0]))),
    ]
    return Mechanism("tree", bodies, joints)


def computed(tasks: VectorTasks, *inputs: np.ndarray) -> np.ndarray:
    """The first output of the tasks, one after the other."""
    program = tasks.graph.program
    assert program is not None
    x = given_values(program, inputs, tasks.graph.owner)
    evaluate_nodes(program, [n for n in range(len(program.nodes)) if n not in x], x)
    return np.array([x[n] for n in program.results[0]])


@given(machine=moving(), network=st.sampled_from(NETWORKS), grounded=st.booleans())
def test_trees_of_every_joint_agree_with_dynamics(machine, network, grounded):
    """Branches, mimics, rotors, massless links, joints of one to six freedoms."""
    mechanism, x = machine
    tasks = vector_tasks(mechanism, network, grounded=grounded and network is not None)
    for task, place in zip(tasks.graph.tasks, tasks.places, strict=True):
        number = task.kind == "VA" and place.direction == "readout" and place.role != "B11"
        assert task.operations == (Operations(add=1) if number else Kind(task.kind).work)
    wanted = values(px.inverse_dynamics.recursive, mechanism, (x.q, x.v, x.a))
    tau = computed(tasks, x.q, x.v, x.a)
    scale = max(np.abs(wanted).max(initial=0.0), 1.0)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("network", NETWORKS)
def test_one_machine_with_every_joint_on_a_moving_base(network):
    mechanism = menagerie()
    x, (V, A) = state_of(mechanism, 4), np.random.default_rng(8).uniform(-1, 1, (2, 6))
    motion = BaseMotion(Twist.of(wide(V)), Twist.of(wide(A)))
    wanted = values(px.inverse_dynamics.recursive, mechanism, (x.q, x.v, x.a), base=motion)
    tau = results(vector_tasks(mechanism, network, moving_base=True), x.q, x.v, x.a, V, A)[0]
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("network", NETWORKS)
def test_a_wrench_acts_at_the_tip_of_a_branch(network):
    arm = branched()
    tool = px.Frame("tool", "right", Pose(translation=np.array([0.3, 0.2, 0.1])))
    arm = replace(arm, frames=(*arm.frames, tool))
    x, wrench = state_of(arm, 2), np.array([1.0, -2, 3, 0.4, 0.5, -0.6])
    own = values(
        px.inverse_dynamics.recursive, arm, (x.q, x.v, x.a), wrenches={"tool": wide(wrench)}
    )
    tasks = vector_tasks(arm, network, tip="tool", tip_wrench=True)
    tau = results(tasks, x.q, x.v, x.a, wrench)[0]
    np.testing.assert_allclose(tau, own, rtol=0, atol=1e-12)
    with pytest.raises(InvalidModel, match="several last links; say on which"):
        vector_tasks(arm, tip_wrench=True)


def test_operators_of_a_branch():
    """A further joint on a link: its lever outward; turned, shifted and added inward."""
    tasks = vector_tasks(branched())
    names = {task.name: task.kind for task in tasks.graph.tasks}
    beside = {name: kind for name, kind in names.items() if ".B" in name or name.endswith(".2")}
    assert beside == {
        **{"3.B1": "VC", "3.B2": "VC", "3.B3": "VC", "3.B4": "VA", "3.B5": "VA"},
        **{"1.T19.2": "MV", "1.T24.2": "MV", "1.B6.2": "VC"},
        **{"1.B7.2": "VA", "1.B8.2": "VA", "1.B9.2": "VA"},
    }
    assert (tasks.further_sums, vector_tasks(turning_chain(2)).further_sums) == (1, 0)
    assert tasks.parents == (0, 1, 1)
    assert tasks.depths == (0, 1, 2, 2)


def test_unified_leaves_of_a_tree_are_refused_with_the_joint_and_what_to_do():
    said = r"branches at joint 'other'.*phalanx\.lock, --lock.*leave out unified.*take trees"
    with pytest.raises(InvalidModel, match=said):
        vector_tasks(branched(), sklansky, unified=True)
    chain = px.lock(branched(), "other")
    x = state_of(chain, 1)
    wanted = values(px.inverse_dynamics.recursive, chain, (x.q, x.v, x.a))
    tau = results(vector_tasks(chain, sklansky, unified=True), x.q, x.v, x.a)[0]
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-12)


MOVES = {
    "spherical": "about a point",
    "planar": "in the xy-plane",
    "floating": "everywhere",
    "screw": "about and along z",
}


@pytest.mark.parametrize("kind", KINDS)
def test_unified_leaves_of_each_kind_of_joint_compute_or_name_it(kind):
    """A joint of each type between two hinges: combined, or refused with what to do about it."""
    rng = np.random.default_rng(3)
    motions = [Revolute(), random_motion(rng, kind, aligned=False), Revolute((0, 1, 0))]
    bodies = [Body("base"), *(random_body(rng, f"link_{i}", aligned=False) for i in range(3))]
    joints = [
        Joint(f"joint_{i}", bodies[i].name, bodies[i + 1].name, motion, random_pose(rng, False))
        for i, motion in enumerate(motions)
    ]
    arm = Mechanism("arm", bodies, joints)
    if kind in MOVES:
        said = f"'joint_1' moves {MOVES[kind]};.*--lock.*massless links.*leave out unified"
        with pytest.raises(InvalidModel, match=said):
            vector_tasks(arm, sklansky, unified=True)
        arm = px.lock(arm, "joint_1")
    x = state_of(arm, 5)
    wanted = values(px.inverse_dynamics.recursive, arm, (x.q, x.v, x.a))
    tau = computed(vector_tasks(arm, sklansky, unified=True), x.q, x.v, x.a)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


def test_tiers_of_a_branch_come_after_those_of_its_link():
    """Two hinges on a trunk: base and trunk and left hand are three links, the other hangs on."""
    places = vector_tasks(branched(), sklansky).places
    outward = {(p.level, p.first, p.last) for p in places if p.direction == "outward" and p.level}
    assert outward == {(1, 0, 1), (2, 0, 2), (3, 0, 3)}  # the branch joins what carries it at 2
    inward = {(p.level, p.first, p.last) for p in places if p.direction == "inward" and p.level}
    assert inward == {(1, 1, 2), (2, 0, 2)}
    trunk = [p.role for p in places if (p.direction, p.level, p.index) == ("inward", 0, 1)]
    assert trunk == ["sF", "n", "T19.2", "T24.2", "B6.2", "B8.2", "B7.2", "B9.2"]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_joint_that_mimics_another_adds_to_its_torque(network):
    arm = turning_chain(3)
    joints = [*arm.joints[:2], replace(arm.joints[2], mimic=Mimic("joint_1", 2.0, 0.3))]
    arm = Mechanism("mimic", arm.bodies, joints)
    x = state_of(arm, 6)
    wanted = values(px.inverse_dynamics.recursive, arm, (x.q, x.v, x.a))
    tau = results(vector_tasks(arm, network), x.q, x.v, x.a)[0]
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_a_machine_closed_to_a_loop_is_refused_by_name_and_its_tree_is_not():
    linkage = px.library.four_bar()
    with pytest.raises(InvalidModel, match=rf"'{linkage.loops[0].name}'.*loops=\(\).*no-closures"):
        vector_tasks(linkage)
    tree = replace(linkage, loops=())
    x = state_of(tree, 7)
    wanted = values(px.inverse_dynamics.recursive, tree, (x.q, x.v, x.a))
    np.testing.assert_allclose(
        results(vector_tasks(tree), x.q, x.v, x.a)[0], wanted, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("motion", [Spherical(), Screw((1, 2, 3), 0.1)])
def test_without_a_read_out_joints_have_one_axis(motion):
    arm = Mechanism("arm", [Body("base"), Body("link", 1.0)], [Joint("j", "base", "link", motion)])
    with pytest.raises(InvalidInput, match=r"joint 1 has more than one axis.*leave out readout"):
        vector_tasks(arm, readout=False)


def test_a_machine_without_joints_is_refused():
    with pytest.raises(InvalidModel, match="no joint that moves"):
        vector_tasks(Mechanism("rock", [Body("base")], []))


def test_a_tip_elsewhere_and_unknown_ones_are_refused():
    with pytest.raises(InvalidModel, match="'link_2' is not on the last link"):
        vector_tasks(turning_chain(3), tip="link_2")
    with pytest.raises(UnknownName, match="tipp"):
        vector_tasks(turning_chain(3), tip="tipp")


@pytest.mark.parametrize("option", ["grounded", "unified", "lean"])
def test_options_of_the_logarithmic_form_need_a_network(option):
    with pytest.raises(InvalidInput, match=f"{option} is for the logarithmic form"):
        vector_tasks(turning_chain(3), **{option: True})


def test_a_network_is_asked_for_by_value_and_not_by_name():
    with pytest.raises(InvalidInput, match="network='sklansky'; expected a PrefixNetwork or None"):
        vector_tasks(turning_chain(3), "sklansky")


def test_a_base_that_moves_is_not_grounded():
    with pytest.raises(InvalidInput, match="leave out grounded"):
        vector_tasks(turning_chain(3), sklansky, grounded=True, moving_base=True)


def test_an_operator_does_what_its_kinds_say():
    unit = vector_operator("adder and crosser", ["VA", Kind.VC], multiply=5.0, add=2.0)
    assert unit.times == {"VA": 2.0, "VC": 7.0}
    with pytest.raises(UnknownName, match="VX"):
        vector_operator("none such", ["VX"])
