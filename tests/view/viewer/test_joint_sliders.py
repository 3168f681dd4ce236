from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from phalanx.mechanism import Prismatic, Revolute
from phalanx.view.plots.draw import body_poses
from phalanx.view.viewer.joint_sliders import home, joint_sliders, slider_position, slider_values
from strategies import moving


@given(moving())
def test_knobs_say_the_same_posture(drawn):
    mechanism, state = drawn
    q = slider_position(mechanism, slider_values(mechanism, state.q))
    for pose, again in zip(body_poses(mechanism, state.q), body_poses(mechanism, q), strict=True):
        np.testing.assert_allclose(again.matrix, pose.matrix, atol=1e-7)


@given(moving())
def test_a_knob_for_every_freedom(drawn):
    mechanism, _ = drawn
    made = joint_sliders(mechanism, reach=2.0)
    assert len(made) == mechanism.nv
    assert len({slider.name for slider in made}) == len(made)
    assert all(slider.lower < slider.upper for slider in made)


def slider(motion, lower, upper):
    bodies = [px.Body("base"), px.Body("body", 1.0)]
    joint = px.Joint("joint", "base", "body", motion, lower=lower, upper=upper)
    return px.Mechanism("one", bodies, [joint])


@pytest.mark.parametrize(
    ("motion", "limits", "expected", "start"),
    [
        (Revolute(), (-1.0, 2.0), (-1.0, 2.0), 0.0),
        (Revolute(), (1.0, 2.0), (1.0, 2.0), 1.0),
        (Prismatic(), (-np.inf, np.inf), (-3.0, 3.0), 0.0),
        (Prismatic(), (-np.inf, -4.0), (-10.0, -4.0), -4.0),
        (Prismatic(), (5.0, np.inf), (5.0, 11.0), 5.0),
    ],
)
def test_limits(motion, limits, expected, start):
    mechanism = slider(motion, *limits)
    [only] = joint_sliders(mechanism, reach=3.0)
    assert (only.lower, only.upper) == expected
    assert home(mechanism) == [start]


def test_a_long_machine_has_knobs_for_its_first_joints_and_keeps_the_others():
    chain = px.library.chain(50, "spherical")
    made = joint_sliders(chain, reach=1.0)
    assert len(made) == 12  # four whole joints
    q = chain.random_positions(seed=1)
    values = slider_values(chain, q)
    values[0] += 0.1
    moved = slider_position(chain, values, q)
    np.testing.assert_array_equal(moved[16:], q[16:])
    assert np.abs(moved[:4] - q[:4]).max() > 1e-3
    np.testing.assert_allclose(slider_values(chain, moved), values, atol=1e-9)
