"""Arms cut into tasks of three operations, beyond what their source has: any chain, and drives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from phalanx import actuators
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.mechanism import Joint, Mechanism, Mimic, Prismatic, Revolute
from phalanx.multiprocessor import Customization
from phalanx.studies.dhanaraj import general_arm, tabulated
from strategies import random_body, random_pose, state_of

ROUNDING = 1e-11  # sums over a few bodies of terms of one size


def random_chain(kinds, *, aligned, seed):
    """Links one after another, ``R`` turning and ``P`` sliding; frames and inertias at random."""
    rng = np.random.default_rng(seed)
    bodies, joints = [px.Body("base")], []
    for i, kind in enumerate(kinds, start=1):
        axis = np.roll([0.0, 0.0, 1.0], rng.integers(3)) if aligned else rng.standard_normal(3)
        motion = Prismatic(axis) if kind == "P" else Revolute(axis)
        rotor = rng.uniform(0.1, 1.0) if rng.random() < 0.5 else 0.0
        pose = random_pose(rng, aligned=aligned)
        joints.append(
            Joint(f"joint_{i}", bodies[-1].name, f"link_{i}", motion, pose, rotor_inertia=rotor)
        )
        bodies.append(random_body(rng, f"link_{i}", aligned=aligned))
    return Mechanism("".join(kinds), bodies, joints, gravity=rng.uniform(-9, 9, 3))


@settings(max_examples=10)
@given(
    kinds=st.lists(st.sampled_from("RP"), min_size=1, max_size=4),
    aligned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_chain_gives_its_torques_in_tasks_of_three(kinds, aligned, seed):
    """Any twist, products of inertia, gravity from anywhere, rotors, slides at either end."""
    arm = random_chain(kinds, aligned=aligned, seed=seed)
    x = state_of(arm, seed)
    expected = Numbers(arm).inverse(x.q, x.v, x.a)
    for customization in Customization:
        graph = mp.streamlined_tasks(arm, customization=customization)
        assert all(1 <= task.operations.total <= 3 for task in graph.tasks)
        plan = mp.schedule(graph, mp.uniform_tasks(3))
        assert not plan.violations
        close(plan.execute(x.q, x.v, x.a), expected, ROUNDING)


def test_tasks_that_the_source_does_not_have_bear_letters_and_the_graph_its_own_layers():
    arm = random_chain("RRR", aligned=False, seed=1)
    graph = mp.streamlined_tasks(arm, customization="general")
    foreign = [task.name for task in graph.tasks if not task.name.isdigit()]
    assert {"201ra", "327a"} <= set(foreign)
    assert graph.layers == graph.earliest_layers


def test_a_rotor_loads_its_own_joint_in_one_more_task():
    graph = mp.streamlined_tasks(px.library.puma560())
    rotors = [task for task in graph.tasks if int(task.name) % 100 == 46]
    assert len(rotors) == 6
    assert all(task.operations.total == 2 for task in rotors)
    assert not any(graph.successors[graph.number(task.name)] for task in rotors)
    assert not any(name.endswith("46") for name in mp.streamlined_tasks(general_arm(2)).numbers)


def test_tasks_know_their_link_and_what_they_compute():
    graph = mp.streamlined_tasks(general_arm(3))
    task = graph.tasks[graph.number("326")]
    assert (task.label, task.link, task.layer) == ("F = m a_c", "link_3", 9)


# Drives


def motor_forces(arm, drives, x):
    """Joint-side motor forces by the equations of the drives: what enters the gears, and rotors."""
    *_, into, _ = Numbers(arm)(actuators.drive_torques, x.q, x.v, x.a, drives=drives)
    rotors = np.concatenate([joint.reflected_inertia for joint in arm.moving_joints])
    return into + rotors * x.a


@pytest.mark.parametrize("customization", ["general", "full"])
def test_friction_tasks_compute_what_the_drives_say(customization):
    arm, drives = px.library.puma560(), actuators.puma560_drives()
    graph = mp.streamlined_tasks(arm, customization=customization, drives=drives)
    assert all(1 <= task.operations.total <= 3 for task in graph.tasks)
    plan = mp.schedule(graph, mp.uniform_tasks(4))
    for seed in range(3):
        x = state_of(arm, seed)
        expected = motor_forces(arm, drives, x)
        assert np.abs(plan.execute(x.q, x.v, x.a) - expected).max() < 1e-9
        assert np.abs(expected - Numbers(arm).inverse(x.q, x.v, x.a))[:3].min() > 0.1


def test_friction_of_a_slide():
    arm = general_arm(4, sliding=(2,))
    drives = {"joint_2": actuators.Drive([actuators.Linear(0.1, 0.2)], viscous=3.0)}
    graph = mp.streamlined_tasks(arm, drives=drives)
    x = state_of(arm, 5)
    executed = mp.schedule(graph, mp.uniform_tasks(2)).execute(x.q, x.v, x.a)
    assert np.abs(executed - motor_forces(arm, drives, x)).max() < 1e-10


def test_of_like_drives_only_the_first_joints_is_on_the_critical_path():
    """Each link before ends two layers later, so friction outside of it ends sooner."""
    arm, computer = general_arm(3), mp.uniform_tasks(1)

    def path(joints):
        drives = {f"joint_{i}": drive for i in joints}
        return mp.critical_path(mp.streamlined_tasks(arm, drives=drives), computer).length

    drive = actuators.Drive([actuators.Journal(0.1, 0.1, 0.1)])
    plain, first, second = path([]), path([1]), path([2])
    assert plain < second < first
    assert path([1, 2, 3]) == first


# Bad input


def test_machines_that_are_no_chain_of_turns_and_slides_are_refused():
    with pytest.raises(InvalidModel, match="branches at joint"):
        mp.streamlined_tasks(px.library.torso())
    with pytest.raises(InvalidModel, match=r"moves about a point; expected joints that turn"):
        mp.streamlined_tasks(px.library.chain(2, "spherical"))
    with pytest.raises(InvalidModel, match="has no joint that moves"):
        mp.streamlined_tasks(Mechanism("stone", [px.Body("base")], []))
    arm = general_arm(2)
    last = arm.joints[1]
    follower = Joint(
        last.name, last.parent, last.child, last.motion, last.pose, mimic=Mimic("joint_1", 2.0)
    )
    with pytest.raises(InvalidModel, match="'joint_2' mimics another"):
        mp.streamlined_tasks(Mechanism("gear", arm.bodies, [arm.joints[0], follower]))


def test_unknown_words_are_named():
    with pytest.raises(UnknownName, match=r"no customization 'generl'. Did you mean 'general'"):
        mp.streamlined_tasks(general_arm(2), customization="generl")
    with pytest.raises(UnknownName, match="'elbow'"):
        mp.streamlined_tasks(general_arm(2), drives={"elbow": actuators.Drive()})
    with pytest.raises(InvalidInput, match="'144' is no subtask"):
        tabulated(["143", "144"])
    with pytest.raises(InvalidInput, match="joints=0"):
        general_arm(0)
