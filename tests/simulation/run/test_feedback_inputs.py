"""Inputs that watch the machine: they are told its state, and every run has its own watch."""

import numpy as np

import phalanx as px
from phalanx.simulation.run.inputs import FeedbackInput

PUSHED = px.Law(lambda model, t, q, v, push: push, {"push": 2})
STIFFNESS = np.array([30.0, 10.0])


class Spring(FeedbackInput):
    """Pulls towards zero, and counts how often it was looked at."""

    def __init__(self):
        self.begun = []

    def begin(self, mechanism):
        seen = []
        self.begun.append(seen)

        def watch(t, q, states):
            seen.append(t)
            assert states == {}
            return -STIFFNESS * q

        return watch


def test_a_watch_sees_the_state_at_the_begin_of_each_step():
    machine = px.library.double_pendulum()
    watched = px.simulate(
        machine, [0.5, -0.2], duration=0.2, step=0.01, control=PUSHED, inputs={"push": Spring()}
    )
    held = px.simulate(
        machine, [0.5, -0.2], duration=0.2, step=0.01, control=lambda t, q, v: -STIFFNESS * q
    )
    np.testing.assert_allclose(watched["q"], held["q"], rtol=0, atol=1e-12)


def test_every_run_has_a_watch_of_its_own_that_sees_time_pass():
    spring, machine = Spring(), px.library.double_pendulum()
    for _ in range(2):
        px.simulate(machine, duration=0.05, step=0.01, control=PUSHED, inputs={"push": spring})
    first, second = spring.begun
    assert first == second
    assert (np.diff(first) >= 0).all()
    np.testing.assert_allclose(sorted(set(first)), 0.01 * np.arange(6))
