"""Checks 16 to 18: the thesis's machine on several processes, on real MPI ranks where it matters.

Legs and platform have a process each. Results of a distributed run are compared with runs on one
processor, and messages are counted where they are sent.
"""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from distribute.programs.platforms import on_ranks
from phalanx.distribute import (
    Feedback,
    InverseDynamicsJob,
    Mode,
    MotorMotion,
    Penalty,
    PlatformJob,
    Projection,
    Recursive,
    Traffic,
    run,
    single_processor,
)
from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.programs.platforms.legs.displacement import centre_closing, leg_closing
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.distribute.programs.platforms.reference import half_steps, inverse_along
from phalanx.distribute.programs.platforms.state import DividedState, state_of
from phalanx.distribute.programs.platforms.time_samples import block_times
from phalanx.simulation.formulations import (
    Accelerations,
    Adaptive,
    Minimal,
    Motors,
    RungeKutta,
)
from phalanx.simulation.formulations import run as integrate
from phalanx.studies.khan import as_written
from phalanx.studies.khan.bench import DURATION as PERIOD
from phalanx.studies.khan.bench import TURNS, bench

from .test_prescribed_motion import TORQUES

STEP = 1e-3
SEED = 7


@pytest.fixture(scope="module")
def machine():
    return on_ranks.MACHINE


@pytest.fixture(scope="module")
def on_one_processor():
    """Recordings of the same runs without processes."""
    return {name: single_processor(on_ranks.job(name))[0] for name in on_ranks.CASES}


