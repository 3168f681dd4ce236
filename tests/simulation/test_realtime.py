"""Real-time loops by a clock that the tests turn, and short runs by the clock on the wall."""

import ctypes
import sys
import threading

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.kernel.loops.paced import can_pace
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.native import NativeLoop
from phalanx.simulation.realtime.pacing import CatchUp, Pacing, Slip
from waiting import LONG, eventually, falls_asleep

from .fake_clock import FakeClock

PERIOD = 0.25  # a power of two: sums of it are exact
NATIVE = pytest.param("native", marks=pytest.mark.skipif(not can_pace(), reason="needs Linux"))
both_loops = pytest.mark.parametrize("kind", ["python", NATIVE])


HAND = np.zeros(1, np.int64)  # of the native clock [ns]
JUMPING = f"""
define internal i64 @now() nounwind {{
  %t = load atomic i64, ptr inttoptr (i64 {HAND.ctypes.data} to ptr) seq_cst, align 8
  ret i64 %t
}}

define internal void @wait_until(i64 %deadline) nounwind {{
  %t = call i64 @now()
  %is_later = icmp sgt i64 %deadline, %t
  %next = select i1 %is_later, i64 %deadline, i64 %t
  store atomic i64 %next, ptr inttoptr (i64 {HAND.ctypes.data} to ptr) seq_cst, align 8
  ret void
}}
"""


class HandClock:
    """The native clock, as tests see it."""

    def __init__(self) -> None:
        HAND[0] = 0

    @property
    def time(self) -> float:
        return HAND[0] / 1e9

    @time.setter
    def time(self, seconds: float) -> None:
        HAND[0] = round(seconds * 1e9)


class Steps:
    """Steps that take given times, note when they begin, and do something on the way."""

    def __init__(self, *durations: float, kind: str = "python") -> None:
        self.native = kind == "native"
        self.clock = HandClock() if self.native else FakeClock()
        self.durations = list(durations)
        self.begins: list[float] = []
        self.then = {}  # by the number of a step: what to do at its end

    def __call__(self) -> None:
        self.begins.append(self.clock.time)
        self.clock.time += self.durations.pop(0) if self.durations else 0.0
        self.then.get(len(self.begins), lambda: None)()

    def loop(self, *, policy=None, speed=1.0):
        if not self.native:
            return RealTimeLoop(self, PERIOD, clock=self.clock, policy=policy, speed=speed)
        pacing = Pacing(speed, policy or CatchUp())
        return NativeLoop(self, np.zeros(1), [], PERIOD, pacing=pacing, clock=JUMPING)

    def in_place(self, inputs, outputs):
        """What a kernel has: here, native code calls these steps."""
        share = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
        )

        def step(*_) -> int:
            self()
            outputs[0][:] = inputs[0] + 1
            return 0

        self.share = share(step)
        return ctypes.cast(self.share, ctypes.c_void_p).value, np.zeros(0, np.int64)


@both_loops
def test_steps_begin_at_their_deadlines(kind):
    steps = Steps(0.125, 0.0625, 0.25, kind=kind)
    timing = steps.loop().run(1.0)
    assert steps.begins == [0.0, 0.25, 0.5, 0.75]
    assert (timing.steps, timing.missed, timing.drift) == (4, 0, 0.0)


@both_loops
def test_timing_tells_the_steps_apart(kind):
    timing = Steps(*[0.125] * 98, 0.1875, 0.25, kind=kind).loop().run(25.0)
    assert timing.step_median == 0.125
    assert 0.125 < timing.step_p99 < timing.step_max == 0.25
    assert timing.elapsed == 99 * PERIOD + 0.25
    assert timing.rate == 100 / timing.elapsed
    assert "100 steps" in str(timing)


@both_loops
def test_catching_up_keeps_the_deadlines(kind):
    steps = Steps(0.75, 0.0, 0.0, 0.0, kind=kind)
    timing = steps.loop(policy=CatchUp()).run(1.5)
    # two late steps back to back, then on time again
    assert steps.begins == [0.0, 0.75, 0.75, 0.75, 1.0, 1.25]
    assert (timing.missed, timing.drift) == (2, 0.0)
    assert timing.missed_share == 2 / 6


