import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, replace
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from phalanx.mechanism import Mechanism, Pose, Revolute
from strategies import mechanisms


def back(value):
    return pickle.loads(pickle.dumps(value))


@given(mechanisms())
def test_what_is_unpickled_is_equal_and_has_the_same_hash(mechanism):
    again = back(mechanism)
    assert again is not mechanism
    assert again == mechanism and hash(again) == hash(mechanism)
    assert again.joints == mechanism.joints and again.bodies == mechanism.bodies


@pytest.mark.parametrize("name", px.library.names())
def test_every_machine_of_the_library(name):
    assert back(px.load(name)) == px.load(name)


def test_nothing_that_was_found_out_is_pickled():
    fresh = pickle.dumps(px.library.puma560())
    used = px.library.puma560()
    assert used.nv == 6 and hash(used) and used.joint(used.joints[0].name)
    assert len(pickle.dumps(used)) == len(fresh)
    assert set(vars(back(used))) == {field.name for field in fields(Mechanism)}


def test_arrays_stay_closed():
    again = back(px.library.puma560())
    arrays = [again.gravity, again.bodies[1].inertia, again.joints[0].pose.rotation]
    arrays += [again.joints[0].damping, again.joints[0].motion.axis]
    for array in arrays:
        with pytest.raises(ValueError, match=r"read-only|not writeable|cannot set"):
            array[...] = 1.0


def test_an_axis_is_not_scaled_a_second_time():
    # rounding leaves some unit vectors at another length than one
    rng = np.random.default_rng(3)
    for axis in rng.normal(size=(200, 3)):
        motion = Revolute(axis)
        assert back(motion).axis.tobytes() == motion.axis.tobytes()


def test_copies_are_the_machine_itself():
    puma = px.library.puma560()
    assert copy.deepcopy(puma) is puma and copy.copy(puma) is puma
    assert copy.deepcopy({"arm": puma})["arm"] is puma


@pytest.mark.parametrize(
    "change",
    [
        lambda m: replace(m, name="other"),
        lambda m: replace(m, gravity=np.array([0.0, 0.0, -1.6])),
        lambda m: replace(m, bodies=[replace(b, mass=b.mass * 2) for b in m.bodies]),
        lambda m: replace(m, joints=[replace(j, damping=7.0) for j in m.joints]),
        lambda m: replace(m, joints=[replace(j, pose=Pose()) for j in m.joints]),
        lambda m: replace(m, frames=[px.Frame("gripper", m.bodies[-1].name)]),
        lambda m: px.with_floating_base(m),
    ],
)
def test_what_differs_is_not_equal(change):
    puma = px.library.puma560()
    assert change(puma) != puma
    assert change(puma) == change(puma)


def test_equality_with_something_else():
    assert px.library.puma560() != "puma560"
    assert Revolute((0, 0, 1)) != px.mechanism.Continuous((0, 0, 1))


def test_a_zero_has_no_sign_in_equality_and_hash():
    a, b = px.Pose(translation=np.array([0.0, 1.0, 0.0])), px.Pose(translation=[-0.0, 1.0, 0.0])
    assert a == b and hash(a) == hash(b)


def _torque(mechanism):
    return px.Dynamics(mechanism, threads=1).gravity(np.full(mechanism.nq, 0.3))


def test_through_a_process_that_is_started_anew():
    puma = px.library.puma560()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        far = pool.submit(_torque, puma).result()
    np.testing.assert_array_equal(far, _torque(puma))
