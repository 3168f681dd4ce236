from __future__ import annotations

import re

import numpy as np
import pytest

import phalanx as px

MODEL = "double_pendulum"


def test_speed_is_told_as_a_ratio_to_real_time(run):
    result = run("rollout", MODEL, "--runs", "1e3", "--steps", "50", "--step", "2e-3")
    text = result.stderr
    assert "1,000 runs of 50 steps of 0.002 s" in text
    rate = float(re.search(r"([\d.e+]+) million steps", text)[1])
    ratio = float(re.search(r"([\d.e+]+) times real time", text)[1])
    assert ratio == pytest.approx(rate * 1e6 * 2e-3, rel=0.02)
    assert "shoulder" in result.stdout and "mean" in result.stdout


def test_output_is_the_rollout(run, tmp_path):
    run("rollout", MODEL, "--runs", "5", "--steps", "20", "--every", "4", "--output", "runs.npz")
    with np.load(tmp_path / "runs.npz") as file:
        assert file["q"].shape == (5, 5, 2)
        np.testing.assert_allclose(file["time"], 4e-3 * np.arange(1, 6))
        same = px.rollout(px.library.double_pendulum(), file["q0"], file["v0"], steps=20, every=4)
        np.testing.assert_array_equal(file["q"], same.q)


def test_control_and_typed_states(run, tmp_path):
    words = ("--control", "pd", "--target", "0.3", "--q0", "0.1,0.2", "--v0", "1")
    run("rollout", MODEL, "--runs", "3", "--steps", "10", *words, "--output", "runs.npz")
    law = px.proportional_derivative([0.3, 0.3], stiffness=100, damping=20)
    same = px.rollout(px.library.double_pendulum(), [0.1, 0.2], [1.0, 1.0], steps=10, control=law)
    with np.load(tmp_path / "runs.npz") as file:
        np.testing.assert_array_equal(file["q"][2], same.q)


def test_machines_with_loops_start_closed(run, tmp_path):
    run("rollout", "four_bar", "--runs", "12", "--steps", "5", "--output", "runs.npz")
    linkage = px.library.four_bar()
    with np.load(tmp_path / "runs.npz") as file:
        assert file["q0"].shape == (12, 3) and len(np.unique(file["q0"], axis=0)) > 1
        for q in (*file["q0"], *file["q"][:, -1]):
            assert np.abs(px.assemble(linkage, q).q - q).max() < 1e-9


def test_factors_of_the_machine(run, tmp_path):
    machine = px.library.double_pendulum()
    body = machine.bodies[-1].name
    words = ("--randomise", f"{body}.mass=0.5:2", "--randomise", f"{body}.com=0.9:1.1")
    run("rollout", MODEL, "--runs", "4", "--steps", "10", *words, "--output", "runs.npz")
    with np.load(tmp_path / "runs.npz") as file:
        mass, com = file[f"factor {body}.mass"], file[f"factor {body}.com"]
        assert ((mass >= 0.5) & (mass <= 2)).all() and len(set(mass)) == 4
        old = machine.body(body)
        heavy = px.Body(body, old.mass * mass[1], old.com * com[1], old.inertia)
        bodies = [heavy if b.name == body else b for b in machine.bodies]
        other = px.Mechanism("other", bodies, machine.joints, gravity=machine.gravity)
        alone = px.rollout(other, file["q0"][1], file["v0"][1], steps=10)
        np.testing.assert_allclose(file["q"][1], alone.q, rtol=0, atol=1e-12)


def test_the_seed_decides(run):
    def text(seed):
        return run("rollout", MODEL, "--runs", "9", "--steps", "3", "--seed", seed).stdout

    assert text("1") == text("1") != text("2")


def test_float32(run, tmp_path):
    run("rollout", MODEL, "--runs", "9", "--steps", "3", "--dtype", "float32", "--output", "r.npz")
    with np.load(tmp_path / "r.npz") as file:
        assert file["q"].dtype == np.float32


def test_runs_that_explode_are_counted(run):
    words = ("--control", "pd", "--stiffness", "1e9", "--steps", "500")
    assert "8 of 8 runs became non-finite" in run("rollout", MODEL, "--runs", "8", *words).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--runs", "0"), "--runs 0: expected a positive whole number"),
        (("--randomise", "x.mass=1:2"), "no body 'x'"),
        (("--randomise", "gravity=2:1"), "expected NAME=LOW:HIGH"),
        (("--randomise", "gravity"), "expected NAME=LOW:HIGH"),
        (("--randomise", "gravity=1:2", "--randomise", "gravity=1:2"), "comes twice"),
        (("--every", "300"), "--every 300 keeps nothing"),
        (("--output", "runs.csv"), "must be one of .npz"),
        (("--step", "0"), "step must be a positive time"),
        (("--damping", "1"), "--damping needs --control"),
    ],
)
def test_mistakes_are_one_line(run, words, message):
    error = run("rollout", MODEL, *words, code=2).stderr.strip()
    assert message in error
    assert len(error.splitlines()) == 1
