"""Motions of a few joints or of a frame determine that of the machine, and give it."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from equations.loops.machines import NAMES, moving, numbers
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.loops import (
    complete_motion,
    complete_motion_of_frame,
    free_amplification,
    loop_residuals,
    multipliers,
)
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.methods.elimination import least_squares

FRAMES = {"four_bar": "coupler", "planar_3rrr": "platform", "stewart": "tool"}


@pytest.mark.parametrize("name", NAMES)
def test_free_joints_move_all_others_as_forward_dynamics_does(name):
    n = numbers(name)
    picked = independent_velocities(n.mechanism)
    for seed in range(3):
        q, v, tau = moving(name, seed)
        a = n(multipliers, q, v, tau)
        found = n(complete_motion, q, v[picked], a[picked])
        close(found[0], v, 1e-9)
        close(found[1], a, 1e-9)
        for residual in n(loop_residuals, q, *found):
            close(residual, np.zeros(len(n.mechanism.loops)), 1e-9 * (1 + np.abs(a).max()))


@pytest.mark.parametrize(("name", "frame"), FRAMES.items())
def test_a_frame_moves_all_joints_as_they_moved_it(name, frame):
    n = numbers(name)
    q, v, tau = moving(name)
    a = n(multipliers, q, v, tau)
    V = n(eq.frame_velocity, q, v, frame=frame)
    A = n(eq.frame_acceleration, q, v, a, frame=frame)
    found_v, found_a, residual, _ = n(complete_motion_of_frame, q, V, A, frame=frame)
    close(found_v, v, 1e-9)
    close(found_a, a, 1e-9)
    assert residual.max() < 1e-9 * (1 + np.abs(A).max())


def test_a_residual_is_how_far_the_nearest_motion_is():
    """A crank about y: what is asked of its tip beside the circle is left over."""
    n = Numbers(px.library.double_pendulum())
    q = np.array([0.3, 0.4])
    J = n(eq.jacobian, q, frame="tip")
    wanted = np.random.default_rng(2).standard_normal((2, 6))
    v, _, residual, _ = n(complete_motion_of_frame, q, *wanted, frame="tip")
    nearest = np.linalg.lstsq(J, wanted[0], rcond=None)[0]
    close(v, nearest, 1e-12)
    close(residual[0], np.linalg.norm(J @ nearest - wanted[0]), 1e-12)


def test_without_loops_all_joints_are_free():
    n = Numbers(px.library.puma560())
    q, v, a = np.random.default_rng(0).standard_normal((3, 6))
    close(n(complete_motion, q, v, a), (v, a), 0.0)


def test_given_joints_are_free_in_their_order():
    n = numbers("planar_3rrr")
    q, v, tau = moving("planar_3rrr")
    a = n(multipliers, q, v, tau)
    names = ["drive_3", "drive_1", "drive_2"]
    at = [n.mechanism.v_slices[name].start for name in names]
    found = n(complete_motion, q, v[at], a[at], independent=names)
    close(found[0], v, 1e-9)
    close(found[1], a, 1e-9)


def test_amplification_is_what_the_loops_make_of_unit_velocities():
    """A slider drives a crank, and at the dead point it does not."""
    n = numbers("slider_crank")
    m = n.mechanism
    dead = n(free_amplification, px.assemble(m).q, independent=["slider"])
    assert not dead < 1e7
    q, v, _ = moving("slider_crank")
    along = v / v[m.v_slices["slider"].start]
    close(n(free_amplification, q, independent=["slider"]), [np.linalg.norm(along)], 1e-9)


@pytest.mark.parametrize(
    ("machine", "frame", "message"),
    [
        ("stewart", "rod_1", "determines 3 of the 6 .* 3 more can move"),
        ("puma560", "link_3", "determines 3 of the 6"),
        ("five_bar", "base", "determines 0 of the 2"),
    ],
)
def test_a_frame_that_says_too_little(machine, frame, message):
    with pytest.raises(px.InvalidInput, match=message):
        px.expression(complete_motion_of_frame, px.library.by_name(machine), frame=frame)


def test_least_squares_by_reflections():
    """Against LAPACK, with a zero where elimination would divide by it."""
    A, right = np.random.default_rng(0).standard_normal((2, 6, 3))
    A[0, 0] = 0.0
    found = ca.Function("f", [], [least_squares(ca.SX(ca.DM(A)), ca.SX(ca.DM(right)))])()["o0"]
    close(np.asarray(found), np.linalg.lstsq(A, right, rcond=None)[0], 1e-13)
