from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.mcap_write import McapFile
from phalanx.simulation.scenario.shipped import SCENARIOS

MODEL = "double_pendulum"


def test_a_model(run):
    result = run("simulate", MODEL, "--q0", "1.5,0", "--duration", "0.5")
    wanted = px.simulate(px.library.double_pendulum(), [1.5, 0.0], duration=0.5)
    lines = result.stdout.splitlines()
    assert lines[0] == "q [rad] at 0.5 s"
    np.testing.assert_allclose(
        np.array(lines[1].strip("[]").split(), dtype=float), wanted["q"][-1], atol=1e-6
    )
    assert "integration error: " in result.stdout and "J turned over" in result.stdout
    assert "0.5 s in 500 steps took" in result.stderr


def test_record_and_read_back(run, tmp_path):
    run("simulate", MODEL, "--duration", "0.1", "--every", "10", "--record", "run.mcap")
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert len(recording) == 11
    assert recording.settings["model"] == MODEL
    run("simulate", MODEL, "--duration", "0.1", "--record", "run.mcap", code=2)
    run("simulate", MODEL, "--duration", "0.1", "--record", "run.mcap", "--force")


def test_a_recording_without_room_is_rescued(run, tmp_path, monkeypatch):
    whole = McapFile.write_rows

    def full(self, table):
        if self._path.name == "run.mcap":
            raise OSError(28, "No space left on device")
        whole(self, table)

    monkeypatch.setattr(McapFile, "write_rows", full)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = run("simulate", MODEL, "--duration", "0.1", "--record", "run.mcap", code=2)
    assert "q [rad] at 0.1 s" in result.stdout
    assert "run.mcap holds 0 of 101 samples: No space left" in result.stderr
    (rescued,) = tmp_path.glob("phalanx-*/rescued.mcap")
    assert str(rescued) in result.stderr and len(px.Recording.read(rescued)) == 101


def test_report(run, tmp_path):
    result = run("simulate", MODEL, "--duration", "0.1", "--report", "out/here")
    page = tmp_path / "out" / "here" / "report.html"
    assert page.is_file() and str(Path("out/here/report.html")) in result.stderr


@pytest.mark.parametrize("control", ["pd", "computed-torque"])
def test_control_reaches_its_target(run, tmp_path, control):
    gains = ("--stiffness", "900", "--damping", "60,60")
    words = ("--control", control, "--target", "0.3,-0.3", *gains)
    run("simulate", MODEL, *words, "--duration", "3", "--record", "run.mcap")
    q = px.Recording.read(tmp_path / "run.mcap")["q"][-1]
    np.testing.assert_allclose(q, [0.3, -0.3], atol=0.05)


@pytest.mark.parametrize("integrator", ["rk4", "gill", "euler", "dormand-prince", "cvodes"])
def test_integrators(run, integrator):
    run("simulate", MODEL, "--duration", "0.05", "--integrator", integrator)


def test_a_scenario_by_name_and_options_in_its_place(run, tmp_path):
    words = ("--duration", "0.1", "--step", "0.005", "--record", "run.mcap")
    result = run("simulate", "wong-puma600", *words)
    assert "Wong (1991)" in result.stderr
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert (len(recording), recording.settings["model"]) == (21, "puma600")
    assert np.any(recording["tau"])


def test_no_control_in_place_of_a_scenarios(run, tmp_path):
    words = ("--duration", "0.1", "--control", "none", "--record", "run.mcap")
    run("simulate", "puma-pd", *words)
    assert not np.any(px.Recording.read(tmp_path / "run.mcap")["tau"])


def test_a_scenario_file_with_a_model_beside_it(run, pendulum, tmp_path):
    (tmp_path / "case.toml").write_text('model = "pendulum.urdf"\nduration = 0.1\n')
    run("simulate", "case.toml", "--record", "run.mcap")
    assert px.Recording.read(tmp_path / "run.mcap").settings["model"] == str(pendulum)


