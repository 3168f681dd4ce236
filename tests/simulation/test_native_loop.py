"""Real-time loop in native code: states, inputs and faults; the clock is in test_realtime."""

from __future__ import annotations

import threading
import time

import casadi as ca
import numpy as np
import pytest

from phalanx.kernel import compile
from phalanx.kernel.loops import paced_words as words
from phalanx.simulation.realtime.native import NativeLoop
from phalanx.simulation.realtime.pacing import CatchUp, Pacing
from waiting import eventually, falls_asleep


@pytest.fixture(scope="module")
def kernel():
    """x_next = (x0 + u, x0 · x1)."""
    x, u = ca.SX.sym("x", 2), ca.SX.sym("u")
    after = ca.vertcat(x[0] + u, x[0] * x[1])
    return compile(ca.Function("step", [x, u], [after], ["x", "u"], ["x_next"]))


STAYS = Pacing(stays=True)


def made(kernel, x=(1.0, 1.0), u=0.5, period=1e-3, every=1, pacing=STAYS):
    return NativeLoop(kernel, np.array(x), [np.array([u])], period, pacing=pacing, every=every)


def test_free_steps_are_those_of_the_kernel(kernel):
    loop = made(kernel)
    loop.take(5)
    count, x = loop.state()
    wanted = np.array([1.0, 1.0])
    for _ in range(5):
        wanted = kernel(wanted, np.array([0.5]))
    assert count == 5
    np.testing.assert_array_equal(x, wanted)


def test_a_paused_loop_takes_no_step(kernel):
    loop = made(kernel)
    loop.pause()
    thread = threading.Thread(target=loop.run)
    thread.start()
    falls_asleep(thread)
    assert loop.paused and loop.state()[0] == 0
    loop.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_inputs_are_read_at_every_step(kernel):
    loop = made(kernel, u=0.0)
    loop.take(3)
    assert loop.state()[1][0] == 1.0
    loop.set_inputs({0: [2.0]})
    assert loop.inputs() == [2.0]
    loop.take(3)
    assert loop.state()[1][0] == 7.0


def test_steps_wait_for_their_time(kernel):
    loop = made(kernel, x=(0.0, 0.0), period=5e-3)
    begin = time.perf_counter()
    timing = loop.run(20 * 5e-3)
    took = time.perf_counter() - begin
    assert took >= 19 * 5e-3  # the first is due at once
    assert timing.steps == 20 and timing.elapsed <= took
    assert timing.step_median > 0 and loop.recent_timing(7).step_median > 0


def test_lateness_is_counted_and_given_up_in_the_end(kernel):
    """Steps due every nanosecond are all missed; what is too far behind is given up."""
    loop = made(kernel, x=(0.0, 0.0), period=1e-9, pacing=Pacing(policy=CatchUp(100)))
    assert loop.run(50e-9).missed == 50
    assert loop._words[words.GIVEN_UP] > 0 and loop._words[words.LATE] <= 100


def test_states_are_kept_while_wanted(kernel):
    loop = made(kernel, x=(1.0, 0.0), u=1.0, every=2)
    loop.take(3)
    assert loop.fetch().states.shape == (0, 2)
    loop.keep(True)
    loop.take(6)  # steps 3 to 8, of which 4, 6 and 8 are even
    kept = loop.fetch()
    np.testing.assert_array_equal(kept.counts, [4, 6, 8])
    np.testing.assert_array_equal(kept.states[:, 0], [5.0, 7.0, 9.0])  # x0 = 1 + step
    np.testing.assert_array_equal(kept.inputs, [[[1.0]] * 3])
    assert len(loop.fetch().counts) == 0
    loop.take(2 * 3 * words.RING)
    late = loop.fetch()  # more than the ring holds: the latest, in order
    assert len(late.counts) == words.RING - 1
    assert (np.diff(late.states[:, 0]) == 2).all() and (np.diff(late.counts) == 2).all()


def test_by_the_clock_no_state_is_lost(kernel):
    """Steps wait for whoever fetches what is kept, and all of it is there."""
    loop = made(kernel, x=(0.0, 0.0), u=1.0, period=1e-9)
    loop.keep(True)
    steps = words.RING + 100
    thread = threading.Thread(target=loop.run, args=(steps * 1e-9,))
    thread.start()
    eventually(lambda: loop.state()[0] == words.RING - 1)
    falls_asleep(thread)
    assert loop.state()[0] == words.RING - 1
    kept = [loop.fetch().counts]
    thread.join(60)
    kept.append(loop.fetch().counts)
    np.testing.assert_array_equal(np.concatenate(kept), np.arange(steps))


