"""Numbers of forces and gains that are told to each run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.setup.parameters import number_value, parameters_of_setup

ARM = px.library.double_pendulum()
SHOULDER, ELBOW = (joint.name for joint in ARM.moving_joints)
LAW = px.proportional_derivative([0.2, 0.1], stiffness=[30.0, 20.0], damping=4.0)
BEGIN = {"q0": [0.5, -0.3], "v0": [0.0, 1.0]}


def setup(**changes) -> px.Setup:
    given = {"forces": (px.Damping(), px.Friction(), px.Stops(1e4, 1e2)), "control": LAW}
    return px.Setup(ARM, **(given | changes))


def test_what_is_told_is_what_would_be_compiled_in() -> None:
    told = {f"{ELBOW}.damping": 0.8, f"{ELBOW}.friction": 0.3, "control.stiffness": [50.0, 10.0]}
    run = px.simulate(
        setup(parameters=tuple(told)), **BEGIN, duration=0.3, step=1e-3, parameters=told
    )
    joints = [
        replace(joint, damping=0.8, friction=0.3) if joint.name == ELBOW else joint
        for joint in ARM.joints
    ]
    law = px.proportional_derivative([0.2, 0.1], stiffness=[50.0, 10.0], damping=4.0)
    same = px.Setup(replace(ARM, joints=tuple(joints)), setup().forces, law)
    wanted = px.simulate(same, **BEGIN, duration=0.3, step=1e-3)
    np.testing.assert_allclose(run["q"], wanted["q"], rtol=0, atol=1e-12)


def test_a_number_is_what_it_is_without_being_told() -> None:
    found = parameters_of_setup(setup())
    assert found["stops.stiffness"] == 1e4 and found["control.damping"] == 4.0
    assert found["control.stiffness"].tolist() == [30.0, 20.0]
    assert number_value(setup(), f"{ARM.bodies[-1].name}.mass") == ARM.bodies[-1].mass


def test_a_name_of_two_numbers_is_refused() -> None:
    twice = setup(forces=(px.Stops(5.0, 1.0), px.Stops(10.0, 1.0)), parameters=("stops.stiffness",))
    with pytest.raises(px.InvalidInput, match="several numbers"):
        px.CompiledRollout(twice)


@pytest.mark.parametrize(
    ("name", "near"), [("control.stifness", "control.stiffness"), ("stop.damping", "stops.damping")]
)
def test_a_name_that_does_not_exist_gets_the_nearest(name: str, near: str) -> None:
    with pytest.raises(px.UnknownName, match=f"Did you mean '{near}'"):
        px.CompiledRollout(setup(parameters=(name,)))


def test_gains_of_a_law_of_ones_own() -> None:
    law = px.Law(lambda model, t, q, v, pull: -pull * q, gains={"pull": 2.0})
    told = setup(control=law, parameters=("control.pull",))
    pulls = np.array([2.0, 9.0])
    runs = px.rollout(
        told, BEGIN["q0"], BEGIN["v0"], steps=50, parameters={"control.pull": pulls}, record=("q",)
    )
    for row, pull in enumerate(pulls):
        own = replace(law, gains={"pull": pull})
        plain = px.rollout(setup(control=own), BEGIN["q0"], BEGIN["v0"], steps=50, record=("q",))
        np.testing.assert_allclose(runs.q[row], plain.q, rtol=0, atol=1e-12)


def test_rigid_body_dynamics_knows_no_friction() -> None:
    with pytest.raises(px.UnknownName, match=f"no parameter '{ELBOW}.friction'"):
        px.Dynamics(ARM, parameters=[f"{ELBOW}.friction"])


def test_a_damping_that_nothing_depends_on_is_refused() -> None:
    with pytest.raises(px.InvalidInput, match=r"add Damping\(\)"):
        px.rollout(
            px.Setup(ARM, forces=(), parameters=(f"{ELBOW}.damping",)),
            ARM.neutral(),
            np.zeros(ARM.nv),
            steps=1,
            parameters={f"{ELBOW}.damping": 1.0},
        )
