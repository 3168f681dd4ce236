from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import phalanx as px
from phalanx.base.errors import PhalanxError
from phalanx.cli import app
from phalanx.cli.app import COMMANDS, PANELS, SPECIAL
from waiting import eventually


def test_help_names_every_command_and_shows_examples(run):
    text = run("--help").output
    places = [text.index(panel) for panel in (*PANELS, SPECIAL, "Examples:")]
    assert places == sorted(places)
    for command in COMMANDS:
        assert command in text
    assert "phalanx evaluate puma560 inverse-dynamics --samples 1e6" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_teaches_by_example(run, command):
    text = run(*command.split(), "--help").output
    examples = text.partition("\nExamples:\n")[2]
    assert f"\n  phalanx {command}" in f"\n{examples}"


def test_version(run):
    assert run("--version").output.startswith("phalanx 0.")


def test_an_error_is_one_red_line_on_standard_error(run):
    result = run("info", "missing.urdf", code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: there is no file missing.urdf")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_names_in_brackets_are_not_markup(run):
    assert "[bold]" in run("info", "[bold]", code=2).stderr


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (PhalanxError("something is wrong"), 2, "something is wrong"),
        (PermissionError(13, "Permission denied", "x.npz"), 2, "Permission denied: x.npz"),
    ],
)
def test_how_it_ends(run, monkeypatch, raised, code, said):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr("phalanx.cli.models.find_model", fail)
    assert said in run("info", "puma560", code=code).stderr


def test_bugs_are_not_hidden(run, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("phalanx.cli.models.find_model", fail)
    result = CliRunner().invoke(app, ["info", "puma560"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_in_a_process_of_its_own(process):
    done = process("evaluate", "double_pendulum", "gravity", "--q", "0,0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("g of gravity")
    wrong = process("info", "nothing_like_it")
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def _interrupted(arguments, has_begun, cache):
    """What a command says on standard error when Ctrl-C ends it, once it has begun."""
    started = subprocess.Popen(
        [sys.executable, "-c", "from phalanx.cli import app; app()", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PHALANX_CACHE_DIR": str(cache)},
    )
    eventually(lambda: has_begun() or started.poll() is not None)
    started.send_signal(signal.SIGINT)
    said = started.communicate(timeout=60)[1]
    assert started.returncode == 130
    assert said.endswith("Error: interrupted.\n") and "Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_a_rollout(tmp_path):
    """A day of steps; the loop runs as soon as its code is kept."""
    _interrupted(
        ["rollout", "puma560", "--runs", "1e5", "--steps", "100000000"],
        lambda: any(tmp_path.glob("*.kernel")),
        tmp_path,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_a_simulation_and_keeps_the_recording(tmp_path):
    """Few samples of a long run, which any machine has the memory for."""
    path = tmp_path / "run.mcap"
    length = ["--duration", "100000", "--every", "100"]
    _interrupted(
        ["simulate", "double_pendulum", *length, "--record", str(path)],
        lambda: path.is_file() and path.stat().st_size > 10_000,
        tmp_path,
    )
    kept = px.Recording.read(path)
    assert 1 < len(kept) and kept.time[-1] < 100_000
