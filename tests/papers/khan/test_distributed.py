"""Checks 16 to 18: the thesis's machine on several nodes, on real MPI ranks where it matters.

Legs and platform are nodes. Results of a distributed run are compared with runs that know nothing
of nodes, and messages are counted where they are sent.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import phalanx as px
from distribute import on_ranks
from distribute.mpi import mpiexec
from phalanx.distribute import (
    Feedback,
    Mode,
    Penalty,
    Plan,
    Projection,
    Recursive,
    Traffic,
    cosimulate,
    inverse_dynamics,
    moved,
    single_processor,
)
from phalanx.distribute.displacement import centre_closing, leg_closing
from phalanx.distribute.leg_work import Legs
from phalanx.distribute.machine import Machine
from phalanx.simulate.formulations import Accelerations, RungeKutta, run
from phalanx.study.khan import DURATION as PERIOD
from phalanx.study.khan import TURNS, bench

STEP = 1e-3
SEED = 7


@pytest.fixture(scope="module")
def machine():
    return on_ranks.MACHINE


@pytest.fixture(scope="module")
def on_one_processor():
    """Recordings of the same runs without nodes."""
    return {
        name: single_processor(
            Plan(on_ranks.MACHINE, method, mode, on_ranks.DURATION, STEP, on_ranks.MOTION)
        )[0]
        for name, (method, mode) in on_ranks.CASES.items()
    }


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
    plan = Plan(
        machine, Penalty(), Mode.REPLICATED, 0.3, STEP, moved(machine, PERIOD, TURNS), Feedback()
    )
    ours, _ = single_processor(plan)
    thesis = bench()

    def control(t, q, v):
        tau, angles, rates = thesis.at(t)
        full = np.zeros(machine.nv)
        motors = list(thesis.motors)
        full[motors] = tau + 2500 * (angles - thesis.angles(q)) + 100 * (rates - v[motors])
        return full

    other = run(
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
    motion = moved(machine, PERIOD, TURNS)
    deviations = []
    for step in steps:
        shared = {"method": method, "duration": duration, "step": step, "motion": motion}
        frozen = cosimulate(machine, mode=Mode.FROZEN, **shared)
        alone, _ = single_processor(Plan(machine, method, Mode.FROZEN, duration, step, motion))
        deviations.append(np.abs(frozen.recording["q"][-1] - alone["q"][-1]).max())
        assert {one.exchanges for one in frozen.traffic} == {round(duration / step)}
    ratios = np.array(deviations[:-1]) / deviations[1:]
    assert ((1.8 < ratios) & (ratios < 2.2)).all(), (deviations, ratios)
    assert deviations[0] > 1e-3


def test_partial_accelerations_of_the_nodes_add_up(machine):
    """Method B: what nodes hold sums up to velocities that obey the undivided equations."""
    motion = moved(machine, PERIOD, TURNS)
    plan = Plan(machine, Projection(decay=10.0), Mode.STAGES, 0.2, STEP, motion)
    nodes = cosimulate(
        machine, method=plan.method, mode=plan.mode, duration=0.2, step=STEP, motion=motion
    )
    motors = plan.machine.motors
    exact = cosimulate(
        machine, method=Recursive(), mode=Mode.REPLICATED, duration=0.2, step=STEP, motion=motion
    )
    np.testing.assert_allclose(
        nodes.recording["v"][:, motors], exact.recording["v"][:, motors], rtol=0, atol=1e-11
    )
    held = {len(part.q) + plan.method.speeds(plan.machine, part) for part in plan.machine.parts}
    assert held == {2 + 3, 3 + 3}  # nʲ positions and n - m velocities, not nʲ as printed


def test_displacement_analysis_between_legs_takes_a_fifth_round_trip(machine):
    """Row 34: the variant whose state is that of the motors alone."""
    motion = moved(machine, PERIOD, TURNS)
    common = {"mode": Mode.STAGES, "duration": 0.05, "step": 5e-3, "motion": motion}
    extended = cosimulate(machine, method=Recursive(), **common)
    minimal = cosimulate(machine, method=Recursive(displacement=True), **common)
    np.testing.assert_allclose(minimal.recording["q"], extended.recording["q"], rtol=0, atol=1e-10)
    assert minimal.recording["opening"].max() < 1e-14
    evaluations = 4 * minimal.steps
    assert {one.round_trips for one in minimal.traffic} == {5 * evaluations + 1}


def test_legs_and_centre_find_a_posture_by_newtons_method(machine):
    """Legs and platform that have been pushed apart find together, motors where they are."""
    legs = Legs(Machine(machine))
    pushed = machine.neutral()
    pushed[6:] += [1e-3, -2e-3, 3e-3]
    pushed[[1, 3, 5]] += [2e-3, 1e-3, -1e-3]
    for _ in range(4):
        held = [
            np.concatenate([pushed[list(legs.part(k).q)], [0.0], pushed[list(legs.platform.q)]])
            for k in range(3)
        ]
        closings = [leg_closing(legs, k) for k in range(3)]
        offers = [closing.offer(y) for closing, y in zip(closings, held, strict=True)]
        delta = centre_closing(legs)(np.column_stack(offers))
        for k, (closing, y) in enumerate(zip(closings, held, strict=True)):
            y = closing.shift(y, delta)
            pushed[list(legs.part(k).q)], pushed[list(legs.platform.q)] = y[:2], y[3:]
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
        found, traffic = inverse_dynamics(machine, state.q, state.v[motors], a[motors])
        np.testing.assert_allclose(found, tau[motors], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found, expected(state.q, state.v, a).tau, rtol=0, atol=1e-9)
        assert [one.round_trips for one in traffic] == 4 * [3]


def test_steps_have_one_length(machine):
    """Row 36: a step that some node may shorten would let the others wait without a bound."""
    with pytest.raises(px.InvalidInput, match="whole number of steps"):
        cosimulate(machine, duration=0.1, step=0.03)
