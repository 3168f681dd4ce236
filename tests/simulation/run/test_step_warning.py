"""A step that is too long for a machine is said once, with one that would do."""

import re
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import phalanx as px
from phalanx.cli.app import app
from phalanx.mechanism import Joint, Prismatic, Revolute

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


def test_a_joint_that_lies_on_its_stop_hides_no_error():
    """A rod swings on a block on the floor: its steps are too long, whatever the floor does."""
    point = px.Body("rod", mass=1.0, com=(0.5, 0, 0), inertia=1e-9 * np.eye(3))
    joints = [
        Joint("rest", "base", "block", Prismatic((0, 0, 1)), lower=0.0),
        Joint("hinge", "block", "rod", Revolute((0, 1, 0))),
    ]
    bodies = [px.Body("base"), px.Body("block", mass=100.0, inertia=np.eye(3)), point]
    m = px.Mechanism("resting", bodies, joints)
    floor = px.Stops(stiffness=1e4, damping=500.0)
    with pytest.warns(px.StepWarning, match="too long"):
        px.simulate(m, [-0.1, -1.4], duration=19.95, step=0.15, forces=(floor,))


@pytest.mark.parametrize("method", [px.RungeKutta4(), px.Rosenbrock2(), px.SemiImplicitEuler()])
@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
def test_impacts_on_fitted_stops_say_nothing_of_the_step(method, step):
    """What they leave does not fall with it."""
    finger = px.Body("finger", mass=0.02, com=(0.02, 0, 0), inertia=1e-6 * np.eye(3))
    joint = Joint("knuckle", "base", "finger", Revolute((0, 1, 0)), upper=0.3, lower=-0.3)
    m = px.Mechanism("hand", [px.Body("base"), finger], [joint], gravity=(0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = px.simulate(m, v0=[3.0], duration=0.3, step=step, integrator=method)
    assert run.energy_balance().relative_error > 0.02


@pytest.mark.parametrize("control", [None, lambda t, q, v: np.zeros(2)], ids=["native", "Python"])
def test_a_recorded_live_run_warns_at_its_end(control):
    """The same words as of `simulate`, once."""
    setup = px.Setup(px.library.double_pendulum(), control=control)
    options = {"duration": 10.0, "step": 0.2}
    with pytest.warns(px.StepWarning) as wanted:
        px.simulate(setup, [2.5, 0.0], **options)
    options |= {"record": True, "speed": 1e6, "policy": px.CatchUp(np.inf)}
    live = px.LiveRun(setup, [2.5, 0.0], **options)
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
