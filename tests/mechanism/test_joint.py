import numpy as np
import pytest

from phalanx.base.errors import InvalidModel
from phalanx.mechanism import (
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mimic,
    Planar,
    Revolute,
    Screw,
    Spherical,
    Universal,
)


def test_axes_are_scaled_to_length_one():
    np.testing.assert_allclose(Revolute((3, 0, 4)).axis, (0.6, 0, 0.8))
    np.testing.assert_array_equal(Revolute((0, 0, 5)).axis, (0, 0, 1))


@pytest.mark.parametrize("axis", [(0, 0, 0), (np.nan, 0, 1), (1, 0), "z"])
def test_bad_axes_are_refused(axis):
    with pytest.raises(InvalidModel):
        Revolute(axis)


def test_parallel_axes_are_no_universal_joint():
    with pytest.raises(InvalidModel, match="parallel"):
        Universal((0, 0, 1), (0, 0, -2))


@pytest.mark.parametrize("pitch", [0, 0.0, np.nan, np.inf, 1e200, "M8", None])
def test_a_screw_needs_a_pitch(pitch):
    with pytest.raises(InvalidModel, match="pitch"):
        Screw((0, 0, 1), pitch)


def test_one_number_holds_for_every_freedom():
    joint = Joint("j", "a", "b", Floating(), damping=0.1)
    np.testing.assert_array_equal(joint.damping, [0.1] * 6)
    assert Joint("j", "a", "b", Fixed(), damping=0.1).damping.shape == (0,)


@pytest.mark.parametrize(
    ("reason", "numbers"),
    [
        ("damping", {"damping": -1.0}),
        ("friction", {"friction": np.inf}),
        ("rotor inertia", {"rotor_inertia": "much"}),
        ("effort limit", {"effort_limit": np.nan}),
        ("gear ratio", {"gear_ratio": [1.0, 2.0]}),
        ("lower limit", {"lower": 1.0, "upper": -1.0}),
        ("NaN", {"mimic": Mimic("k", np.nan)}),
    ],
)
def test_bad_numbers_are_refused_with_the_joint_s_name(reason, numbers):
    with pytest.raises(InvalidModel, match=reason) as caught:
        Joint("elbow", "a", "b", Revolute(), **numbers)
    assert "'elbow'" in str(caught.value)


def test_motion_is_a_value_not_a_string():
    with pytest.raises(InvalidModel, match="Revolute"):
        Joint("elbow", "a", "b", "revolute")


@pytest.mark.parametrize("motion", [Spherical(), Cylindrical(), Planar(), Floating(), Fixed()])
def test_only_joints_with_one_freedom_mimic(motion):
    with pytest.raises(InvalidModel, match="mimic"):
        Joint("j", "a", "b", motion, mimic=Mimic("k"))


def test_rotor_is_felt_by_the_square_of_the_ratio():
    joint = Joint("j", "a", "b", Revolute(), rotor_inertia=1e-4, gear_ratio=-100.0)
    np.testing.assert_allclose(joint.reflected_inertia, [1.0])


def test_equal_numbers_are_kept_once_and_nobody_can_write_to_them():
    one, other = (Joint(name, "a", "b", Revolute(), damping=0.5) for name in "xy")
    assert one.damping is other.damping
    with pytest.raises(ValueError, match="WRITEABLE"):
        one.damping.setflags(write=True)
    assert Joint("z", "a", "b", Floating(), damping=0.5).damping.shape == (6,)


def test_a_negative_zero_stays_one():
    for zero in (0.0, -0.0):
        assert np.signbit(Joint("j", "a", "b", Revolute(), lower=zero).lower[0]) == np.signbit(zero)


@pytest.mark.parametrize("name", ["elbow", "wrist"])
def test_numbers_that_were_refused_before_are_refused_again(name):
    with pytest.raises(InvalidModel, match=f"the damping of joint '{name}' is .-1.0.: a NaN"):
        Joint(name, "a", "b", Revolute(), damping=-1.0)
