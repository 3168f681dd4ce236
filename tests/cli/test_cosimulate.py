from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from phalanx.base.robots import robot_files
from phalanx.distribute import ChainJob, Solving
from phalanx.distribute import run as run_job

MODEL = "planar_3rrr"


def test_in_one_process(run, tmp_path):
    words = ("--method", "penalty", "--duration", "0.02", "--record", "run.mcap")
    result = run("cosimulate", MODEL, *words)
    assert "planar_3rrr, penalty, replicated, on one process" in result.stdout
    assert "each step: exchanges 1, round trips 0, messages 12, words 54" in result.stdout
    assert "largest difference from one processor: q 0, v 0;" in result.stdout
    assert len(px.Recording.read(tmp_path / "run.mcap")) == 21
    refused = run("cosimulate", MODEL, *words, code=2)
    assert "--force overwrites it" in refused.stderr


def test_recursive_has_a_centre(run):
    result = run("cosimulate", MODEL, "--method", "recursive", "--duration", "0.01")
    assert "recursive, stages" in result.stdout
    assert "round trips 16," in result.stdout
    assert "centre" in result.stdout


def test_frozen_says_how_far_it_is_off(run):
    result = run("cosimulate", MODEL, "--mode", "frozen", "--duration", "0.05")
    assert "largest difference from one processor: q 0," not in result.stdout


@pytest.mark.parametrize(
    ("task", "signals"),
    [("displacement", "q"), ("kinematics", "q v a"), ("inverse", "q v a tau")],
)
def test_tasks_along_a_motion(run, tmp_path, task, signals):
    words = ("--task", task, "--duration", "0.02", "--record", "run.mcap")
    result = run("cosimulate", MODEL, *words)
    assert f"planar_3rrr, {task}, on one process" in result.stdout
    said = result.stdout.split("largest difference from one processor: ")[1].split(";")[0]
    off_by = dict(words.split() for words in said.split(", "))
    assert list(off_by) == signals.split()
    assert all(float(off) < 1e-12 for off in off_by.values())
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert recording.settings["task"] == task and len(recording) == 21


def test_blocks_of_time_samples(run):
    words = ("--mode", "blocks", "--method", "recursive", "--points", "2", "--duration", "0.02")
    result = run("cosimulate", MODEL, *words)
    assert "recursive, blocks of 2 time samples" in " ".join(result.stdout.split())
    assert "largest difference from one processor: q 0, v 0;" in result.stdout
    assert "time sample 2" in result.stdout


def test_displacement_analysis_in_every_evaluation(run):
    result = run("cosimulate", MODEL, "--displacement", "--duration", "0.01")
    assert "recursive, stages" in result.stdout and "round trips 20" in result.stdout


@pytest.mark.xdist_group("mpi")
def test_on_ranks(run, tmp_path):
    mpiexec()
    words = ("--ranks", "4", "--duration", "0.05", "--record", "run.mcap")
    result = run("cosimulate", MODEL, *words)
    assert "on 4 MPI ranks" in result.stdout
    assert "largest difference from one processor: q 0, v 0;" in result.stdout
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert (len(recording), recording.settings["ranks"]) == (51, 4)


@pytest.mark.xdist_group("mpi")
def test_inverse_dynamics_on_ranks(run, tmp_path):
    mpiexec()
    words = ("--task", "inverse", "--ranks", "4", "--duration", "0.02", "--record", "run.mcap")
    result = run("cosimulate", MODEL, *words)
    assert "planar_3rrr, inverse, on 4 MPI ranks" in result.stdout
    assert "proximal_3" in result.stdout
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert (recording.settings["task"], recording.settings["ranks"]) == ("inverse", 4)
    # Khan's motion begins at rest
    assert recording["tau"][0] == pytest.approx([-1.41862, -20.70723, 44.27619], abs=1e-4)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("double_pendulum",), "has no inertia about some axis"),
        (("puma560", "--mode", "frozen"), "--mode is for machines with loops"),
        ((MODEL, "--ranks", "3"), "needs a rank of its own; got 3"),
        ((MODEL, "--method", "recursive", "--mode", "frozen"), "take mode 'stages'"),
        ((MODEL, "--way", "1,2"), "2 numbers"),
        (
            (MODEL, "--task", "inverse", "--method", "penalty"),
            "legs that send requests to a centre",
        ),
        ((MODEL, "--displacement", "--method", "penalty"), "of the recursive method"),
        ((MODEL, "--displacement", "--mode", "replicated"), "take mode 'stages'"),
        ((MODEL, "--timeout", "0", "--ranks", "4"), "timeout=0"),
        (("planar_3rr",), "Did you mean 'planar_3rrr'"),
    ],
)
def test_errors_say_what_to_do(run, tmp_path, words, says):
    result = run("cosimulate", *words, "--record", "run.mcap", code=2)
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_teaches(run):
    text = run("cosimulate", "--help").stdout
    for word in (
        *("penalty", "projection", "recursive", "replicated", "frozen", "stages", "blocks"),
        *("displacement", "kinematics", "inverse", "--points", "--ranks"),
    ):
        assert word in text


CHAIN = ("chain", "--bodies", "5", "--duration", "0.01", "--step", "2e-3")


def test_segments_of_a_chain(run, tmp_path):
    result = run("cosimulate", *CHAIN, "--segments", "2", "--record", "run.mcap")
    assert "chain_5, conjugate-gradient, 2 segments on one process" in result.stdout
    assert "iterations: " in result.stdout and "messages to neighbours" in result.stdout
    assert "by one process" in " ".join(result.stdout.split())
    assert len(px.Recording.read(tmp_path / "run.mcap")) == 6


