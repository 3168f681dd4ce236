"""Live runs: which driver takes the steps, and that both do the same."""

import threading

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.actuators import Quantity, SampledControl
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.kernel.loops.paced import can_pace
from phalanx.simulation.realtime.live_recording import LiveRecorder
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.record.signal import Channel
from phalanx.simulation.run.inputs import FeedbackInput
from waiting import eventually

from .fake_clock import FakeClock

pytestmark = pytest.mark.skipif(not can_pace(), reason="native steps need Linux")

ARM = px.library.double_pendulum()
PUSHED = px.Law(lambda model, t, q, v, push: push - 0.1 * v, {"push": 2})
HASTY = {"speed": 1e6, "policy": px.CatchUp(np.inf)}  # steps are due before they can be taken


class Held(SampledControl):
    """Torques that follow the velocity, looked at once a step."""

    @property
    def inputs(self):
        return {}

    def quantities(self, mechanism):
        return (Quantity("held", "N·m", ("a", "b")),)

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], 2))

    def sampled(self, model, t, q, v, memory, told):
        return -2 * v

    def command(self, memory):
        return memory


class Still(FeedbackInput):
    def begin(self, mechanism):
        return lambda t, q, states: np.zeros(2)


def setup_and_rest(options):
    """Options of ``simulate`` as those of a LiveRun, which takes control as part of a setup."""
    rest = dict(options)
    frames, numbers = (tuple(rest.get(name, ())) for name in ("wrenches", "parameters"))
    control = rest.pop("control", None)
    return px.Setup(ARM, control=control, wrenches=frames, parameters=numbers), rest


# -- who takes the steps --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"control": px.proportional_derivative([0.5, -0.5], stiffness=50, damping=5)},
        {"control": PUSHED, "inputs": {"push": [0.1, 0.2]}},
        {"control": Held()},
        {"integrator": px.SemiImplicitEuler()},
        {"wrenches": {ARM.bodies[-1].name: [0, 0, 1, 0, 0, 0]}},
        {"parameters": {f"{ARM.bodies[-1].name}.mass": 0.7}},
    ],
    ids=["nothing", "law", "inputs", "sampled", "method", "wrenches", "parameters"],
)
def test_native_steps_are_those_of_python(options):
    """The same states and rows, bit for bit, from both drivers and from ``simulate``."""
    setup, run = setup_and_rest({"duration": 0.05, **options})
    native = px.LiveRun(setup, [1.0, 0.3], record=True, **run, **HASTY)
    python = px.LiveRun(setup, [1.0, 0.3], record=True, **run, clock=FakeClock())
    assert native.native and not python.native
    assert native.run().steps == python.run().steps == 50
    wanted = px.simulate(setup, [1.0, 0.3], **run)
    np.testing.assert_array_equal(native.recording.table, python.recording.table)
    np.testing.assert_array_equal(native.recording.table, wanted.table)
    assert len(native.recording) == 51
    ours, theirs = native.latest.look(), python.latest.look()
    assert ours[0] == theirs[0] == 51 and ours[1].time == theirs[1].time == 0.05
    np.testing.assert_array_equal(ours[1].q, theirs[1].q)
    np.testing.assert_array_equal(ours[1].v, theirs[1].v)


def test_native_steps_of_a_machine_with_loops():
    machine = px.library.four_bar()
    first = px.simulate(machine, duration=0.02)["q"][0]
    native = px.LiveRun(machine, first, duration=0.02, every=3, record=True, **HASTY)
    python = px.LiveRun(machine, first, duration=0.02, every=3, record=True, clock=FakeClock())
    native.run()
    python.run()
    assert native.native and len(native.recording) == 8
    np.testing.assert_array_equal(native.recording.table, python.recording.table)