def test_in_real_time(run):
    result = run("simulate", MODEL, "--duration", "0.2", "--realtime", "--speed", "2")
    assert "timing 200 steps in" in result.stdout
    assert "0.1 s in real time" in result.stderr


def test_on_a_page(run, monkeypatch):
    pytest.importorskip("viser")
    shown = []
    monkeypatch.setattr("phalanx.cli.serving.serve", lambda viewer, opened: shown.append(viewer.q))
    run("simulate", MODEL, "--q0", "0.5", "--duration", "0.1", "--view")
    assert len(shown) == 1


def test_in_real_time_on_a_page(run):
    pytest.importorskip("viser")
    result = run("simulate", MODEL, "--duration", "0.2", "--realtime", "--view")
    assert "http://127.0.0.1:" in result.stdout


def test_a_page_needs_its_extra(run, monkeypatch):
    monkeypatch.setattr("phalanx.cli.extras.find_spec", lambda name: None)
    result = run("simulate", MODEL, "--view", code=2)
    assert "[view]" in result.stderr


def test_help_names_every_scenario(run):
    text = run("simulate", "--help").stdout
    for name in SCENARIOS:
        assert name in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("puma-pf",), "Did you mean 'puma-pd'?"),
        (("double_pendulu",), "Did you mean 'double_pendulum'?"),
        (("none.toml",), "there is no file none.toml"),
        ((MODEL, "--target", "1"), "--target needs --control"),
        ((MODEL, "--q0", "1,2,3"), "--q0 has 3 numbers; this model needs 2"),
        ((MODEL, "--q0", "a"), "--q0 'a,a': expected numbers"),
        ((MODEL, "--duration", "-1"), "must be positive times"),
        ((MODEL, "--step", "0.3", "--duration", "1"), "not a whole number of steps"),
        ((MODEL, "--record", "run.bag"), "must be one of .mcap"),
        ((MODEL, "--control", "pd", "--stiffness", "-1"), "not negative"),
        (("puma-pd", "--floating-base"), "in a scenario it is a key"),
        ((MODEL, "--realtime", "--speed", "0"), "speed=0.0; expected a positive number"),
    ],
)
def test_mistakes_are_one_line(run, words, message):
    error = run("simulate", *words, code=2).stderr.strip()
    assert message in error
    assert len(error.splitlines()) == 1


def test_what_was_recorded_before_a_failure_is_kept(run, tmp_path):
    words = ("--q0", "1", "--control", "pd", "--stiffness", "1e9", "--record", "run.mcap")
    result = run("simulate", MODEL, *words, "--report", "out", code=2)
    assert "left finite numbers" in result.stderr
    assert (tmp_path / "out" / "report.html").is_file()
    assert len(px.Recording.read(tmp_path / "run.mcap")) >= 1


def test_an_excavator_says_how_it_did(run, tmp_path):
    result = run("simulate", "excavator-resolved", "--duration", "6", "--report", "out")
    lines = {line.partition(":")[0]: line for line in result.stdout.splitlines()}
    assert lines["sag until 5 s (desired - actual)"].endswith("deg")
    assert "(desired 5.30 m)" in lines["radius of the stick's end"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "The machine on its way." in page and "sag until 5 s" in page


def test_an_excavator_in_real_time_is_recorded_for_replay(run, tmp_path):
    pytest.importorskip("viser")
    words = ("--duration", "0.2", "--realtime", "--record", "run.mcap")
    assert "timing 20 steps in" in run("simulate", "excavator-joint", *words).stdout
    recording = px.Recording.read(tmp_path / "run.mcap")
    assert recording.settings["model"] == "cat215b" and "spool" in recording
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("phalanx.cli.replay.serve", lambda viewer, opened: None)
        run("replay", "run.mcap", "--plot", "desired")


def test_forces_do_not_take_the_place_of_an_excavators_commands(run):
    result = run("simulate", "excavator-joint", "--control", "none", code=2)
    assert "moved by its actuation" in result.stderr
