"""Scenario files: what they may say, and what is said about those that say something else."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import PhalanxError
from phalanx.simulation.integrators.integrators import INTEGRATORS
from phalanx.simulation.scenario.shipped import SCENARIOS
from phalanx.simulation.setup.forces.joint_forces import Friction

PENDULUM = """\
model = "double_pendulum"
duration = 0.1
"""


def test_the_least_a_scenario_says(read):
    scenario = read(PENDULUM)
    assert (scenario.name, scenario.duration, scenario.step) == ("case", 0.1, 1e-3)
    run = scenario.run()
    wanted = px.simulate(px.library.double_pendulum(), duration=0.1)
    np.testing.assert_array_equal(run["q"], wanted["q"])
    assert run.settings["scenario"] == "case"
    assert run.settings["model"] == "double_pendulum"


def test_everything_a_scenario_can_say(read, tmp_path):
    (tmp_path / "push.csv").write_text("time,fx,fy,fz,mx,my,mz\n0,0,0,0,0,0,0\n0.1,1,0,0,0,0,0\n")
    tip = px.library.double_pendulum().bodies[-1].name
    scenario = read(
        f"""
        name = "all"
        description = "everything"
        model = "double_pendulum"
        duration = 0.1
        step = 0.002
        every = 2
        integrator = "dormand-prince"
        relative = 1e-8
        absolute = 1e-7
        record = "out.mcap"
        report = "out"
        [initial]
        q = [0.5, -0.5]
        v = 0.1
        [control]
        kind = "computed-torque"
        target = 1.0
        stiffness = [100, 50]
        damping = 20
        [forces]
        damping = false
        friction = true
        slip = 0.1
        [forces.stops]
        stiffness = 1e3
        [wrenches]
        {tip} = {{ file = "push.csv", between = "linear" }}
        [[events]]
        time = 0.05
        kind = "pick-up"
        frame = "{tip}"
        body = "ball"
        mass = 1.0
        inertia = 0.01
        [[events]]
        time = 0.08
        kind = "drop"
        body = "ball"
        """
    )
    assert (scenario.name, scenario.every, scenario.step) == ("all", 2, 0.002)
    assert scenario.integrator == px.DormandPrince(relative=1e-8, absolute=1e-7)
    np.testing.assert_array_equal(scenario.v0, [0.1, 0.1])
    assert scenario.forces == (
        Friction(0.1),
        px.Stops(stiffness=1e3),
        px.EffortLimits(),
        px.ModelFluid(),
    )
    assert [event.time for event in scenario.events] == [0.05, 0.08]
    assert scenario.wrenches[tip](0.05) == pytest.approx([0.5, 0, 0, 0, 0, 0])
    assert (scenario.record, scenario.report) == (Path("out.mcap"), Path("out"))


@pytest.mark.parametrize("name", INTEGRATORS)
def test_every_integrator_has_a_name(read, name):
    scenario = read(PENDULUM + f'integrator = "{name}"')
    assert np.isfinite(scenario.run()["q"]).all()


def test_a_table_of_torques(read, tmp_path):
    (tmp_path / "tau.csv").write_text("0,1,2\n0.05,3,4\n")
    scenario = read(PENDULUM + '[control]\nkind = "profile"\nfile = "tau.csv"')
    run = scenario.run()
    np.testing.assert_array_equal(run["tau"][[0, 49, 50]], [[1, 2], [1, 2], [3, 4]])


def test_wanted_motions_begin_where_they_begin(read):
    scenario = read(
        PENDULUM
        + """
        [control]
        kind = "inverse-dynamics"
        trajectory = { kind = "cycloid", period = 0.1, start = [0.2, 0.4], end = 0.5 }
        """
    )
    np.testing.assert_array_equal(scenario.q0, [0.2, 0.4])
    np.testing.assert_allclose(scenario.run()["q"][-1], 0.5, atol=1e-9)


def test_models_lie_beside_their_scenario(tmp_path, monkeypatch):
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "arm.urdf").write_text(
        '<robot name="a"><link name="b"/><link name="c"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint></robot>'
    )
    (folder / "case.toml").write_text('model = "arm.urdf"\nduration = 0.01\nfloating-base = true\n')
    monkeypatch.chdir(tmp_path)
    scenario = px.read_scenario(folder / "case.toml")
    assert scenario.mechanism.nv == 7
    assert scenario.settings == {"model": str(folder / "arm.urdf"), "floating_base": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duration = 1", r"case.toml has no key 'model'"),
        ('model = "puma"\nduration = 1', r"case.toml model = 'puma'; expected a machine of"),
        ('model = "double_pendulum"', r"case.toml has no key 'duration'; expected a number"),
        (PENDULUM + "stepp = 1", r"case.toml has no key 'stepp'. Did you mean 'step'\?"),
        (PENDULUM + 'step = "1"', r"case.toml step = '1'; expected a number"),
        (PENDULUM + "step = -1", r"step = -1; expected a positive number"),
        (PENDULUM + "step = true", r"step = True; expected a number"),
        (PENDULUM + "every = 0", r"every = 0; expected a whole number of at least 1"),
        (PENDULUM + "every = 1.5", r"every = 1.5; expected a whole number"),
        (PENDULUM + 'integrator = "rk"', r"integrator has no choice 'rk'. Did you mean 'rk4'"),
        (PENDULUM + "relative = 1e-6", r"relative = 1e-06; expected no tolerance: 'rk4' takes"),
        (PENDULUM + "[initial]\nq = [1]", r"\[initial\] q = \[1\]; expected 2 numbers, not 1"),
        (PENDULUM + "[initial]\nq = [1, nan]", r"expected a list of 2 finite numbers"),
        (PENDULUM + "initial = 3", r"initial = 3; expected a table"),
        (PENDULUM + "[control]\ntarget = 1", r"\[control\] has no key 'kind'"),
        (PENDULUM + '[control]\nkind = "pid"', r"\[control\] kind has no choice 'pid'"),
        (
            PENDULUM + '[control]\nkind = "pd"\nstifness = 1',
            r"\[control\] has no key 'stifness'. Did you mean 'stiffness'\?",
        ),
        (
            PENDULUM + '[control]\nkind = "pd"\ntarget = 1\nstiffness = 1',
            r"\[control\] has no key 'damping'; expected a number or a list of 2",
        ),
        (
            PENDULUM + '[control]\nkind = "pd"\ntarget = 1\nstiffness = -1\ndamping = 1',
            r"\[control\]: control gains must be finite and not negative",
        ),
        (
            PENDULUM + '[control]\nkind = "profile"\nfile = "none.csv"',
            r"\[control\] file: .*none.csv",
        ),
        (PENDULUM + '[control]\nkind = "inverse-dynamics"', r"no table \[control.trajectory\]"),
        (
            PENDULUM + '[control]\nkind = "inverse-dynamics"\n[control.trajectory]\nkind = "line"',
            r"\[control.trajectory\] kind has no choice 'line'",
        ),
        (
            PENDULUM
            + '[control]\nkind = "inverse-dynamics"\n[control.trajectory]\nkind = "straight-line"\n'
            "period = 1\nstart = [0.3, 0.1, 0.1]\nend = [9, 9, 9]",
            r"\[control.trajectory\]: point \d+ of the path",
        ),
        (PENDULUM + "[forces]\nfriction = 1", r"\[forces\] friction = 1; expected true or false"),
        (PENDULUM + "[wrenches]\ntool = [0, 0, 0, 0, 0, 0]", r"\[wrenches\]: .*no frame 'tool'"),
        (PENDULUM + "[wrenches]\nbase = 3", r"\[wrenches\] base = 3; expected six numbers"),
        (PENDULUM + "events = 3", r"events = 3; expected tables, each under \[\[events\]\]"),
        (
            PENDULUM + '[[events]]\ntime = 1\nkind = "drop"\n[[events]]\nkind = "drop"',
            r"\[\[events\]\] 1 has no key 'body'",
        ),
        (
            PENDULUM + '[[events]]\ntime = 1\nkind = "pick-up"\nbody = "b"\nframe = "x"\nmass = 1',
            r"\[\[events\]\] 1: mechanism 'double_pendulum' has no frame 'x'",
        ),
        (
            PENDULUM
            + '[[events]]\ntime = 1\nkind = "pick-up"\nbody = "b"\nframe = "base"\nmass = -1',
            r"\[\[events\]\] 1: .*mass",
        ),
        ("model = ", r"case.toml: not TOML"),
    ],
)
def test_mistakes_are_named_by_file_and_key(read, text, message):
    with pytest.raises(PhalanxError, match=message) as caught:
        read(text)
    assert "case.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


HOSTILE = [
    (f"step = {'9' * 5000}", r"case.toml: not TOML: .*digits"),
    (PENDULUM + f"step = 1{'0' * 400}", r"case.toml step = 1000.*; expected a finite number"),
    (PENDULUM + f"step = 0x{'f' * 5000}", r"step = a int of .*digits; expected a finite"),
    (PENDULUM + f"every = 1{'0' * 400}", r"every = 1000.*; expected a whole number below"),
    (PENDULUM + f"[initial]\nq = [0, 1{'0' * 400}]", r"q = \[0, 1000.*2 finite numbers"),
    (PENDULUM + "step = 1979-05-27", r"step = datetime.date\(1979, 5, 27\); expected a number"),
    (PENDULUM + "step = 1979-13-27", r"case.toml: not TOML"),
    (f"x = {'[' * 5000}", r"case.toml: nested too deeply"),
    (f"x = {'[' * 20}{']' * 20}", r"case.toml: nested too deeply, more than 16 levels"),
    (f"\n{'a.' * 50_000}a = 1", r"case.toml: line 2: a key of more than 16 parts is nested"),
    ("[" + '"a b" . ' * 50_000 + "a]", r"case.toml: line 1: a key of more than 16 parts"),
    (PENDULUM + "step = 1\nstep = 2", r"case.toml: not TOML: Cannot overwrite a value"),
    (PENDULUM + "x = 'a\0'", r"case.toml: line \d+: not text: it holds a NUL"),
    ('model = "~nosuchuser/x"\nduration = 1', r"~nosuchuser/x.*home"),
    ("model = '" + "a" * 5000 + "'\nduration = 1", r"case.toml model = 'aaa.*; expected a machine"),
    (
        PENDULUM + '[control]\nkind = "inverse-dynamics"\n[control.trajectory]\nkind = "wave"\n'
        "period = 1\nwidth = 1e308",
        r"case.toml: \[control.trajectory\] begins with numbers that are not finite",
    ),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_made_to_break_a_reader_is_refused(read, text, message):
    with pytest.raises(PhalanxError, match=message) as caught:
        read(text)
    assert "case.toml" in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_files_that_are_not_there():
    with pytest.raises(px.ReadError, match=r"no file nowhere\.toml"):
        px.read_scenario("nowhere.toml")
    with pytest.raises(px.UnknownName, match="Did you mean 'wong-torso'"):
        px.read_scenario("wong-tors")


# -- those that come with the package -------------------------------------------------------------


def test_shipped_scenarios():
    assert {*("wong-puma600", "wong-torso", "dhanaraj-puma560", "puma-pd", "falling-chain")} <= set(
        list(SCENARIOS)
    )


# soil takes energy; what becomes of the trench is told in machines/excavator/test_soil_figures.py
@pytest.mark.parametrize("name", sorted(set(SCENARIOS) - {"excavator-trench"}))
def test_shipped_scenarios_run_and_keep_their_energy(name):
    scenario = px.read_scenario(name)
    assert scenario.description
    run = scenario.run()
    unexplained = run["energy"] - run["energy"][0] - run["work"] + run["loss"]
    # some hundred joules in most, 1e5 in an excavator; a payload brings and takes energy
    scale = max(100.0, np.abs(run["energy"]).max())
    # gates stir up the bucket, for which steps of 10 ms are long: finer ones lose less
    gates = name in ("excavator-joint", "excavator-resolved")
    assert scenario.events or np.abs(unexplained).max() < (1e-3 if gates else 1e-5) * scale


def test_the_package_holds_its_scenarios():
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/phalanx"]
    assert (root / "src/phalanx/data/scenarios/puma-pd.toml").is_file()


def test_a_motion_of_any_length_is_read(read):
    """The square of its period is beyond all numbers; the machine hardly moves."""
    text = (
        'model = "puma560_arm"\nduration = 1\n[control]\nkind = "inverse-dynamics"\n'
        '[control.trajectory]\nkind = "straight-line"\nperiod = 1e308\n'
        "start = [0.3, 0.2, 0.1]\nend = [0.3, 0.3, 0.1]"
    )
    assert not read(text).v0.any()


def test_values_of_a_file_may_be_changed_by_dotted_key():
    changed = px.read_scenario("puma-pd", changes={"duration": 0.5, "initial.v": [0.1] * 6})
    assert changed.duration == 0.5 and changed.v0.tolist() == [0.1] * 6
    assert px.read_scenario("puma-pd").duration == 6.0
    with pytest.raises(px.InvalidInput, match="'model' is no table"):
        px.read_scenario("puma-pd", changes={"model.mass": 1.0})
    with pytest.raises(px.UnknownName, match="Did you mean 'duration'"):
        px.read_scenario("puma-pd", changes={"duraton": 1.0})
