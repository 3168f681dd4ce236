"""How all commands behave: extras, sizes, pipes, and texts without markup."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from phalanx.cli import extras
from phalanx.cli.app import COMMANDS, app


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("view puma560", "view"),
        ("replay nothing.mcap", "view"),
        ("excavator", "view"),
        ("simulate puma560 --view", "view"),
        ("trajectory puma560 --demo --edit", "view"),
        ("trajectory puma560 --demo --scale optimal", "trajectory"),
        ("trajectory puma560 path.parquet", "parquet"),
        ("schedule puma560 --policy exact", "exact"),
        ("schedule puma560 --ranks 2", "mpi"),
        ("mesh puma600 --ranks 2", "mpi"),
        ("cosimulate planar_3rrr --ranks 4", "mpi"),
        ("sweep puma-robustness --to out.zarr", "cluster"),
        ("sweep-report nowhere.zarr", "cluster"),
        ("sweep-replay nowhere.zarr --case 0 --numbers", "cluster"),
    ],
)
def test_a_missing_extra_is_said_before_any_work(run, monkeypatch, line, extra):
    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("work was begun")

    missing = extras.PACKAGES[extra]
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in missing else "there")
    monkeypatch.setattr("phalanx.cli.models.find_model", work)
    said = run(*line.split(), code=2).stderr
    assert f"needs the extra '{extra}'" in said and f"[{extra}]'" in said


@pytest.mark.parametrize(
    "line",
    [
        "rollout double_pendulum --runs 1e13",
        "rollout double_pendulum --runs 1e17",
        "rollout double_pendulum --runs 1000 --steps 1000000000 --output out.npz",
        "evaluate double_pendulum bias --samples 1e12 --output out.npz",
        "excavator-fleet --machines 1e12",
        "simulate double_pendulum --duration 1e12",
        "chain --bodies 1e12",
        "chain --bodies 10 --samples 1e12",
        "info chain:1000000000000",
        "cosimulate chain --bodies 1000000000000",
    ],
)
def test_sizes_that_no_machine_has_are_refused_in_words(run, line):
    said = run(*line.split(), code=2).stderr
    assert re.search(r"need [\d.e+]+ (GB|TB) of memory", said), said
    assert re.search(r"About [\d,]+ fit", said), said


def test_a_size_that_takes_too_long(run):
    assert "at most 1e+12" in run(*"evaluate puma560 bias --samples 1e15".split(), code=2).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("words", [["info", "double_pendulum"], ["library", "--json"]])
def test_a_closed_pipe_is_silence(words):
    command = [sys.executable, "-m", "phalanx", *words]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert started.stdout is not None and started.stderr is not None
    started.stdout.close()  # nobody reads from the first word on
    assert started.stderr.read() == b""
    assert started.wait() == 141
    started.stderr.close()


def test_python_m_phalanx(process):
    done = subprocess.run(
        [sys.executable, "-m", "phalanx", "info", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0 and "Usage: phalanx info [OPTIONS] MODEL" in done.stdout


def test_the_library_is_told_without_markup(run):
    said = run("library").stdout
    assert "cat215b with tipping_link" in said
    assert not re.search(r":\w+:`|`|\*\*", said)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_no_types_of_python_and_no_markup(command):
    words = [command, "--help"] if command else ["--help"]
    said = CliRunner().invoke(app, words, env={"COLUMNS": "80"}).output
    assert not re.search(r"<(bool|str|int|float|path|list)|:\w+:`|``|\*\*", said)
    assert max(map(len, said.splitlines())) <= 80
