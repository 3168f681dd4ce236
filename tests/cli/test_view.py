from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from waiting import LONG

pytest.importorskip("viser")


@pytest.fixture
def serving(tmp_path):
    """Start a command that serves a page; what it says first, with the process."""
    started = []

    def start(*words):
        code = "from phalanx.cli import app; app()"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words, "--no-open", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        started.append(process)
        return process.stdout.readline(), process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ends_well(process):
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 0, said
    assert "Traceback" not in said


def swing(path, settings):
    t = np.linspace(0, 1, 11)
    q = Signal("q", "rad", ("shoulder", "elbow"), np.stack([t, -t], axis=1))
    Recording(t, [q], settings).write(path)


def page(line):
    [url] = [word for word in line.split() if word.startswith("http://")]
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def test_view_serves_a_page_until_interrupted(serving):
    line, process = serving("view", "puma560")
    assert line.startswith("puma560 at http://127.0.0.1:")
    assert b"<html" in page(line).lower()
    ends_well(process)


def test_view_says_which_mesh_is_missing(serving, tmp_path):
    (tmp_path / "broken.stl").write_bytes(b"nothing")
    (tmp_path / "rod.urdf").write_text(
        '<robot name="rod"><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
        '<visual><geometry><mesh filename="broken.stl"/></geometry></visual></link></robot>'
    )
    _, process = serving("view", "rod.urdf")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert "Warning" in said and "broken.stl" in said


def test_replay_knows_the_model_of_its_run(serving, tmp_path):
    swing(tmp_path / "run.mcap", {"model": "double_pendulum"})
    line, process = serving("replay", "run.mcap", "--speed", "0.5", "--loop")
    assert line.startswith("double_pendulum at")
    assert b"<html" in page(line).lower()
    ends_well(process)


@pytest.mark.parametrize(
    ("settings", "words", "said"),
    [
        ({}, (), "--model"),
        ({"model": "puma560"}, (), "2 positions"),
        ({"model": "double_pendulum"}, ("--plot", "tau"), "no signal 'tau'"),
        ({"model": "double_pendulum"}, ("--speed", "0"), "speed"),
        ({"model": "double_pendulum"}, ("--host", "203.0.113.7"), "cannot listen"),
    ],
)
def test_replay_that_cannot_be(run, tmp_path, settings, words, said):
    swing(tmp_path / "run.mcap", settings)
    assert said in run("replay", "run.mcap", "--no-open", *words, code=2).stderr


def test_replay_of_a_file_that_is_none(run, tmp_path):
    (tmp_path / "run.mcap").write_bytes(b"something else")
    assert "run.mcap" in run("replay", "run.mcap", code=2).stderr


def test_without_the_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert "[view]" in run("view", "puma560", "--no-open", code=2).stderr
