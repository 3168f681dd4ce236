"""Sliders of machines with loops: whatever is turned, loops stay closed, or it is not turned."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import phalanx as px
from flat_linkage import flat_four_bar
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.view.viewer.closed_loop_posing import HALVINGS, STRIDE, ClosedLoopPosing
from phalanx.view.viewer.joint_sliders import slider_values

MACHINES = (
    *("four_bar", "slider_crank", "five_bar", "planar_3rrr"),
    *("delta", "stewart", "bucket_linkage"),
)
CLOSED = 1e-11  # [m or rad]


@lru_cache
def closing(name):
    return ClosedLoopPosing(px.library.by_name(name))


def motors(mechanism):
    return [mechanism.v_slices[joint.name].start for joint in mechanism.actuated_joints]


def test_home_is_closed_where_all_joints_at_zero_lie_flat():
    machine = ClosedLoopPosing(flat_four_bar())
    assert closed_loops(machine.mechanism).open_loops(machine.mechanism.neutral())
    assert not closed_loops(machine.mechanism).open_loops(machine.home, CLOSED)


@pytest.mark.parametrize("name", MACHINES)
def test_motors_turn_the_machine_on_its_loops_while_other_motors_stand_still(name):
    machine = closing(name)
    m = machine.mechanism
    for slider in motors(m):
        reached = machine.turn(machine.home, slider, 0.08)
        before, after = (slider_values(m, q) for q in (machine.home, reached.q))
        assert not reached.obstacle
        assert not closed_loops(m).open_loops(reached.q, CLOSED)
        assert after[slider] == 0.08
        others = [k for k in motors(m) if k != slider]
        np.testing.assert_array_equal(after[others], before[others])
        passive = np.setdiff1d(np.arange(m.nv), motors(m))
        assert np.abs(after - before)[passive].max() > 0.01


@pytest.mark.parametrize("name", MACHINES)
def test_passive_joints_take_along_what_they_need(name):
    machine = closing(name)
    m = machine.mechanism
    # away from home, which is a dead point of the slider-crank, and from the ends of strokes
    start = machine.turn(machine.home, motors(m)[0], 0.08).q
    for joint in set(m.moving_joints) - set(m.actuated_joints):
        slider = m.v_slices[joint.name].start
        # part of the way back, which exists whichever way the joint went
        before, home = (slider_values(m, q)[slider] for q in (start, machine.home))
        value = before + 0.3 * (home - before)
        reached = machine.turn(start, slider, value)
        assert not reached.obstacle, joint.name
        assert not closed_loops(m).open_loops(reached.q, CLOSED)
        assert slider_values(m, reached.q)[slider] == pytest.approx(value, abs=1e-12)


def test_the_pose_of_a_stewart_platform_is_inverse_kinematics():
    machine = closing("stewart")
    m = machine.mechanism
    reached = machine.turn(machine.home, 2, 0.1)  # straight up
    shifts = reached.q[[m.q_slices[joint.name].start for joint in m.actuated_joints]]
    # a leg of length l at height 0.6 m becomes sqrt(l² - 0.6² + 0.7²)
    across = 0.5**2 + 0.3**2 - 2 * 0.5 * 0.3 * np.cos(np.pi / 3 - 2 * np.pi / 15)
    wanted = np.sqrt(across + 0.7**2) - np.sqrt(across + 0.6**2)
    np.testing.assert_allclose(shifts, wanted, atol=1e-12)


def test_a_crank_turns_fully_and_comes_back_to_the_same_posture():
    machine = closing("four_bar")
    q = machine.home
    for angle in (2.0, 4.0, 2 * np.pi):
        reached = machine.turn(q, 0, angle)
        assert not reached.obstacle
        q = reached.q
    np.testing.assert_allclose(q[1:], [-2 * np.pi, 0.0], atol=1e-9)


def test_a_rocker_goes_to_its_dead_point_and_no_further():
    machine = closing("four_bar")
    ground, crank, coupler, rocker = 0.7, 0.2, 0.6, 0.5
    at_home = np.pi - np.arccos(((ground - crank) ** 2 + rocker**2 - coupler**2) / (2 * 0.5 * 0.5))
    # crank and coupler in line: the triangle of ground, rocker and their sum or difference
    stretched, folded = (
        np.pi - np.arccos((ground**2 + rocker**2 - reach**2) / (2 * ground * rocker))
        for reach in (coupler + crank, coupler - crank)
    )
    assert stretched < at_home < folded
    for way, dead_point in ((-1.5, stretched), (1.5, folded)):
        reached = machine.turn(machine.home, 2, way)
        assert reached.obstacle == "the loops do not close"
        assert not closed_loops(machine.mechanism).open_loops(reached.q, CLOSED)
        left = abs(reached.q[2] - (dead_point - at_home))
        assert left <= STRIDE / 2**HALVINGS


def test_a_limit_of_another_joint_is_respected():
    machine = closing("bucket_linkage")
    m = machine.mechanism
    bucket = m.v_slices["bucket"].start
    reached = machine.turn(machine.home, bucket, -1.5)
    assert reached.obstacle == "joint 'cylinder' is at its limit"
    assert abs(reached.q[m.q_slices["cylinder"]][0]) == pytest.approx(0.22, abs=1e-3)


def test_a_platform_does_not_turn_where_its_rods_keep_it_level():
    machine = closing("delta")
    reached = machine.turn(machine.home, 3, 0.2)  # roll
    assert reached.obstacle.startswith("the loops do not close")
    np.testing.assert_array_equal(reached.q, machine.home)


@pytest.mark.parametrize("name", MACHINES)
def test_random_postures_are_closed_different_and_within_limits(name):
    machine = closing(name)
    m = machine.mechanism
    rng = np.random.default_rng(3)
    found = [machine.random(rng) for _ in range(5)]
    for q in found:
        assert not closed_loops(m).open_loops(q, CLOSED)
        assert not np.array_equal(q, machine.home)  # what comes back when none is found
        for joint in m.moving_joints:
            x = q[m.q_slices[joint.name]]
            if len(x) == len(joint.lower):
                assert (joint.lower <= x).all() and (x <= joint.upper).all()
    assert np.ptp(found, axis=0).max() > 0.02


def test_loops_that_are_open_are_closed_by_the_first_slider():
    machine = closing("planar_3rrr")
    opened = machine.home + 0.02
    assert closed_loops(machine.mechanism).open_loops(opened, 1e-3)
    reached = machine.turn(opened, 0, 0.05)
    assert not reached.obstacle
    assert not closed_loops(machine.mechanism).open_loops(reached.q, CLOSED)


def test_drives_of_linkages_suffice_and_those_of_a_machine_on_cylinders_do_not():
    assert closing("four_bar").drives_suffice
    assert not closing("cat215b_cylinders").drives_suffice
