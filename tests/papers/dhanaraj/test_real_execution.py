"""Dhanaraj (1990): his tasks on real processors, which the thesis plans but does not run.

Acceptance check 21 of the spec. Torques are compared with ``recursive``, which tests/physics pins
by the virtual power of all bodies.
"""

from functools import cache

import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.studies.dhanaraj import general_arm
from strategies import state_of


@cache
def tasks():
    return mp.streamlined_tasks(general_arm(6), customization="general")


@cache
def moving():
    state = state_of(general_arm(6), 4)
    return state.q, state.v, state.a


@pytest.mark.parametrize("processors", range(1, 10))
def test_threads_return_the_torques_of_one_processor_to_the_last_bit(processors):
    plan = mp.layered(tasks(), mp.uniform_tasks(processors))
    alone = mp.compile_serial(tasks())(*moving())
    assert mp.compile_plan(plan)(*moving()).tobytes() == alone.tobytes()
    expected = px.Dynamics(general_arm(6)).inverse_dynamics(*moving())
    np.testing.assert_allclose(alone, expected, rtol=1e-10, atol=1e-10)


def test_customized_stanford_arm():
    arm = px.library.stanford()
    graph = mp.streamlined_tasks(arm)
    state = state_of(arm, 2)
    alone = mp.compile_serial(graph)(state.q, state.v, state.a)
    for processors in (2, 7):
        program = mp.compile_plan(mp.layered(graph, mp.uniform_tasks(processors)))
        assert program(state.q, state.v, state.a).tobytes() == alone.tobytes()


def test_two_real_processors_lose_where_the_analysis_promises_two():
    """A task of three operations takes a nanosecond, to tell another processor takes fifty.

    The thesis counts communication as free, which it nearly was beside tasks of 135 µs.
    """
    plan = mp.layered(tasks(), mp.uniform_tasks(2))
    measured = mp.measure(plan, *moving(), turns=5)
    assert measured.predicted > 1.9
    assert measured.waits > 20
    assert measured.speedup < 1