@pytest.fixture(scope="module")
def on_four_ranks(tmp_path_factory, on_one_processor):
    """Recordings and message counts of one MPI job of four processes.

    After the run of one, so that ranks find what they have in common compiled.
    """
    folder = tmp_path_factory.mktemp("ranks")
    done = subprocess.run(
        [*mpiexec(), "-n", "4", sys.executable, on_ranks.__file__, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return {
        name: (
            px.Recording.read(folder / f"{name}.mcap"),
            [Traffic(**one) for one in json.loads((folder / f"{name}.json").read_text())],
        )
        for name in on_ranks.CASES
    }


@pytest.mark.xdist_group("mpi")
@pytest.mark.parametrize("name", ["penalty", "projection"])
def test_16_replicated_on_four_processes_is_the_run_of_one_to_the_bit(
    on_four_ranks, on_one_processor, name
):
    recording, traffic = on_four_ranks[name]
    alone = on_one_processor[name]
    steps = round(on_ranks.DURATION / STEP)
    assert len(recording) == steps + 1
    assert np.ptp(recording["q"][:, 0]) > 1e-3  # it moved
    np.testing.assert_array_equal(recording.table, alone.table)
    assert [one.exchanges for one in traffic] == 4 * [steps]
    assert [one.round_trips for one in traffic] == 4 * [0]
    assert [one.messages for one in traffic] == 4 * [3 * steps]
    # every process sends three others its own part and no more
    held = {"penalty": [4, 4, 4, 6], "projection": [5, 5, 5, 6]}[name]
    assert [one.words for one in traffic] == [3 * steps * own for own in held]


@pytest.mark.xdist_group("mpi")
def test_18_legs_and_centre_on_four_processes_agree_with_one_processor(
    on_four_ranks, on_one_processor
):
    recording, traffic = on_four_ranks["recursive"]
    alone = on_one_processor["recursive"]
    steps = round(on_ranks.DURATION / STEP)
    evaluations = 4 * steps  # of Runge-Kutta
    for signal in ("q", "v"):
        np.testing.assert_allclose(recording[signal], alone[signal], rtol=0, atol=1e-12)
    assert [one.round_trips for one in traffic] == 4 * [4 * evaluations]
    assert [one.exchanges for one in traffic] == 4 * [1]  # brings the last state to the record
    assert traffic[0].messages == 3 * 4 * evaluations + 3


def test_16_the_run_of_one_is_that_of_the_penalty_method_without_nodes(machine):
    """Against another program: other control code, other integrator code, the same equations."""
    job = PlatformJob(
        machine, Penalty(), Mode.REPLICATED, 0.3, STEP, MotorMotion(TURNS, PERIOD), Feedback()
    )
    ours, _ = single_processor(job)
    thesis = bench()

    def control(t, q, v):
        tau, angles, rates = thesis.at(t)
        full = np.zeros(machine.nv)
        motors = list(thesis.motors)
        full[motors] = tau + 2500 * (angles - thesis.angles(q)) + 100 * (rates - v[motors])
        return full

    other = integrate(
        Accelerations(machine, px.loops.penalty, stiffness=1e5),
        machine.neutral(),
        np.zeros(machine.nv),
        control,
        duration=0.3,
        steps=RungeKutta(STEP),
    )
    # references there are splines through a table, exact to 1e-11 of the forces
    np.testing.assert_allclose(ours["q"], other.q, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("method", "duration", "steps"),
    [(Penalty(), 1.0, (1e-3, 5e-4, 2.5e-4)), (Projection(), 1.5, (2e-3, 1e-3, 5e-4))],
    ids=["penalty", "projection"],
)
def test_17_frozen_coupling_is_of_first_order(machine, method, duration, steps):
    """The thesis's claim of no difference cannot hold for this way to share a step."""
    motion = MotorMotion(TURNS, PERIOD)
    deviations = []
    for step in steps:
        shared = {"method": method, "duration": duration, "step": step, "motion": motion}
        frozen = run(PlatformJob(machine, mode=Mode.FROZEN, **shared))
        alone, _ = single_processor(
            PlatformJob(machine, method, Mode.FROZEN, duration, step, motion)
        )
        deviations.append(np.abs(frozen.recording["q"][-1] - alone["q"][-1]).max())
        assert {one.exchanges for one in frozen.traffic} == {round(duration / step)}
    ratios = np.array(deviations[:-1]) / deviations[1:]
    assert ((1.8 < ratios) & (ratios < 2.2)).all(), (deviations, ratios)
    assert deviations[0] > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_each_process_finds_its_own_part_of_the_accelerations(machine, seed):
    """Method B, eq. 2.27 written out in the thesis's coordinates, process by process.

    The velocities of the motors are the same numbers there and here, and so is what a process adds
    to their rates, whatever coordinates it has.
    """
    rng = np.random.default_rng(seed)
    method, feedback = Projection(decay=10.0), Feedback(0.0, 0.0)
    state = state_of(machine, feedback, method)
    motors = [0, 2, 4]
    guess, rates = machine.neutral(), np.zeros(9)
    guess[motors], rates[motors] = rng.uniform(-0.2, 0.2, 3), rng.uniform(-1, 1, 3)
    here = px.assemble(machine, guess, rates, held=[f"drive_{k}" for k in (1, 2, 3)])
    tau = rng.uniform(-20, 20, 3)
    x = state.start(here.q, here.v)
    u = np.concatenate([tau, np.zeros(6)])
    parts = [state.rates(rank)(x, u)[-3:] for rank in range(4)]
    wanted = as_written.partial_accelerations(
        as_written.coordinates(here.q), as_written.rates(here.q, here.v), tau, method.decay
    )
    for rank, (part, own) in enumerate(zip(parts, wanted, strict=True)):
        np.testing.assert_allclose(part, own, rtol=0, atol=1e-9, err_msg=f"rank {rank}")
        assert np.abs(part).max() > 1e-2  # it has something to do
    whole, _ = as_written.multipliers(
        as_written.coordinates(here.q), as_written.rates(here.q, here.v), tau
    )
    np.testing.assert_allclose(sum(parts), whole[as_written.ACTUATED], rtol=0, atol=1e-9)


def test_partial_accelerations_of_the_processes_add_up(machine):
    """Method B: what processes integrate sums to velocities that obey the undivided equations."""
    motion = MotorMotion(TURNS, PERIOD)
    job = PlatformJob(machine, Projection(decay=10.0), Mode.STAGES, 0.2, STEP, motion)
    shared = run(
        PlatformJob(
            machine, method=job.chosen_method, mode=job.mode, duration=0.2, step=STEP, motion=motion
        )
    )
    motors = job.machine.motors
    exact = run(
        PlatformJob(
            machine,
            method=Recursive(),
            mode=Mode.REPLICATED,
            duration=0.2,
            step=STEP,
            motion=motion,
        )
    )
    np.testing.assert_allclose(
        shared.recording["v"][:, motors], exact.recording["v"][:, motors], rtol=0, atol=1e-11
    )
    held = {
        len(part.q) + job.chosen_method.speeds(job.machine, part) for part in job.machine.branches
    }
    assert held == {2 + 3, 3 + 3}  # nʲ positions and n - m velocities, not nʲ as printed


@pytest.mark.parametrize("mode", [Mode.REPLICATED, Mode.STAGES])
def test_messages_are_parts_that_differ_and_add_up(machine, mode):
    """Read from the messages themselves: every process has integrated a part of its own."""
    job = PlatformJob(machine, Projection(decay=10.0), mode, 0.05, STEP, MotorMotion(TURNS, 0.5))
    programs, sent = with_messages(job)
    run_together(programs)
    last = [shares[-1] for shares in sent]
    velocities = np.array([share.values[-3:] for share in last])
    for j in range(4):
        others = np.delete(velocities, j, axis=0)
        assert np.abs(velocities[j]).max() > 0.01
        assert np.abs(others - velocities[j]).max(axis=1).min() > 0.01
    alone, _ = single_processor(replace(job, method=Recursive(), mode=Mode.REPLICATED))
    np.testing.assert_allclose(
        velocities.sum(axis=0), alone["v"][-1, job.machine.motors], rtol=0, atol=1e-11
    )


def with_messages(job):
    """Programs of all processes of a job, and lists of the messages that they yield."""
    work = job.work
    sent = [[] for _ in job.process_names]

    def observed(program, into):
        reply = None
        while True:
            try:
                message = program.send(reply)
            except StopIteration:
                return
            into.append(message)
            reply = yield message

    programs = [observed(work.program(rank), sent[rank]) for rank in range(len(sent))]
    return programs, sent


@pytest.mark.xdist_group("mpi")
def test_parts_of_four_processes_add_up(on_four_ranks, on_one_processor):
    """Each process evaluates its own part only, and hears the others' four times a step."""
    recording, traffic = on_four_ranks["projection stages"]
    steps = round(on_ranks.DURATION / STEP)
    alone = on_one_processor["projection stages"]
    np.testing.assert_allclose(recording.table, alone.table, rtol=1e-12, atol=1e-12)
    assert [one.exchanges for one in traffic] == 4 * [4 * steps]
    assert [one.words for one in traffic] == [3 * 4 * steps * own for own in (5, 5, 5, 6)]


def test_displacement_analysis_between_legs_takes_a_fifth_round_trip(machine):
    """Row 34: the variant whose state is that of the motors alone."""
    motion = MotorMotion(TURNS, PERIOD)
    common = {"mode": Mode.STAGES, "duration": 0.05, "step": 5e-3, "motion": motion}
    extended = run(PlatformJob(machine, method=Recursive(), **common))
    minimal = run(PlatformJob(machine, method=Recursive(displacement=True), **common))
    np.testing.assert_allclose(minimal.recording["q"], extended.recording["q"], rtol=0, atol=1e-10)
    assert minimal.recording["opening"].max() < 1e-14
    evaluations = 4 * minimal.steps
    assert {one.round_trips for one in minimal.traffic} == {5 * evaluations + 1}


@pytest.mark.xdist_group("mpi")
def test_displacement_analysis_before_each_evaluation_on_four_processes(
    on_four_ranks, on_one_processor, machine
):
    """Row 34, variant (i): the run of a formulation that has the motors' state alone."""
    recording, traffic = on_four_ranks["closing"]
    evaluations = 4 * round(on_ranks.DURATION / STEP)
    assert [one.round_trips for one in traffic] == 4 * [5 * evaluations + 1]
    assert recording["opening"].max() < 1e-15
    motion = on_ranks.job("closing").followed
    reference = inverse_along(DividedMachine(machine), motion, half_steps(evaluations // 4, STEP))
    theta, rates, _ = motion(half_steps(evaluations // 4, STEP))

    def control(t, q, v):
        k = round(2 * t / STEP)
        tau = np.zeros(9)
        motors = [0, 2, 4]
        tau[motors] = (
            reference.tau[k] + 2500 * (theta[k] - q[motors]) + 100 * (rates[k] - v[motors])
        )
        return tau

    minimal = integrate(
        Minimal(machine),
        machine.neutral(),
        np.zeros(9),
        control,
        duration=on_ranks.DURATION,
        steps=RungeKutta(STEP),
    )
    np.testing.assert_allclose(recording["q"], minimal.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(recording["v"], minimal.v, rtol=0, atol=1e-11)


@pytest.mark.xdist_group("mpi")
@pytest.mark.parametrize(
    ("task", "trips", "signals"),
    [
        ("displacement", 0, ("q",)),
        ("kinematics", 2, ("q", "v", "a")),
        ("inverse", 3, ("q", "v", "a", "tau")),
    ],
)
def test_tasks_along_a_motion_on_four_processes(
    on_four_ranks, on_one_processor, task, trips, signals
):
    """Rows 30, 32, 34: legs know their own motor's motion and ask a centre for the rest."""
    recording, traffic = on_four_ranks[task]
    alone = on_one_processor[task]
    assert set(recording.signals) == {*signals, "opening"}
    assert np.ptp(recording["q"][:, 6:], axis=0).min() > 1e-5  # the platform moved
    for signal in signals:
        np.testing.assert_allclose(recording[signal], alone[signal], rtol=1e-12, atol=1e-12)
    samples = round(on_ranks.DURATION / STEP) + 1
    searched = {one.round_trips - trips * samples for one in traffic}
    assert len(searched) == 1
    # Newton's method: two or three round trips to a posture a millisecond on
    assert samples <= searched.pop() <= 3 * samples
    assert [one.exchanges for one in traffic] == 4 * [1]  # brings the last sample to the record


def test_tasks_have_the_numbers_of_the_thesis(machine):
    """Postures, rates, accelerations and torques of its motion, by its equations written out."""
    motion = MotorMotion(TURNS, PERIOD)
    job = PlatformJob(machine, task="inverse", duration=3.0, step=0.02, motion=motion)
    trajectory, found = job.followed, run(job).recording
    for t in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        k = round(t / 0.02)
        q, v, a = (found[name][k] for name in "qva")
        x, w = as_written.coordinates(q), as_written.rates(q, v)
        assert np.abs(as_written.closure(x)).max() < 1e-12
        np.testing.assert_allclose(as_written.jacobian(x) @ w, 0.0, atol=1e-12)
        np.testing.assert_allclose(q[[0, 2, 4]], trajectory(np.array([t]))[0][0], atol=1e-14)
        b = as_written.accelerations_of_all(x, w, a[[0, 2, 4]])
        np.testing.assert_allclose(as_written.accelerations(q, v, a), b, rtol=0, atol=1e-11)
        np.testing.assert_allclose(found["tau"][k], TORQUES[t], rtol=0, atol=1e-4)


def test_a_motion_that_loops_do_not_allow_is_reported_by_the_centre(machine):
    far = MotorMotion((3.0, -3.0, 3.0), 0.5)
    with pytest.raises(px.InvalidInput, match="do not close"):
        run(PlatformJob(machine, task="displacement", duration=0.5, step=5e-3, motion=far))


@pytest.mark.parametrize("how", [{"method": Penalty()}, {"mode": "replicated"}])
def test_tasks_are_of_legs_and_a_centre(machine, how):
    with pytest.raises(px.InvalidInput, match="legs that send requests to a centre"):
        run(PlatformJob(machine, task="inverse", **how))
    with pytest.raises(px.InvalidInput, match="expected one of forward, displacement"):
        run(PlatformJob(machine, task="backward"))


@pytest.mark.xdist_group("mpi")
def test_time_samples_on_four_processes_are_the_run_of_one_to_the_bit(
    on_four_ranks, on_one_processor
):
    """Row 9: a sliding block of four time samples, each evaluated by a process of its own."""
    recording, traffic = on_four_ranks["blocks"]
    alone = on_one_processor["blocks"]
    np.testing.assert_array_equal(recording.table, alone.table)
    # another integrator, the same motion
    np.testing.assert_allclose(recording["q"], on_one_processor["recursive"]["q"], atol=1e-9)
    blocks = (round(on_ranks.DURATION / STEP) - 4) // 4
    assert [one.exchanges for one in traffic] == 4 * [2 * blocks]
    assert [one.words for one in traffic] == 4 * [2 * blocks * 3 * 12]


@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_time_samples_are_evaluated_once(machine, points):
    """As many evaluations as there are time samples, each by the process that has it."""
    job = PlatformJob(
        machine,
        Recursive(),
        Mode.BLOCKS,
        0.04,
        STEP,
        MotorMotion(TURNS, 0.5),
        points=points,
    )
    programs, sent = with_messages(job)
    run_together(programs)
    alone, _ = single_processor(job)
    formulation = run_of_blocks(machine, job)
    np.testing.assert_allclose(alone["q"], formulation.q, rtol=0, atol=1e-12)
    if points == 1:
        assert sent == [[]]
        return
    for shares in zip(*sent, strict=True):
        sent_rates = [share.values for share in shares if share.values.size]
        for j in range(1, len(sent_rates)):
            assert np.abs(sent_rates[j] - sent_rates[0]).max() > 0  # rates at different times
    shared = sum(share.values.size > 0 for shares in sent for share in shares)
    left_over = (job.steps - 4) % points
    assert shared == 2 * (job.steps - 4 - (left_over == 1))


@pytest.mark.parametrize("points", [2, 3, 4])
def test_no_process_evaluates_what_another_does(machine, points, monkeypatch):
    """Counted where rates are called: two rounds a block, of its own sample alone."""
    made, evaluated = DividedState.rates, []

    def counted(self, part=None):
        rates, own = made(self, part), []
        evaluated.append(own)

        def rate(x, u):
            own.append(x.tobytes())
            return rates(x, u)

        return rate

    monkeypatch.setattr(DividedState, "rates", counted)
    motion = MotorMotion(TURNS, 0.5)
    job = PlatformJob(machine, Recursive(), Mode.BLOCKS, 0.04, STEP, motion, points=points)
    programs, _ = with_messages(job)
    run_together(programs)
    assert len(evaluated) == points
    start = 1 + 4 * 6  # steps of Dormand and Prince, which every process takes
    assert all(own[:start] == evaluated[0][:start] for own in evaluated)
    blocks, last = divmod(job.steps - 4, points)
    for rank, own in enumerate(evaluated):
        assert len(own) == start + 2 * (blocks + (rank < last or last == 1))
    alone = 2 * (last == 1)  # a sample that is left over is evaluated by all
    shared = [x for own in evaluated for x in own[start : len(own) - alone]]
    assert len(shared) == len(set(shared)) == 2 * blocks * points + 2 * last * (last > 1)


def run_of_blocks(machine, job):
    """The same by the formulation of motors, whose integrator knows nothing of processes."""
    times = np.unique(np.concatenate([block_times(job.block, job.duration)]))
    wanted = inverse_along(DividedMachine(machine), job.followed, times)
    theta, rates, _ = job.followed(times)
    at = {t: k for k, t in enumerate(times.tolist())}

    def control(t, q, v):
        k, motors = at[t], [0, 2, 4]
        tau = np.zeros(9)
        tau[motors] = wanted.tau[k] + 2500 * (theta[k] - q[motors]) + 100 * (rates[k] - v[motors])
        return tau

    start = machine.neutral(), np.zeros(9)
    return integrate(Motors(machine), *start, control, duration=job.duration, steps=job.block)


def test_legs_and_centre_find_a_posture_by_newtons_method(machine):
    """Legs and platform that have been pushed apart find together, motors where they are."""
    legs = Legs(DividedMachine(machine))
    pushed = machine.neutral()
    pushed[6:] += [1e-3, -2e-3, 3e-3]
    pushed[[1, 3, 5]] += [2e-3, 1e-3, -1e-3]
    for _ in range(4):
        held = [
            np.concatenate([pushed[list(legs.branch(k).q)], [0.0], pushed[list(legs.platform.q)]])
            for k in range(3)
        ]
        closings = [leg_closing(legs, k) for k in range(3)]
        offers = [closing.offer(y) for closing, y in zip(closings, held, strict=True)]
        delta = centre_closing(legs)(np.column_stack(offers))
        for k, (closing, y) in enumerate(zip(closings, held, strict=True)):
            y = closing.shift(y, delta)
            pushed[list(legs.branch(k).q)], pushed[list(legs.platform.q)] = y[:2], y[3:]
    np.testing.assert_array_equal(pushed[[0, 2, 4]], 0.0)
    np.testing.assert_allclose(pushed, machine.neutral(), rtol=0, atol=1e-12)


def test_inverse_dynamics_takes_three_round_trips(machine):
    """Rows 30 and 32: kinematics are the first two of them."""
    rng = np.random.default_rng(SEED)
    names = [joint.name for joint in machine.actuated_joints]
    expected = px.compile(px.expression(px.loops.actuation, machine, actuated=names))
    exact = px.compile(px.expression(px.loops.multipliers, machine))
    motors = [machine.v_slices[name].start for name in names]
    for _ in range(5):
        guess = machine.neutral()
        guess[motors] = rng.uniform(-0.2, 0.2, 3)
        rates = np.zeros(machine.nv)
        rates[motors] = rng.uniform(-1, 1, 3)
        state = px.assemble(machine, guess, rates, held=names)
        tau = np.zeros(machine.nv)
        tau[motors] = rng.uniform(-20, 20, 3)
        a = exact(state.q, state.v, tau)
        result = run(InverseDynamicsJob(machine, state.q, state.v[motors], a[motors]))
        np.testing.assert_allclose(result.torques, tau[motors], rtol=0, atol=1e-9)
        np.testing.assert_allclose(
            result.torques, expected(state.q, state.v, a).tau, rtol=0, atol=1e-9
        )
        assert [one.round_trips for one in result.traffic] == 4 * [3]


@pytest.mark.xdist_group("mpi")
def test_steps_have_one_length(on_four_ranks):
    """Row 36: four processes exchange at the end of every step, and all steps are as long."""
    for name in ("penalty", "projection"):
        recording, traffic = on_four_ranks[name]
        np.testing.assert_array_equal(recording.time, np.arange(61) * STEP)
        assert {one.exchanges for one in traffic} == {len(recording) - 1}


@pytest.mark.parametrize("mode", [Mode.REPLICATED, Mode.FROZEN])
def test_an_exchange_ends_every_step(machine, mode):
    """Between two looks at the machine every process sends one message, also where it is stiff.

    Springs of this stiffness make steps of an adaptive integrator on one processor differ by more
    than a factor of ten, which no process could foresee of another.
    """
    motion = MotorMotion(TURNS, 0.5)
    job = PlatformJob(machine, Penalty(1e4), mode, 0.05, STEP, motion)
    looks, shares = [], []
    work = job.work

    def counting(program):
        reply = None
        while True:
            try:
                message = program.send(reply)
            except StopIteration:
                return
            shares.append(len(looks))
            reply = yield message

    first = counting(work.program(0, lambda k, row: looks.append(k)))
    run_together([first, *(work.program(rank) for rank in (1, 2, 3))])
    assert looks == list(range(job.steps + 1))
    assert shares == list(range(1, job.steps + 1))
    adaptive = integrate(
        Accelerations(machine, px.loops.penalty, stiffness=1e4),
        machine.neutral(),
        np.zeros(9),
        lambda t, q, v: np.zeros(9),
        duration=0.05,
        steps=Adaptive(1e-6, 1e-6),
    )
    lengths = np.diff(adaptive.t)
    assert lengths.max() > 10 * lengths.min()


def test_steps_with_error_control_are_for_one_processor(machine):
    with pytest.raises(
        px.InvalidInput, match=r"steps of one length.*rejected steps.*one processor"
    ):
        run(PlatformJob(machine, duration=0.1, step=Adaptive(1e-6, 1e-6)))
    with pytest.raises(px.InvalidInput, match="whole number of steps"):
        run(PlatformJob(machine, duration=0.1, step=0.03))
