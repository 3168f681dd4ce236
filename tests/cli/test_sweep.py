from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import phalanx as px
from waiting import LONG

zarr = pytest.importorskip("zarr")
xarray = pytest.importorskip("xarray")

STUDY = """\
description = "Pendulums of several weights"
keep = ["cost", "q_end", "q"]
judge = "cost"

[run]
kind = "rollout"
model = "double_pendulum"
steps = 20
step = 0.01
every = 5
q0 = [0.3, 0.1]
objective = "distance"
target = [0.0, 0.0]

[vary]
kind = "random"
cases = 40

[vary.values]
upper.mass.factor = { uniform = [0.5, 2.0] }
"v0.elbow" = { normal = [0.0, 1.0] }
"""


@pytest.fixture
def study(tmp_path):
    machine = px.library.double_pendulum()
    text = STUDY.replace("upper", machine.bodies[1].name).replace(
        "elbow", machine.moving_joints[1].name
    )
    (tmp_path / "study.toml").write_text(text)
    return "study.toml"


@pytest.fixture
def store(run, study):
    run("sweep", study, "--to", "out.zarr", "--chunk", "16")
    return "out.zarr"


def test_a_store_has_what_the_same_rollout_gives(store, tmp_path):
    data = xarray.open_zarr(tmp_path / store)
    machine = px.library.double_pendulum()
    body, joint = machine.bodies[1].name, machine.moving_joints[1].name
    mass = machine.body(body).mass * data[f"{body}.mass.factor"].values
    v0 = np.stack([np.zeros(40), data[f"v0.{joint}"].values], axis=1)
    same = px.rollout(
        machine, [0.3, 0.1], v0, steps=20, step=0.01, every=5, parameters={f"{body}.mass": mass}
    )
    np.testing.assert_array_equal(data["q_end"], same.final_q)
    np.testing.assert_array_equal(data["q"], same.q)
    assert data["q"].dims == ("case", "time", "joint")


def test_a_dry_run_says_how_much_and_leaves_nothing(run, study, tmp_path):
    told = run("sweep", study, "--chunk", "16", "--dry-run").stdout
    assert "3 of 16 cases" in told and "cost, q_end, q" in told and "at most" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]


def test_what_is_missing_is_done_and_nothing_else(run, study, store, tmp_path):
    chunk = tmp_path / store / "status" / "c" / "1"
    whole = xarray.open_zarr(tmp_path / store).load()
    others = {k: (chunk.parent / k).stat().st_mtime_ns for k in "02"}
    chunk.unlink()
    assert "24 of 40 cases" in run("sweep", "status", store).stdout
    assert "16 of them new" in run("sweep", study, "--to", store, "--resume").stdout
    assert others == {k: (chunk.parent / k).stat().st_mtime_ns for k in "02"}
    assert xarray.open_zarr(tmp_path / store).load().identical(whole)


def test_nothing_is_overwritten_unless_told(run, study, store, tmp_path):
    result = run("sweep", study, "--to", store, code=2)
    assert "--resume goes on with it, --force throws it away" in result.stderr
    result = run("sweep", study, "--to", store, "--resume", "--seed", "5", code=2)
    assert "another study" in result.stderr and "seed: 0 there, 5 here" in result.stderr
    run("sweep", study, "--to", store, "--force", "--seed", "5")
    assert json.loads(run("sweep", "status", store, "--json").stdout)["done"] == 40
    (tmp_path / "precious").mkdir()
    result = run("sweep", study, "--to", "precious", "--force", code=2)
    assert "no sweep here" in result.stderr and (tmp_path / "precious").is_dir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.toml", "--to", "x"), "there is no file missing.toml"),
        (("puma-robustnes", "--to", "x"), "Did you mean 'puma-robustness'?"),
        (("study.toml",), "--to is missing"),
        (("study.toml", "--to", "x", "--engine", "dusk"), "Did you mean 'dask'?"),
        (("study.toml", "--to", "x", "--engine", "dask:tcp://127.0.0.1:9"), "127.0.0.1:9"),
        (("study.toml", "--to", "x", "--resume", "--force"), "choose one"),
        (("study.toml", "--to", "no/where/x"), "cannot be written"),
    ],
)
def test_wrong_words_are_said_before_anything_runs(run, study, tmp_path, words, message):
    result = run("sweep", *words, code=2)
    assert message in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]


