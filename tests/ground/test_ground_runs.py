"""Ground in whole runs: momentum and energy go where they must."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.ground import LOAM, SAND, Ground

from .sledge import HOE, NAMES, at_contact, sledge


def test_soil_taken_along_brakes_by_its_momentum():
    # total momentum along the cut changes by the force on the edge alone, while the load grows
    machine = replace(sledge(), gravity=np.zeros(3))
    soil = replace(SAND, cohesion=0.0, unit_weight=4e3)
    ground = Ground(soil, replace(HOE, width=2.0), surface=0.0, slip=0.5)
    run = px.simulate(
        machine, [0, 0, -0.4, 0.5], [4.0, 0.5, 0, 0], duration=0.4, step=5e-4, surroundings=ground
    )
    q, v, load = run["q"], run["v"], run["soil_load"]
    assert load[-1, 0] > 50
    M = px.Dynamics(machine, parameters=["payload.mass"]).mass_matrix(q, load[:, 0])
    momentum = np.einsum("tj,tj->t", M[:, 0], v)
    force = at_contact(ground, machine)(q, v, load, np.zeros((len(q), 1)))[
        2 + NAMES.index("force")
    ][:, 0]
    change = np.diff(momentum)
    impulse = np.diff(run.time) * (force[1:] + force[:-1]) / 2
    assert momentum[-1] < 0.8 * momentum[0]
    np.testing.assert_allclose(np.cumsum(impulse), np.cumsum(change), rtol=1e-4, atol=0.05)


def test_an_arm_that_falls_comes_to_rest_on_the_ground():
    machine = px.library.cat215b(payload=True)
    ground = Ground(LOAM, surface=-0.93)
    # boom only: it lowers the teeth onto the ground
    locked = px.lock(machine, {"cab_hinge": 0.0, "stick_hinge": -1.5, "bucket_hinge": 0.2})
    run = px.simulate(locked, [0.4], duration=4.0, step=1e-3, every=10, surroundings=ground)
    tip = px.Dynamics(locked).forward_kinematics(run["q"], frame="teeth")[:, 2, 3]
    assert tip[0] > -0.5
    assert abs(run["v"][-1, 0]) < 1e-2
    assert -0.5 < tip[-1] - ground.surface < 0
    # it never comes back up to where it fell from
    assert tip[np.argmin(tip) :].max() < ground.surface + 0.05


@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_digging_is_stable_at_the_steps_of_the_machine(step):
    machine = px.library.cat215b(payload=True)
    start, end = np.array([0.0, 0.0, -1.2, 0.5]), np.array([0.0, -0.05, -2.3, -0.4])
    kp, kd = np.array([4e5, 1.5e6, 4e5, 2e5]), np.array([1e5, 3e5, 8e4, 3e4])
    most = np.array([107e3, 334e3, 77e3, 87e3])  # stall torques of the source
    gravity = px.Dynamics(machine).gravity

    def control(t, q, v):
        aim = start + (end - start) * min(t / 3, 1)
        return np.clip(gravity(q) + kp * (aim - q) - kd * v, -most, most)

    run = px.simulate(
        machine, start, duration=3.0, step=step, every=5, control=control, surroundings=Ground()
    )
    assert 300 < run["soil_load"][-1, 0] <= Ground().full_load
    assert np.abs(run["v"]).max() < 1.5
    assert np.abs(np.diff(run["v"], axis=0)).max() < 0.5