@pytest.mark.parametrize(
    "options",
    [
        {"control": lambda t, q, v: np.zeros(2)},
        {"control": px.Profile([0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]])},
        {"control": px.Profile([0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]], between="linear")},
        {"control": PUSHED, "inputs": {"push": lambda t: [t, 0.0]}},
        {"control": PUSHED, "inputs": {"push": Still()}},
        {"wrenches": {ARM.bodies[-1].name: lambda t: np.zeros(6)}},
        {"events": [px.Event(0.005, lambda machine: machine, "nothing")]},
        {"integrator": px.DormandPrince()},
        {"clock": FakeClock()},
    ],
    ids=["function", "table", "ramp", "input", "watch", "wrench", "event", "adaptive", "clock"],
)
def test_what_is_looked_at_between_steps_takes_python(options):
    setup, rest = setup_and_rest(options)
    live = px.LiveRun(setup, [1.0, 0.3], **rest)
    live.advance(0.01)
    assert not live.native and live.latest.value.time == 0.01


def test_an_adaptive_method_keeps_the_clock_whatever_is_recorded():
    """It stops at every step, though every second would do for the recording."""
    options = {"integrator": px.DormandPrince(), "every": 2, "duration": 0.01}
    live = px.LiveRun(ARM, [1.0, 0.3], record=True, clock=FakeClock(), **options)
    assert live.run().steps == 10
    np.testing.assert_allclose(live.recording.time, 0.002 * np.arange(6))
    np.testing.assert_allclose(
        live.recording["q"], px.simulate(ARM, [1.0, 0.3], **options)["q"], atol=1e-6
    )


@pytest.mark.parametrize("clock", [None, FakeClock()], ids=["native", "python"])
def test_a_run_ends_where_it_was_to(clock):
    live = px.LiveRun(ARM, duration=0.01, clock=clock)
    live.advance(0.004)
    with pytest.raises(InvalidInput, match=r"ends in 0\.006 s"):
        live.advance(0.007)
    with pytest.raises(InvalidInput, match="expected a positive time"):
        live.advance(-1.0)
    live.run()  # what is left
    live.run()  # nothing
    assert live.latest.value.time == 0.01 and live.latest.count == 11


# -- what it is told ------------------------------------------------------------------------------


@pytest.mark.parametrize("clock", [None, FakeClock()], ids=["native", "python"])
def test_inputs_change_on_the_way(clock):
    live = px.LiveRun(
        px.Setup(ARM, control=PUSHED), inputs={"push": [1.0, 0.0]}, record=True, clock=clock
    )
    live.advance(0.02)
    live.set_inputs({"push": [-1.0, 0.5]})
    live.advance(0.03)
    wanted = px.simulate(
        ARM,
        control=PUSHED,
        inputs={"push": lambda t: [1.0, 0.0] if t < 0.0195 else [-1.0, 0.5]},
        duration=0.05,
    )
    assert live.native is (clock is None)
    np.testing.assert_array_equal(live.recording.table, wanted.table[:-1])
    np.testing.assert_array_equal(live.latest.value.q, wanted["q"][-1])


def test_what_cannot_be_told():
    live = px.LiveRun(px.Setup(ARM, control=PUSHED), inputs={"push": [1.0, 0.0]})
    with pytest.raises(UnknownName, match="pull"):
        live.set_inputs({"pull": [1.0, 0.0]})
    for wrong in ([1.0], [1.0, np.nan], [[1.0, 0.0]]):
        with pytest.raises(InvalidInput, match="input 'push'"):
            live.set_inputs({"push": wrong})
    np.testing.assert_array_equal(live.driver.instant.inputs, [[1.0, 0.0]])


def test_told_while_it_runs():
    live = px.LiveRun(px.Setup(ARM, control=PUSHED), inputs={"push": [0.0, 0.0]})
    thread = threading.Thread(target=live.run)
    thread.start()
    try:
        eventually(lambda: live.latest.value.time > 0.01)
        assert not live.latest.value.v.any()  # it hangs at rest
        live.set_inputs({"push": [5.0, 0.0]})
        eventually(lambda: live.latest.value.v[0] > 0.01)
    finally:
        live.loop.stop()
        thread.join(60)
    assert not thread.is_alive()


# -- recordings and looks -------------------------------------------------------------------------