@both_loops
def test_catching_up_has_a_limit(kind):
    steps = Steps(10.0, kind=kind)
    timing = steps.loop(policy=CatchUp(limit=2)).run(1.5)
    # two periods are caught up; 9.25 s of the 9.75 s late are given up
    assert steps.begins == [0.0, 10.0, 10.0, 10.0, 10.25, 10.5]
    assert timing.drift == 9.25


@both_loops
def test_slipping_moves_the_deadlines(kind):
    steps = Steps(0.625, kind=kind)
    timing = steps.loop(policy=Slip()).run(1.0)
    assert steps.begins == [0.0, 0.625, 0.875, 1.125]
    assert (timing.missed, timing.drift) == (1, 0.375)


@both_loops
def test_a_run_that_ends_late_has_drifted(kind):
    timing = Steps(0.0, 1.0, kind=kind).loop().run(0.5)
    assert (timing.missed, timing.drift) == (1, 0.75)


@both_loops
def test_speed_divides_the_period(kind):
    steps = Steps(kind=kind)
    steps.loop(speed=2.0).run(1.0)
    assert steps.begins == [0.0, 0.125, 0.25, 0.375]


@both_loops
def test_speed_changes_on_the_way(kind):
    steps = Steps(kind=kind)
    loop = steps.loop()

    steps.then[2] = lambda: loop.set_speed(0.5)
    loop.run(1.0)
    # the wait that has begun is stretched too
    assert steps.begins == [0.0, 0.25, 0.75, 1.25]
    assert loop.speed == 0.5


@both_loops
def test_stop_from_within(kind):
    steps = Steps(kind=kind)
    loop = steps.loop()
    steps.then[3] = loop.stop
    assert loop.run().steps == 3
    assert loop.run(0.5).steps == 5  # stopping is over with the run that was stopped


def test_until_an_event():
    steps, done = Steps(), threading.Event()
    loop = steps.loop()
    steps.then[3] = done.set
    assert loop.run(until=done).steps == 3
    assert loop.run(until=done).steps == 3


@pytest.mark.skipif(not can_pace(), reason="needs Linux")
def test_until_an_event_natively():
    """It is looked at now and then, but always before the first step."""
    steps, done = Steps(kind="native"), threading.Event()
    loop = steps.loop()
    steps.then[3] = done.set
    taken = loop.run(until=done).steps
    assert taken >= 3
    assert loop.run(until=done).steps == taken


class Threaded:
    """A loop in a thread, whose steps tell how many there were."""

    def __init__(self, pause_after: int) -> None:
        self.steps = Steps()
        self.changed = threading.Condition()
        self.loop = self.steps.loop()
        self.pause_after = pause_after
        self.loop._step = self.step
        self.thread = threading.Thread(target=self.loop.run, args=(10 * PERIOD,))

    def step(self) -> None:
        with self.changed:
            self.steps()
            if len(self.steps.begins) == self.pause_after:
                self.loop.pause()
            self.changed.notify()

    def wait_for(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.steps.begins) >= count, timeout=LONG)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.loop.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


def test_pause_single_step_resume():
    with Threaded(pause_after=3) as t:
        t.wait_for(3)
        assert t.loop.paused
        t.steps.clock.time += 100.0  # a long look at it
        t.loop.single_step()
        t.wait_for(4)
        t.loop.single_step()
        t.loop.single_step()
        t.wait_for(6)
        assert len(t.steps.begins) == 6 and t.loop.paused
        t.loop.resume()
        t.thread.join(10)
    assert len(t.steps.begins) == 10
    assert not t.loop.paused
    # a pause is neither lateness nor time
    assert t.loop.timing.missed == 0
    assert t.loop.timing.drift == 0
    assert t.loop.timing.elapsed < 10 * PERIOD


@both_loops
def test_single_steps_of_a_loop_that_begins_paused(kind):
    steps = Steps(kind=kind)
    loop = steps.loop()
    loop.pause()
    thread = threading.Thread(target=loop.run, args=(8 * PERIOD,))
    thread.start()
    try:
        for count in (1, 2):
            loop.single_step()
            eventually(lambda wanted=count: len(steps.begins) == wanted)
        loop.single_step()
        loop.single_step()
        eventually(lambda: len(steps.begins) == 4)
        falls_asleep(thread) if kind == "python" else None
        assert len(steps.begins) == 4 and loop.paused and loop.timing.steps == 4
        loop.resume()
        thread.join(LONG)
    finally:
        loop.stop()
        thread.join(LONG)
    assert len(steps.begins) == 8 and not loop.paused
    # the first after the pause came at once, the others when they were due
    assert np.diff(steps.begins[4:]).tolist() == [PERIOD] * 3
    assert loop.timing.missed == 0 and loop.timing.elapsed < 8 * PERIOD


