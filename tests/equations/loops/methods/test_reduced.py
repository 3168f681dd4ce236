"""Dynamics in the free coordinates: energy, work, and what the free joints have to do."""

import numpy as np
import pytest

import phalanx as px
from equations.loops.machines import moving, numbers
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.loops import (
    actuation,
    complete_motion,
    multipliers,
    reduced_bias,
    reduced_gravity,
    reduced_inverse_dynamics,
    reduced_mass_matrix,
)
from phalanx.equations.loops.assembly.free_joints import independent_velocities


@pytest.fixture(params=["four_bar", "bucket_linkage", "planar_3rrr", "stewart"])
def state(request):
    n = numbers(request.param)
    q, v, tau = moving(request.param)
    return n, q, v, tau, independent_velocities(n.mechanism)


def test_kinetic_energy_is_that_of_all_bodies(state):
    n, q, v, _, free = state
    M = n(reduced_mass_matrix, q)
    assert M.shape == (len(free), len(free))
    close(M, M.T, 1e-12)
    close(v[free] @ M @ v[free] / 2, n(eq.kinetic_energy, q, v), 1e-10)


def test_forces_of_the_free_joints_make_the_motion_they_were_asked_for(state):
    n, q, v, tau, free = state
    driven = np.zeros_like(tau)
    driven[free] = tau[free]
    a = n(multipliers, q, v, driven)
    found = n(reduced_inverse_dynamics, q, v[free], a[free])
    close(found, tau[free], 1e-8)
    M, c = n(reduced_mass_matrix, q), n(reduced_bias, q, v[free])
    close(M @ a[free] + c, tau[free], 1e-8)


def test_work_of_all_joint_forces_is_that_of_the_free_ones(state):
    """Under any joint forces, motors in passive joints too: power = rate of the energy."""
    n, q, v, tau, free = state
    a = n(multipliers, q, v, tau)
    close(n(reduced_inverse_dynamics, q, v[free], a[free]) @ v[free], tau @ v, 1e-8)


def test_gravity_is_the_slope_of_the_potential_energy(state):
    n, q, v, _, free = state
    slope = n.along(lambda x: n(eq.potential_energy, x), q, v)
    close(n(reduced_gravity, q) @ v[free], slope, 1e-7)


@pytest.mark.parametrize("name", ["planar_3rrr", "stewart"])
def test_motors_that_are_free_joints_do_what_actuation_says(name):
    n = numbers(name)
    q, v, tau = moving(name)
    motors = [joint.name for joint in n.mechanism.actuated_joints][::-1]
    free = [n.mechanism.v_slices[motor].start for motor in motors]
    a = n(multipliers, q, v, tau)
    wanted = n(actuation, q, v, a, actuated=motors)[0]
    close(n(reduced_inverse_dynamics, q, v[free], a[free], independent=motors), wanted, 1e-9)


def test_without_loops_they_are_those_of_the_tree():
    n = Numbers(px.library.puma560())
    q, v, a = np.random.default_rng(0).standard_normal((3, 6))
    close(n(reduced_inverse_dynamics, q, v, a), n.inverse(q, v, a), 1e-13)
    close(n(reduced_mass_matrix, q), n.mass_matrix(q), 1e-13)
    close(n(reduced_bias, q, v), n(eq.bias, q, v), 1e-13)
    close(n(reduced_gravity, q), n(eq.gravity, q), 1e-13)


def test_a_wrench_counts_by_the_work_it_does():
    """Virtual work of a wrench on the platform."""
    n = numbers("planar_3rrr")
    q, v, _ = moving("planar_3rrr")
    free = independent_velocities(n.mechanism)
    wrench = np.array([1.0, 2.0, 3.0, 0.3, 0.2, 0.1])
    still = np.zeros(3)
    loaded = n(reduced_inverse_dynamics, q, v[free], still, wrench, wrenches=("platform",))
    plain = n(reduced_inverse_dynamics, q, v[free], still)
    R = n(eq.forward_kinematics, q, frame="platform")[:3, :3]
    V = n(eq.frame_velocity, q, n(complete_motion, q, v[free], still)[0], frame="platform")
    power = V[:3] @ R @ wrench[:3] + V[3:] @ R @ wrench[3:]
    close((plain - loaded) @ v[free], power, 1e-11)