@pytest.mark.parametrize("clock", [None, FakeClock()], ids=["native", "python"])
def test_recordings_begin_and_end_on_the_way(clock, tmp_path):
    live = px.LiveRun(ARM, [1.0, 0.0], clock=clock)
    assert live.recording is None and not live.is_recording
    live.advance(0.01)
    live.begin_recording(tmp_path / "a.mcap")
    assert live.is_recording and live.unfinished == {tmp_path / "a.mcap"}
    live.advance(0.02)
    live.begin_recording(settings={"soil": "wet"})  # another, in memory
    live.advance(0.005)
    live.end_recording()
    live.advance(0.01)
    assert not live.is_recording and not live.unfinished
    wanted = px.simulate(ARM, [1.0, 0.0], duration=0.05).table
    np.testing.assert_array_equal(live.recording.table, wanted[30:35])
    assert live.recording.settings["soil"] == "wet" and "model" in live.recording.settings
    assert "soil" not in px.Recording.read(tmp_path / "a.mcap").settings
    np.testing.assert_array_equal(px.Recording.read(tmp_path / "a.mcap").table, wanted[10:30])


def test_a_recording_of_many_steps_at_once_is_whole():
    """More than is kept at a time."""
    live = px.LiveRun(ARM, [1.0, 0.0], step=1e-4, record=True)
    live.advance(1.0)
    np.testing.assert_array_equal(live.recording.time, 1e-4 * np.arange(10_000))


def test_a_recording_that_ends_takes_no_rows_from_a_run_that_does_not():
    tape = LiveRecorder([Channel("q", "rad", ())], {})
    tape.append_row(np.zeros(2))  # nobody records
    tape.begin()
    tape.append_row(np.zeros(2))
    tape.end()
    tape.append_row(np.ones(2))
    tape.append_rows(np.ones((3, 2)))
    assert len(tape.recording()) == 1


@pytest.mark.parametrize("control", [None, lambda t, q, v: np.zeros(2)], ids=["native", "python"])
def test_looks_beside_the_steps(control):
    live = px.LiveRun(px.Setup(ARM, control=control))
    seen = []

    def look():
        seen.append(live.latest.value.time)
        if len(seen) == 3:
            live.loop.stop()

    live.look_often(look)
    timing = live.run()
    assert len(seen) >= 3 and timing.steps > 0 and live.native is (control is None)


def test_a_look_that_fails_ends_the_run():
    live = px.LiveRun(ARM)
    live.look_often(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        live.run()


# -- faults and options ---------------------------------------------------------------------------


def test_both_say_the_same_of_a_state_that_left_finite_numbers():
    blows_up = px.Law(lambda model, t, q, v: 1e300 * ca.exp(1e5 * t) * ca.vertcat(1, 1), {})
    found = []
    for options in (HASTY, {"clock": FakeClock()}):
        live = px.LiveRun(px.Setup(ARM, control=blows_up), record=True, **options)
        with pytest.raises(px.SimulationError, match="left finite numbers") as error:
            live.run()
        found.append((str(error.value), error.value.recording.table.tolist()))
        assert live.recording is not None and not live.is_recording
        live = px.LiveRun(px.Setup(ARM, control=blows_up), **options)
        with pytest.raises(px.SimulationError) as error:
            live.advance(5.0)
        assert str(error.value) == found[-1][0]
    assert found[0] == found[1] and len(found[0][1]) > 0


def test_pacing_is_one_value_or_keywords():
    pacing = Pacing(2.0, px.Slip())
    live = px.LiveRun(ARM, pacing=pacing)
    assert live.loop.speed == 2.0 and live.loop.policy == px.Slip()
    with pytest.raises(InvalidInput, match="speed= comes beside pacing="):
        px.LiveRun(ARM, pacing=pacing, speed=3.0)
    with pytest.raises(InvalidInput, match="needs steps in native code"):
        px.LiveRun(ARM, pacing=Pacing(stays=True, clock=FakeClock()))
    with pytest.raises(InvalidInput, match="expected a positive number"):
        Pacing(0.0)