@pytest.mark.parametrize("again", [(), ("--resume",), ("--force",)])
@pytest.mark.parametrize("kind", ["store", "folder", "file"])
def test_what_is_no_sweep_is_left_as_it_is(run, study, tmp_path, kind, again):
    there = tmp_path / "there"
    if kind == "store":
        zarr.create_array(there, data=np.arange(3.0))
    elif kind == "folder":
        there.mkdir()
        (there / "letter.txt").write_text("dear")
    else:
        there.write_text("dear")

    def seen():
        files = [there] if there.is_file() else sorted(there.rglob("*"))
        return {path: path.read_bytes() for path in files if path.is_file()}

    before = seen()
    said = run("sweep", study, "--to", "there", *again, code=2).stderr
    assert "made by something else" in said or "no sweep here" in said
    assert seen() == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("cases = 40", "cases = 4_000_000_000_000", "TB, and "),
        ("cases = 40", "cases = 40_000_000_000_000_000_000", "cases"),
        ("uniform = [0.5, 2.0]", "uniform = [0.5, inf]", "expected finite numbers"),
        ("mass.factor", "mas.factor", "Did you mean"),
        ("mass.factor", "damping.factor", "Did you mean"),
        ('"q_end"', '"q_edn"', "Did you mean 'q_end'"),
    ],
)
def test_a_study_that_cannot_be_run_leaves_nothing(run, study, tmp_path, old, new, words):
    text = (tmp_path / study).read_text()
    assert old in text
    (tmp_path / study).write_text(text.replace(old, new))
    assert words in run("sweep", study, "--to", "new.zarr", code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == [study]


def test_status_from_outside(run, store):
    told = run("sweep", "status", store).stdout
    assert "40 of 40 cases (100.0 %)" in told and "3 of 3" in told
    facts = json.loads(run("sweep", "status", store, "--json").stdout)
    assert facts["chunks_done"] == 3 and facts["failed"] == 0
    assert facts["study"].endswith("study.toml")
    assert "no sweep here" in run("sweep", "status", "nowhere.zarr", code=2).stderr


def test_the_report_replays_its_best_case(run, store, tmp_path):
    run("sweep", "report", store, "--to", "r.html")
    text = (tmp_path / "r.html").read_text()
    best = int(xarray.open_zarr(tmp_path / store)["cost"].values.argmin())
    command = re.search(r"<code>phalanx (sweep replay [^<]+)</code>", text)[1]
    assert command == f"sweep replay {store} --case {best}"
    told = run(*command.split(), "--record", "run.mcap")
    assert "bitwise equal to those in the store" in told.stderr
    recording = px.Recording.read(tmp_path / "run.mcap")
    # one run of the same steps: the compiled loop and the recorded run round alike
    end = xarray.open_zarr(tmp_path / store)["q_end"].values[best]
    np.testing.assert_allclose(recording["q"][-1], end, rtol=0, atol=1e-12)
    assert "exists; --force" in run("sweep", "report", store, "--to", "r.html", code=2).stderr


def test_a_study_that_changed_is_not_replayed(run, study, store, tmp_path):
    text = (tmp_path / study).read_text().replace("steps = 20", "steps = 25")
    (tmp_path / study).write_text(text)
    assert "another study" in run("sweep", "replay", store, "--case", "1", code=2).stderr
    assert "cases 0 to 39" in run("sweep", "replay", store, "--case", "40", code=2).stderr


def test_an_interrupted_sweep_says_how_to_go_on(study, tmp_path):
    """A chunk a case, so that Ctrl-C comes between two of many."""
    text = (tmp_path / study).read_text().replace("cases = 40", "cases = 200000")
    (tmp_path / study).write_text(text)
    command = "from phalanx.cli import app; app()"
    words = ["sweep", study, "--to", "out.zarr", "--chunk", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    done = tmp_path / "out.zarr" / "status" / "c"
    patience = time.monotonic() + LONG
    while len(list(done.glob("[0-9]"))) <= 3 and time.monotonic() < patience:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said
    assert f"phalanx sweep {study} --to out.zarr --resume" in " ".join(said.split())
    kept = px.distribute.sweeps.Store.open(tmp_path / "out.zarr")
    assert 3 < kept.cases_done < 200000
    done_now = zarr.open_array(tmp_path / "out.zarr" / "cost", mode="r")[: kept.cases_done]
    assert np.isfinite(done_now).all()


@pytest.mark.parametrize("word", ["status", "report", "replay"])
def test_words_after_sweep_are_commands_and_so_are_the_names_with_hyphens(run, word):
    taught = run("sweep", "--help").output
    assert f"phalanx sweep {word} out.zarr" in taught
    told = run("sweep", word, "--help").output
    assert f"phalanx sweep {word}" in told
    assert run(f"sweep-{word}", "--help").output == told
    listed = run("--help").output
    assert f"sweep {word}" in listed and f"sweep-{word}" not in listed