def test_a_paused_loop_stops():
    with Threaded(pause_after=2) as t:
        t.wait_for(2)
    assert len(t.steps.begins) == 2


@pytest.mark.skipif(not can_pace(), reason="needs Linux")
def test_one_native_run_at_a_time():
    loop = Steps(kind="native").loop()
    loop.pause()
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        eventually(lambda: loop._alone.locked())
        with pytest.raises(InvalidInput, match="runs already"):
            loop.run()
    finally:
        loop.stop()
        thread.join(LONG)
    assert not thread.is_alive()


def test_one_run_at_a_time():
    with Threaded(pause_after=1) as t:
        t.wait_for(1)
        with pytest.raises(InvalidInput, match="runs already"):
            t.loop.run()


@pytest.mark.parametrize(
    "options", [{"period": 0}, {"period": np.nan}, {"speed": 0}, {"speed": np.inf}]
)
def test_impossible_options(options):
    with pytest.raises(InvalidInput, match="positive"):
        RealTimeLoop(print, **({"period": 1.0} | options))


def test_impossible_durations_and_limits():
    with pytest.raises(InvalidInput, match="duration"):
        Steps().loop().run(-1.0)
    with pytest.raises(InvalidInput, match="limit"):
        CatchUp(-1)


def test_errors_of_a_step_pass_and_the_interpreter_is_left_as_it_was():
    usual = sys.getswitchinterval()
    loop = RealTimeLoop(lambda: 1 / 0, 1e-3, clock=FakeClock())
    with pytest.raises(ZeroDivisionError):
        loop.run(1.0)
    assert sys.getswitchinterval() == usual
    with pytest.raises(ZeroDivisionError):
        loop.run(1.0)


def test_the_latest_value_replaces_what_nobody_read():
    box = Latest()
    assert box.look() == (0, None)
    for value in "abc":
        box.put(value)
    assert (box.value, box.count) == ("c", 3)


# -- a machine ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pendulum():
    return px.library.double_pendulum()


def test_a_live_run_is_the_simulation(pendulum):
    law = px.proportional_derivative([0.5, -0.5], stiffness=50, damping=5)
    live = LiveRun(
        px.Setup(pendulum, control=law), [1.0, 0.0], duration=0.2, record=True, clock=FakeClock()
    )
    timing = live.run()
    run = px.simulate(pendulum, [1.0, 0.0], control=law, duration=0.2)
    assert timing.steps == 200 and len(live.recording) == 201
    for name in ("q", "v", "tau", "energy"):
        np.testing.assert_array_equal(live.recording[name], run[name])
    np.testing.assert_array_equal(live.latest.value.q, run["q"][-1])
    assert live.latest.count == 201
    assert live.recording.settings["timing"]["steps"] == 200


def test_an_endless_run_ends_when_told(pendulum, tmp_path):
    done, box = threading.Event(), Latest()

    def control(t, q, v):
        if t > 0.0495:
            done.set()
        return np.zeros(2)

    path = tmp_path / "run.mcap"
    live = LiveRun(px.Setup(pendulum, control=control), latest=box, path=path, clock=FakeClock())
    live.run(until=done)
    assert box.value.time == pytest.approx(0.051)
    assert len(px.Recording.read(path)) == 51


def test_events_are_compiled_before_the_clock_runs(pendulum):
    ball = px.Body("ball", 1.0, np.zeros(3), np.eye(3) * 1e-3)
    tip = pendulum.bodies[-1].name
    run = LiveRun(
        pendulum, [1.0, 0.0], duration=0.1, events=[px.pick_up(0.05, tip, ball)], clock=FakeClock()
    )
    same = px.simulate(pendulum, [1.0, 0.0], duration=0.1, events=[px.pick_up(0.05, tip, ball)])
    run.run()
    np.testing.assert_array_equal(run.latest.value.v, same["v"][-1])


def test_by_the_clock_on_the_wall(pendulum):
    timing = LiveRun(pendulum, [1.0, 0.0], duration=0.5, step=2e-3).run()
    assert timing.steps == 250
    # machines that run tests are busy; the loop may be late but never early
    assert 0.49 < timing.elapsed < 5
    assert timing.step_median < 2e-3
