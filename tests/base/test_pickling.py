"""Runs that travel: pickled as descriptions, equal when they come back."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.signal import Signal

ARM = px.library.chain(2)


def back(value):
    return pickle.loads(pickle.dumps(value))


def recording():
    t = np.linspace(0, 1, 11)
    broken = np.where(t < 0.5, t, np.nan)
    signals = [Signal("q", "rad", ("a", "b"), np.column_stack([t, broken]))]
    return px.Recording(t, signals, {"model": "arm", "gains": [1.0, 2.0]})


def test_a_recording_comes_back():
    run = recording()
    again = back(run)
    assert again == run and hash(again) == hash(run)
    assert again.settings == run.settings
    with pytest.raises(ValueError, match="read-only"):
        again["q"][0] = 1.0
    with pytest.raises(AttributeError, match="read-only"):
        again.time = run.time


def test_a_part_of_a_recording_takes_only_its_part_along():
    t = np.linspace(0, 1, 100_001)
    run = px.Recording(t, [Signal("q", "rad", (), t)])
    assert len(pickle.dumps(run.between(0.0, 0.001))) < len(pickle.dumps(run)) / 100


def test_recordings_that_differ():
    run = recording()
    assert run == recording() and run != run.every(2) and run != "run"
    other = px.Recording(run.time, run.signals, {"model": "leg"})
    assert run != other
    assert run != px.Recording(run.time, [Signal("q", "m", ("a", "b"), run["q"])], run.settings)
    assert copy.deepcopy(run) is run


@pytest.mark.parametrize(
    "law",
    [
        px.proportional_derivative(np.zeros(2), stiffness=10.0, damping=1.0),
        px.computed_torque(np.zeros(2), stiffness=[10.0, 20.0], damping=1.0),
        px.with_true_model(px.computed_torque(np.zeros(2), stiffness=10.0, damping=1.0)),
        px.feedforward(px.planning.cycloid(1.0, np.zeros(2), np.ones(2))),
        px.track(px.planning.wave(1.0, np.zeros(2), 0.1), stiffness=9.0, damping=3.0),
        None,
    ],
    ids=["pd", "computed torque", "true model", "feedforward", "track", "none"],
)
def test_rollouts_come_back_with_their_law(law):
    loop = px.CompiledRollout(px.Setup(ARM, control=law), step=2e-3, record=("q", "tau"))
    again = back(loop)
    assert again == loop and hash(again) == hash(loop)
    q0 = np.array([[0.3, 0.1], [0.0, -0.2]])
    ours, theirs = (x(q0, np.zeros(2), steps=20) for x in (loop, again))
    assert ours == theirs and back(ours) == ours
    assert again.step == 2e-3 and again.record == ("q", "tau")


def test_rollouts_are_pickled_without_machine_code():
    assert len(pickle.dumps(px.CompiledRollout(ARM))) < 10_000


def test_rollouts_that_differ():
    loop = px.CompiledRollout(ARM)
    assert loop == px.CompiledRollout(ARM)
    assert loop != px.CompiledRollout(ARM, step=1e-4) and loop != px.CompiledRollout(
        ARM, dtype="float32"
    )
    assert loop != px.CompiledRollout(px.library.chain(3))
    assert copy.deepcopy(loop) == loop


def test_outcomes_that_differ():
    done = px.rollout(ARM, np.zeros(2), np.zeros(2), steps=3)
    assert done == px.rollout(ARM, np.zeros(2), np.zeros(2), steps=3)
    assert done != px.rollout(ARM, np.zeros(2) + 1e-9, np.zeros(2), steps=3)
    assert done != px.rollout(ARM, np.zeros(2), np.zeros(2), steps=3, record=("q",))


def test_arguments_of_a_law_are_those_of_the_call():
    target = np.zeros(2)
    law = px.proportional_derivative(target, stiffness=10.0, damping=1.0)
    target[:] = 5.0
    ours, theirs = (
        px.rollout(px.Setup(ARM, control=x), np.ones(2), np.zeros(2), steps=5)
        for x in (law, back(law))
    )
    assert ours == theirs


def _run_there(loop, q0):
    return loop(q0, np.zeros(2), steps=5)


def test_through_a_process_that_is_started_anew():
    law = px.proportional_derivative(np.zeros(2), stiffness=10.0, damping=1.0)
    loop = px.CompiledRollout(px.Setup(ARM, control=law), threads=1)
    q0 = np.full((3, 2), 0.3)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_run_there, loop, q0).result() == _run_there(loop, q0)