@pytest.mark.parametrize(("model", "segments"), [("chain:8", 4), ("chain:3", 3)])
def test_a_machine_without_loops_is_cut_into_segments(run, tmp_path, model, segments):
    times = ("--duration", "0.01", "--step", "2e-3")
    said = run("cosimulate", model, *times, "--record", "run.mcap").stdout
    machine = px.load(model)
    assert f"{machine.name}, conjugate-gradient, {segments} segments on one process" in said
    moved = px.Recording.read(tmp_path / "run.mcap")
    alone = px.simulate(
        machine, moved["q"][0], forces=[], duration=0.01, step=2e-3, integrator=px.RungeKutta4()
    )
    assert moved["q"][-1] == pytest.approx(alone["q"][-1], abs=1e-6)


def test_a_robot_of_the_wheel_is_cut_into_segments(run):
    if "ur5_robot" not in robot_files():
        pytest.skip("needs the robots of example-robot-data")
    times = ("--duration", "0.004", "--step", "2e-3")
    assert "ur5, conjugate-gradient" in run("cosimulate", "robot:ur5_robot", *times).stdout


def test_loads_over_time_on_a_tree(run, tmp_path):
    """A table of torques, and wrenches as numbers and as a table: those of the job in Python."""
    t = np.linspace(0.0, 0.01, 4)
    torques, push = np.outer(t, np.arange(1.0, 7.0)), np.outer(np.cos(t), [0, 0, -9, 0, 1, 0])
    for name, table in (("torques", torques), ("push", push)):
        rows = "\n".join(
            ",".join(map(repr, map(float, row))) for row in np.column_stack([t, table])
        )
        (tmp_path / f"{name}.csv").write_text(rows + "\n")
    words = ("--duration", "0.01", "--step", "5e-3", "--segments", "3", "--bend", "0")
    loads = ("--torques", "torques.csv", "--wrench", "head=0,0,-20,0,0,0")
    more = ("--wrench", "left_lower_arm=push.csv", "--record", "run.mcap")
    text = run("cosimulate", "torso", *words, *loads, *more).stdout
    assert "torso, conjugate-gradient, 3 segments" in text
    job = ChainJob(
        px.library.torso(),
        Solving(stopping=px.evaluators.Stopping(1e-8, 1e-8)),
        0.01,
        5e-3,
        tau=px.Profile(t, torques, "linear"),
        wrenches={
            "head": [0, 0, -20, 0, 0, 0],
            "left_lower_arm": px.Profile(t, push, "linear"),
        },
    )
    recording = px.Recording.read(tmp_path / "run.mcap")
    np.testing.assert_array_equal(recording["v"], run_job(job, 3).recording["v"])
    assert np.abs(recording["v"][-1]).max() > 1e-3


@pytest.mark.xdist_group("mpi")
def test_segments_of_a_chain_on_ranks(run, tmp_path):
    mpiexec()
    run("cosimulate", *CHAIN, "--segments", "2", "--record", "here.mcap")
    result = run("cosimulate", *CHAIN, "--ranks", "2", "--record", "there.mcap")
    assert "2 segments on 2 MPI ranks" in result.stdout
    here, there = (px.Recording.read(tmp_path / f"{name}.mcap") for name in ("here", "there"))
    assert (here.table == there.table).all()  # the same bits
    assert there.settings["ranks"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*CHAIN, "--ranks", "6"), "5 bodies cannot be divided among 6 processes"),
        ((*CHAIN, "--ranks", "2", "--segments", "3"), "--segments 3 need as many ranks"),
        ((*CHAIN, "--mode", "stages"), "--mode is for machines with loops"),
        ((*CHAIN, "--method", "penalty"), "--method is for machines with loops"),
        ((MODEL, "--bend", "1"), "--bend is for chains"),
        ((MODEL, "--method", "jacobi"), "closes on itself"),
        ((MODEL, "--wrench", "platform=0,0,1,0,0,0"), "--wrench is for chains"),
        ((*CHAIN, "--wrench", "link_2"), "expected a frame and its wrench"),
        ((*CHAIN, "--wrench", "link_2=1,2"), "--wrench has 2 numbers; this model needs 6"),
        ((*CHAIN, "--wrench", "lnk_2=0,0,1,0,0,0"), "Did you mean 'link_2'"),
        ((*CHAIN, "--torques", "none.csv"), "none.csv"),
        ((*CHAIN, "--iterations", "1"), "did not converge in 1 iterations"),
    ],
)
def test_errors_of_chains_say_what_to_do(run, words, says):
    assert says in " ".join(run("cosimulate", *words, code=2).stderr.split())


def test_json_has_the_numbers_of_the_table(run):
    found = json.loads(
        run("cosimulate", "planar_3rrr", "--duration", "0.02", "--json").stdout,
        parse_constant=lambda name: pytest.fail(name),
    )
    assert found["steps"] == 20 and found["differences"] == {"q": 0.0, "v": 0.0}
    # every process sends its state to three others, once a step
    assert [one["messages"] for one in found["processes"].values()] == [60] * 4
    assert found["each_step"]["exchanges"] == 1

    found = json.loads(
        run("cosimulate", "chain", "--bodies", "6", "--duration", "0.01", "--json").stdout
    )
    assert len(found["processes"]) == 4 and found["evaluations"] == 4 * found["steps"]
    assert found["residual"] <= 1e-8 and max(found["differences"].values()) < 1e-6