def test_numbers_that_are_none_pause_and_are_not_taken(kernel):
    loop = made(kernel, x=(1.0, 1.0), u=np.inf)
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        loop.resume()
        eventually(lambda: loop.fault)
        assert loop.paused and loop.state()[0] == 0
        np.testing.assert_array_equal(loop.state()[1], [1.0, 1.0])
        loop.set_inputs({0: [1.0]})
        loop.restart(np.array([2.0, 0.0]))
        assert not loop.fault and loop.paused
        loop.resume()
        eventually(lambda: loop.state()[0] > 3)
    finally:
        loop.stop()
        thread.join(10)
    assert not thread.is_alive()


def test_a_fault_ends_a_run_where_it_is_to(kernel):
    loop = made(kernel, x=(1e200, 1e200), pacing=Pacing())
    loop.run()
    assert loop.fault and loop.state()[0] == 0 and loop.refused[1] == np.inf


def test_a_fault_ends_steps_without_a_clock(kernel):
    loop = made(kernel, x=(1e200, 1e200))
    loop.take(5)
    assert loop.fault and loop.state()[0] == 0


def test_what_is_shown_is_never_torn(kernel):
    """x0 counts steps; a torn copy would have a count and a state of different times."""
    loop = made(kernel, x=(0.0, 0.0), u=1.0)
    thread = threading.Thread(target=loop.take)
    thread.start()
    loop.resume()
    try:
        for _ in range(2000):
            count, x = loop.state()
            assert x[0] == count
        loop.pause()
        count, _ = loop.state()
        time.sleep(5e-3)
        assert loop.state()[0] == count
        loop.restart(np.zeros(2))
        assert loop.state()[0] == 0 and loop.paused
    finally:
        loop.stop()
        thread.join(10)


def test_a_step_has_all_of_a_change_or_none():
    """Two inputs are always told the same number; a torn copy would make them differ."""
    x, u, w = ca.SX.sym("x"), ca.SX.sym("u", 64), ca.SX.sym("w", 64)
    differ = ca.sum1(ca.fabs(u - w))
    kernel = compile(ca.Function("step", [x, u, w], [x + differ], ["x", "u", "w"], ["x_next"]))
    loop = NativeLoop(kernel, np.zeros(1), [np.zeros(64), np.zeros(64)], 1e-3, pacing=STAYS)
    thread = threading.Thread(target=loop.take)
    thread.start()
    loop.resume()
    try:
        eventually(lambda: loop.state()[0] > 10)
        for k in range(20_000):
            loop.set_inputs({0: np.full(64, k), 1: np.full(64, k)})
        before = loop.state()[0]
        eventually(lambda: loop.state()[0] > before + 10)
        assert loop.state()[1] == 0.0
        np.testing.assert_array_equal(loop.inputs(), np.full((2, 64), 19_999))
    finally:
        loop.stop()
        thread.join(10)


def test_single_steps_asked_for_before_going_on_are_forgotten(kernel):
    loop = made(kernel, x=(0.0, 0.0), u=1.0, period=10.0)
    for _ in range(5):
        loop.single_step()
    assert loop.paused
    loop.restart(np.zeros(2))  # pauses, and what was asked for before is over
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        loop.single_step()
        eventually(lambda: loop.state()[0] == 1)
        falls_asleep(thread)
        assert loop.state()[0] == 1 and loop.paused
    finally:
        loop.stop()
        thread.join(10)


def test_fractions_of_a_nanosecond_add_up(kernel):
    """A million periods of 1.5 ns are 1.5 ms, though the clock counts whole ones."""
    loop = made(kernel, x=(0.0, 0.0), period=1.5e-9, pacing=Pacing(policy=CatchUp(np.inf)))
    loop.take(1_000_000)
    behind = loop._words[words.ELAPSED] - loop._words[words.LATE]
    assert behind == 1_500_000


def test_a_busy_interpreter_does_not_hold_it_up(kernel):
    """While Python computes in one long call, steps go on."""
    loop = made(kernel, x=(0.0, 0.0), u=1.0)
    thread = threading.Thread(target=loop.run)
    thread.start()
    loop.resume()
    try:
        eventually(lambda: loop.state()[0] > 5)

        def went_on():
            before = loop.state()[0]
            pow(3, 2_000_000)  # one call that keeps the interpreter
            return loop.state()[0] - before > 10

        eventually(went_on)
    finally:
        loop.stop()
        thread.join(10)
