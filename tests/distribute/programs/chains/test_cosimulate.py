"""Chains on nodes over time: the motion of one processor, what travels, and what ends a run."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from distribute.mpi import mpiexec
from distribute.programs.chains.machines import mixed
from phalanx.distribute import JobFailed
from phalanx.distribute.programs import chains
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.equations.quantities.configuration import normalized, position_rate
from phalanx.simulation.integrators.tableaux import CLASSIC
from waiting import eventually

TIGHT = chains.Solving(stopping=Stopping(change=1e-12, residual=1e-12))


def plan_of(machine, nodes, **how):
    rng = np.random.default_rng(5)
    q = px.Dynamics(machine).integrate(machine.neutral(), 0.3 * rng.normal(size=machine.nv))
    v, tau = rng.normal(size=(2, machine.nv))
    told = {"duration": 0.01, "step": 2e-3, "solving": TIGHT, "q": q, "v": v, "tau": tau}
    return chains.ChainPlan(machine, nodes, **(told | how))


def articulated(plan):
    """The same steps of the same order, by articulated bodies."""
    dynamics, m = px.Dynamics(plan.mechanism), plan.mechanism
    q, v, tau = plan.state
    damping = m.per_freedom("damping")
    at, speed = SX.sym("q", m.nq), SX.sym("v", m.nv)
    moves = ca.Function("moves", [at, speed], [position_rate(m, at, speed)])
    scaled = ca.Function("scaled", [at], [normalized(m, at)])

    def rates(t, x):
        at, speed = x[: m.nq], x[m.nq :]
        a = dynamics.forward_dynamics(at, speed, tau - damping * speed)
        return np.concatenate([moves(at, speed).full().ravel(), a])

    x = np.concatenate([q, v])
    for k in range(plan.steps):
        if plan.stepping is chains.Stepping.RUNGE_KUTTA:
            x = CLASSIC.step(rates, k * plan.step, x, plan.step)
            x[: m.nq] = scaled(x[: m.nq]).full().ravel()
        else:
            speed = x[m.nq :] + plan.step * rates(0.0, x)[m.nq :]
            x = np.concatenate([dynamics.integrate(x[: m.nq], plan.step * speed), speed])
    return x[: m.nq], x[m.nq :]


@pytest.mark.parametrize("stepping", list(chains.Stepping))
@pytest.mark.parametrize(
    ("machine", "nodes"), [(mixed(), 3), (px.library.chain(6, damping=0.2), 2)]
)
def test_steps_of_segments_are_those_of_one_processor(machine, nodes, stepping):
    plan = plan_of(machine, nodes, stepping=stepping)
    outcome = chains.cosimulate(plan)
    q, v = articulated(plan)
    np.testing.assert_allclose(outcome.recording["q"][-1], q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(outcome.recording["v"][-1], v, rtol=0, atol=1e-9)
    assert len(outcome.recording) == plan.steps + 1
    assert outcome.effort.evaluations == plan.steps * (4 if stepping == "runge-kutta" else 1)
    assert outcome.recording["iterations"].sum() == outcome.effort.iterations
    assert outcome.recording["residual"].max() == outcome.effort.residual <= 1e-11
    # rows of the recording travel from neighbour to neighbour, too
    assert {line.kind for line in outcome.log} == {"neighbour", "sum"}
    beside = [line for line in outcome.log if line.kind == "neighbour"]
    assert {abs(line.sender - line.receiver) for line in beside} == {1}


def test_iterations_begin_where_forces_are_expected():
    """Jacobi needs fewer from there; conjugate gradients of a short chain end by themselves."""
    machine = px.library.chain(3, "spherical")
    solving = chains.Solving(Jacobi(), Stopping(change=1e-6, residual=1e-6))
    plan = plan_of(machine, 2, solving=solving, duration=0.02)
    warm = chains.cosimulate(plan)
    cold = chains.cosimulate(replace(plan, start=None))
    assert warm.effort.iterations < 0.8 * cold.effort.iterations
    np.testing.assert_allclose(warm.recording["q"], cold.recording["q"], rtol=0, atol=1e-6)


def test_rows_are_recorded_as_often_as_wanted(tmp_path):
    plan = plan_of(px.library.chain(4), 4, duration=0.012, every=3)
    outcome = chains.cosimulate(plan, tmp_path / "run.mcap")
    np.testing.assert_allclose(outcome.recording.time, [0.0, 0.006, 0.012])
    read = px.Recording.read(tmp_path / "run.mcap")
    np.testing.assert_array_equal(read.table, outcome.recording.table)
    assert read.settings["segments"] == [1, 1, 1, 1]
    assert read.settings["method"] == "ConjugateGradientJacobi"
    with pytest.raises(px.InvalidInput, match="every=4; expected a divisor of the 6 steps"):
        chains.cosimulate(replace(plan, every=4))


def test_a_body_that_is_lost_is_named(tmp_path):
    machine = px.library.chain(3, "universal")
    tau = np.zeros(machine.nv)
    tau[2] = 1e300
    plan = plan_of(machine, 3, tau=tau, duration=0.02)
    with pytest.raises(px.PhalanxError, match=r"body 'link_\d' left finite numbers before t = "):
        chains.cosimulate(plan, tmp_path / "run.mcap")
    assert len(px.Recording.read(tmp_path / "run.mcap")) >= 1
    tau[2] = np.nan
    with pytest.raises(px.InvalidInput, match=r"'tau' .* is nan at the joint .* body 'link_2'"):
        chains.cosimulate(replace(plan, tau=tau), tmp_path / "other.mcap")
    assert not (tmp_path / "other.mcap").exists()


def test_an_iteration_that_does_not_converge_ends_the_run(tmp_path):
    plan = plan_of(
        px.library.chain(4), 2, solving=chains.Solving(Jacobi(), Stopping(change=1e-9, most=4))
    )
    with pytest.raises(DidNotConverge, match="did not converge in 4 iterations"):
        chains.cosimulate(plan, tmp_path / "run.mcap")
    assert len(px.Recording.read(tmp_path / "run.mcap")) == 1


def test_a_job_is_a_plan_in_plain_words():
    plan = chains.ChainJob(bodies=5, joint="spherical", bend=0.2, order=-1).plan(2)
    assert (len(plan.chain), plan.start, plan.stepping) == (5, None, "runge-kutta")
    moved = px.Dynamics(plan.mechanism).integrate(plan.mechanism.neutral(), np.full(15, 0.2))
    np.testing.assert_allclose(plan.state[0], moved, rtol=0, atol=1e-15)
    with pytest.raises(px.UnknownName, match=r"no method 'conjugate-gradients'. Did you mean"):
        chains.ChainJob(method="conjugate-gradients").plan(2)
    with pytest.raises(px.InvalidInput, match="bodies=5 is for the library's 'chain'"):
        chains.ChainJob("puma560", bodies=5).plan(2)
    with pytest.raises(px.InvalidInput, match="4 bodies cannot be shared out to 5 nodes"):
        chains.launch(chains.ChainJob(bodies=4), 5)
    with pytest.raises(px.UnknownName, match="no way of stepping 'leap-frog'"):
        chains.ChainJob(stepping="leap-frog").plan(2)


@pytest.mark.xdist_group("mpi")
def test_an_iteration_that_does_not_converge_ends_a_run_on_ranks():
    mpiexec()
    job = chains.ChainJob(bodies=4, most=2, duration=0.01, timeout=60.0)
    with pytest.raises(
        JobFailed, match=r"rank .* says: .*did not converge in 2 iterations.* t = 0"
    ):
        chains.launch(job, 2)


@pytest.mark.xdist_group("mpi")
# MPI may end the rank that records along with the other
@pytest.mark.filterwarnings("ignore::phalanx.simulation.record.mcap_read.RecordingWarning")
def test_a_rank_that_dies_ends_the_run_and_leaves_a_recording(tmp_path, monkeypatch):
    mpiexec()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "run.mcap"

    def strike():
        pid = "phalanx_job_*/rank_1.pid"
        eventually(lambda: path.is_file() and path.stat().st_size > 2000)
        (found,) = tmp_path.glob(pid)
        os.kill(int(found.read_text()), signal.SIGKILL)

    striker = threading.Thread(target=strike)
    striker.start()
    # so many steps that the end is not reached
    job = chains.ChainJob(bodies=4, duration=100.0, record=str(path), timeout=60.0)
    with pytest.raises(
        JobFailed, match=r"(rank 1 was|ranks 0, 1 were) lost: .* The recording goes to t = "
    ) as failure:
        chains.launch(job, 2)
    striker.join()
    kept = failure.value.recording
    assert 1 < len(kept) < 100_000
    assert len(px.Recording.read(Path(job.record))) == len(kept)
    plan = replace(job, duration=0.005, record=None).plan(1)
    alone = chains.cosimulate(plan).recording
    rows = min(len(alone), len(kept))
    np.testing.assert_allclose(kept["q"][:rows], alone["q"][:rows], rtol=0, atol=1e-9)
