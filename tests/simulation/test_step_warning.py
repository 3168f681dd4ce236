"""A step that is too long for a machine is said once, with one that would do."""

import re
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import phalanx as px
from phalanx.cli.app import app

LONG = """
model = "double_pendulum"
duration = 10.0
step = 0.2
[initial]
q = [2.5, 0.0]
"""


def test_a_step_that_is_too_long_is_named_and_the_one_proposed_will_do():
    """A double pendulum in steps of 0.2 s gains energy from nowhere."""
    m, start = px.library.double_pendulum(), [2.5, 0.0]
    with pytest.warns(px.StepWarning, match=r"step of 0\.2 s is too long") as told:
        run = px.simulate(m, start, duration=10.0, step=0.2)
    assert len(told) == 1 and told[0].filename == __file__
    assert run.energy_balance().relative_error > 0.02
    proposed = float(re.search(r"step=([\d.e-]+)", str(told[0].message)).group(1))
    assert proposed < 0.2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shorter = px.simulate(m, start, duration=10.0, step=proposed)
    assert shorter.energy_balance().relative_error < 0.02


def test_what_is_sane_or_adaptive_says_nothing():
    """Also at rest, where nothing but rounding is turned over."""
    m = px.library.double_pendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        px.simulate(m, [2.5, 0.0], duration=2.0, step=1e-3)
        px.simulate(m, [2.5, 0.0], duration=2.0, step=0.2, integrator=px.DormandPrince())
        px.simulate(m, [-1.5707963267948966, 0.0], duration=1.0)


@pytest.mark.parametrize("control", [None, lambda t, q, v: np.zeros(2)], ids=["native", "Python"])
def test_a_recorded_live_run_warns_at_its_end(control):
    """The same words as of `simulate`, once."""
    options = {"control": control, "duration": 10.0, "step": 0.2}
    with pytest.warns(px.StepWarning) as wanted:
        px.simulate(px.library.double_pendulum(), [2.5, 0.0], **options)
    options |= {"record": True, "speed": 1e6, "policy": px.CatchUp(np.inf)}
    live = px.LiveRun(px.library.double_pendulum(), [2.5, 0.0], **options)
    with pytest.warns(px.StepWarning) as told:
        live.run()
    assert [str(one.message) for one in told] == [str(one.message) for one in wanted]
    assert told[0].filename == __file__


@pytest.mark.parametrize("realtime", [(), ("--realtime", "--speed", "1e6")], ids=["", "real time"])
def test_commands_say_it_in_one_line(tmp_path, realtime):
    """Of a model and of a scenario, without places in source code."""
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG)
    model = ("double_pendulum", "--q0", "2.5,0", "--duration", "10", "--step", "0.2")
    for words in (model, (str(scenario),)):
        result = CliRunner().invoke(app, ["simulate", *words, *realtime])
        assert result.exit_code == 0, result.output
        told = [line for line in result.stderr.splitlines() if "too long" in line]
        assert len(told) == 1 and told[0].startswith("Warning: a step of 0.2 s is too long")
        assert "StepWarning" not in result.stderr


def test_a_sweep_of_simulations_says_each_case_once(tmp_path):
    """Cases that are measured first are not told twice."""
    pytest.importorskip("zarr")
    (tmp_path / "long.toml").write_text(LONG)
    study = tmp_path / "study.toml"
    study.write_text(
        'keep = ["q_end"]\n[run]\nkind = "simulation"\nscenario = "long.toml"\n'
        '[vary]\nkind = "grid"\n[vary.values]\nstep = [0.2, 0.25]\n'
    )
    result = CliRunner().invoke(app, ["sweep", str(study), "--to", str(tmp_path / "out.zarr")])
    assert result.exit_code == 0, result.output
    told = re.findall(r"a step of ([\d.]+) s is too long", result.stderr)
    assert told == ["0.2", "0.25"]
