"""Chains on processes over time: the motion of one processor, messages, and what ends a run."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from distribute.mpi import mpiexec
from distribute.programs.chains.machines import mixed
from phalanx.distribute import ChainJob, JobFailed, Solving, Stepping, launch, run
from phalanx.distribute.job_data import from_data, to_data
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.equations.quantities.configuration import normalized, position_rate
from phalanx.simulation.integrators.tableaux import CLASSIC
from waiting import eventually

TIGHT = Solving(stopping=Stopping(change=1e-12, residual=1e-12))
FEW = Solving(stopping=Stopping(change=1e-8, residual=1e-8, most=2))


def job_of(machine, **how):
    rng = np.random.default_rng(5)
    q = px.Dynamics(machine).integrate(machine.neutral(), 0.3 * rng.normal(size=machine.nv))
    v, tau = rng.normal(size=(2, machine.nv))
    usual = {"duration": 0.01, "step": 2e-3, "solving": TIGHT, "q": q, "v": v, "tau": tau}
    return ChainJob(machine, **(usual | how))


def articulated(job):
    """The same steps of the same order, by articulated bodies."""
    dynamics, m = px.Dynamics(job.mechanism), job.mechanism
    q, v, tau = job.state
    damping = m.per_freedom("damping")
    at, speed = SX.sym("q", m.nq), SX.sym("v", m.nv)
    moves = ca.Function("moves", [at, speed], [position_rate(m, at, speed)])
    scaled = ca.Function("scaled", [at], [normalized(m, at)])

    def rates(t, x):
        at, speed = x[: m.nq], x[m.nq :]
        a = dynamics.forward_dynamics(at, speed, tau - damping * speed)
        return np.concatenate([moves(at, speed).full().ravel(), a])

    x = np.concatenate([q, v])
    for k in range(job.steps):
        if job.stepping is Stepping.RUNGE_KUTTA:
            x = CLASSIC.step(rates, k * job.step, x, job.step)
            x[: m.nq] = scaled(x[: m.nq]).full().ravel()
        else:
            speed = x[m.nq :] + job.step * rates(0.0, x)[m.nq :]
            x = np.concatenate([dynamics.integrate(x[: m.nq], job.step * speed), speed])
    return x[: m.nq], x[m.nq :]


@pytest.mark.parametrize("stepping", list(Stepping))
@pytest.mark.parametrize(
    ("machine", "processes"), [(mixed(), 3), (px.library.chain(6, damping=0.2), 2)]
)
def test_steps_of_segments_are_those_of_one_processor(machine, processes, stepping):
    job = job_of(machine, stepping=stepping)
    result = run(job, processes)
    q, v = articulated(job)
    np.testing.assert_allclose(result.recording["q"][-1], q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(result.recording["v"][-1], v, rtol=0, atol=1e-9)
    assert len(result.recording) == job.steps + 1
    assert result.counts.evaluations == job.steps * (4 if stepping == "runge-kutta" else 1)
    assert result.recording["iterations"].sum() == result.counts.iterations
    assert result.recording["residual"].max() == result.counts.residual <= 1e-11
    # rows of the recording travel from neighbour to neighbour, too
    assert {line.kind for line in result.log} == {"neighbour", "sum"}
    beside = [line for line in result.log if line.kind == "neighbour"]
    assert {abs(line.sender - line.receiver) for line in beside} == {1}


def test_iterations_begin_where_forces_are_expected():
    """Jacobi needs fewer from there; conjugate gradients of a short chain end by themselves."""
    machine = px.library.chain(3, "spherical")
    solving = Solving(Jacobi(), Stopping(change=1e-6, residual=1e-6))
    job = job_of(machine, solving=solving, duration=0.02)
    warm, cold = run(job, 2), run(replace(job, start=None), 2)
    assert warm.counts.iterations < 0.8 * cold.counts.iterations
    np.testing.assert_allclose(warm.recording["q"], cold.recording["q"], rtol=0, atol=1e-6)


def test_rows_are_recorded_as_often_as_wanted(tmp_path):
    job = job_of(px.library.chain(4), duration=0.012, every=3, record=tmp_path / "run.mcap")
    result = run(job, 4)
    np.testing.assert_allclose(result.recording.time, [0.0, 0.006, 0.012])
    read = px.Recording.read(tmp_path / "run.mcap")
    np.testing.assert_array_equal(read.table, result.recording.table)
    assert read.settings["segments"] == [1, 1, 1, 1]
    assert read.settings["method"] == "ConjugateGradientJacobi"
    with pytest.raises(px.InvalidInput, match="every=4; expected a divisor of the 6 steps"):
        run(replace(job, every=4), 4)


def test_a_body_that_is_lost_is_named(tmp_path):
    machine = px.library.chain(3, "universal")
    tau = np.zeros(machine.nv)
    tau[2] = 1e300
    job = job_of(machine, tau=tau, duration=0.02, record=tmp_path / "run.mcap")
    with pytest.raises(px.PhalanxError, match=r"body 'link_\d' left finite numbers before t = "):
        run(job, 3)
    assert len(px.Recording.read(tmp_path / "run.mcap")) >= 1
    tau[2] = np.nan
    with pytest.raises(px.InvalidInput, match=r"'tau' .* is nan at the joint .* body 'link_2'"):
        run(replace(job, tau=tau, record=tmp_path / "other.mcap"), 3)
    assert not (tmp_path / "other.mcap").exists()


def test_an_iteration_that_does_not_converge_ends_the_run(tmp_path):
    solving = Solving(Jacobi(), Stopping(change=1e-9, most=4))
    job = job_of(px.library.chain(4), solving=solving, record=tmp_path / "run.mcap")
    with pytest.raises(DidNotConverge, match="did not converge in 4 iterations"):
        run(job, 2)
    assert len(px.Recording.read(tmp_path / "run.mcap")) == 1


def test_a_job_is_checked_before_anything_starts():
    job = ChainJob("chain:5,joint=spherical", start=None, q=[0.0, 0.0, 0.0, 1.0] * 5)
    assert (len(job.chain), job.start, job.stepping) == (5, None, "runge-kutta")
    data = json.loads(json.dumps(to_data(job)))
    assert to_data(from_data(data)) == data
    with pytest.raises(px.InvalidInput, match="4 bodies cannot be divided among 5 processes"):
        launch(ChainJob("chain:4"), 5)
    with pytest.raises(px.UnknownName, match="no stepping 'leap-frog'"):
        ChainJob("chain:4", stepping="leap-frog").on(2)
    with pytest.raises(px.InvalidInput, match="say on how many"):
        run(ChainJob("chain:4"))


@pytest.mark.xdist_group("mpi")
def test_an_iteration_that_does_not_converge_ends_a_run_on_ranks():
    mpiexec()
    # bent: a straight chain under gravity alone needs no iteration
    job = ChainJob("chain:4", FEW, duration=0.01, q=[0.1] * 4)
    with pytest.raises(
        JobFailed, match=r"rank .* reports: .*did not converge in 2 iterations.* t = 0"
    ):
        launch(job, 2, timeout=60.0)


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
    job = ChainJob("chain:4", duration=100.0, q=[0.1] * 4, record=path)
    with pytest.raises(
        JobFailed, match=r"(rank 1 was|ranks 0, 1 were) lost: .* The recording goes to t = "
    ) as failure:
        launch(job, 2, timeout=60.0)
    striker.join()
    kept = failure.value.recording
    assert 1 < len(kept) < 100_000
    assert len(px.Recording.read(path)) == len(kept)
    alone = run(replace(job, duration=0.005, record=None), 1).recording
    rows = min(len(alone), len(kept))
    np.testing.assert_allclose(kept["q"][:rows], alone["q"][:rows], rtol=0, atol=1e-9)
