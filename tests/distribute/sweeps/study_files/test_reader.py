from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.sweeps.study_files.reader import STUDIES, read_study

RUN = """\
[run]
kind = "rollout"
model = "double_pendulum"
steps = 10
"""
VARY = """\
[vary]
kind = "grid"
[vary.values]
"gravity[2]" = [-9.81, -1.62]
"q0[0]" = { from = -1.0, to = 1.0, count = 5 }
"""


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return path

    return written


def values(study):
    return study.over.values(0, len(study.over), study.seed)


def test_a_grid_has_all_combinations(write):
    study = read_study(write(RUN + VARY))
    assert len(study.over) == 10
    np.testing.assert_array_equal(values(study)["q0[0]"][:5], np.linspace(-1, 1, 5))
    assert study.name == "study" and study.keep is None and study.is_less_better


def test_names_with_dots_need_no_quotes(write):
    body = px.library.double_pendulum().bodies[1].name
    spread = "{ uniform = [0.5, 2.0] }"
    texts = (f'"{body}.mass.factor" = {spread}', f"{body}.mass.factor = {spread}")
    head = '[vary]\nkind = "random"\ncases = 9\n[vary.values]\n'
    quoted, plain = (values(read_study(write(RUN + head + text))) for text in texts)
    np.testing.assert_array_equal(quoted[f"{body}.mass.factor"], plain[f"{body}.mass.factor"])


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("{ uniform = [1, 2] }", px.sweeps.Uniform(1, 2)),
        ("{ log-uniform = [1, 100] }", px.sweeps.LogUniform(1, 100)),
        ("{ normal = [0, 3] }", px.sweeps.Normal(0, 3)),
        ("{ choice = [1, 5] }", px.sweeps.Choice((1, 5))),
    ],
)
def test_distributions_are_those_of_the_library(write, words, same):
    head = "seed = 4\n" + RUN + '[vary]\nkind = "quasi"\nmethod = "halton"\ncases = 7\n'
    study = read_study(write(f'{head}[vary.values]\n"v0[1]" = {words}\n'))
    wanted = px.sweeps.Quasi({"v0[1]": same}, 7, "halton").values(0, 7, 4)
    np.testing.assert_array_equal(values(study)["v0[1]"], wanted["v0[1]"])


@pytest.mark.parametrize("names", ["q0[0],v0[1]", '"q0[0]", "v0[1]"'])
def test_a_table_comes_from_a_file_beside_the_study(write, tmp_path, names):
    (tmp_path / "cases.csv").write_text(f"{names}\n1,2\n3,4\n")
    study = read_study(write(RUN + '[vary]\nkind = "table"\nfile = "cases.csv"\n'))
    assert values(study)["v0[1]"].tolist() == [2, 4]


def test_a_scenario_brings_control_and_state(write, tmp_path):
    (tmp_path / "hold.toml").write_text(
        'model = "double_pendulum"\nduration = 0.2\nstep = 0.01\n[initial]\nq = [0.2, 0.1]\n'
        '[control]\nkind = "pd"\ntarget = 0.3\nstiffness = 50\ndamping = 5\n'
    )
    text = '[run]\nkind = "rollout"\nscenario = "hold.toml"\n[vary]\nkind = "grid"\n'
    study = read_study(write(text + '[vary.values]\n"v0[0]" = [0.0, 1.0]\n'))
    assert study.run.steps == 20
    law = px.proportional_derivative([0.3, 0.3], stiffness=50, damping=5)
    same = px.rollout(
        px.library.double_pendulum(),
        [0.2, 0.1],
        [[0.0, 0.0], [1.0, 0.0]],
        steps=20,
        step=0.01,
        control=law,
    )
    kept = px.sweep(study.run, study.over, chunk=2)
    np.testing.assert_array_equal(kept["q_end"], same.final_q)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("steps = 10", "stesp = 10", r"\[run\] has no key 'stesp'.*Did you mean 'step"),
        ("steps = 10", "", "no key 'steps'"),
        ("steps = 10", "steps = 0", r"\[run\].*steps=0"),
        ("rollout", "rolout", r"\[run\] kind has no choice 'rolout'.*'rollout'"),
        ("double_pendulum", "dubble", r"model = 'dubble'; expected a machine of the library"),
        ('"grid"', '"gird"', r"\[vary\] kind has no choice 'gird'.*'grid'"),
        ("count = 5", "count = 0", r"count: expected how many values"),
        ("q0[0]", "q0[7]", r"\[vary.values\]: q0\[7\]: q0 .* has 2 numbers"),
        ("q0[0]", "q0.nobody", r"\[vary.values\]: .*no input 'q0.nobody'"),
        ("[-9.81, -1.62]", "[nan]", r"\[vary.values\]: value 0 of 'gravity\[2\]' is nan"),
        ("[-9.81, -1.62]", "{ uniform = [1, 2] }", r"no key 'uniform'"),
        ("[run]", 'keep = ["q_ende"]\n[run]', r"keep: .*no result 'q_ende'.*'q_end'"),
        ("[run]", 'better = "least"\n[run]', r"better has no choice 'least'"),
        ("[run]", "chunk = 0\n[run]", "chunk = 0; expected a whole number of at least 1"),
        ("steps = 10", 'steps = 10\nobjective = "distance"', "no key 'target'"),
        ("steps = 10", "steps = 10\ntarget = [0, 0]", "no target without objective"),
        ("steps = 10", 'steps = 10\nscenario = "puma-pd"', "either scenario = ... or model"),
        (
            'model = "double_pendulum"',
            'scenario = "puma-pd"',
            r"scenario = 'puma-pd'; expected one without events, or kind = 'simulation'",
        ),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(write, old, new, message):
    text = RUN + VARY
    assert old in text
    with pytest.raises(px.PhalanxError, match=f"(?s){message}") as caught:
        read_study(write(text.replace(old, new, 1)))
    assert "study.toml" in str(caught.value)


def test_studies_of_the_package_are_sound():
    assert STUDIES
    for name in STUDIES:
        study = read_study(name)
        assert study.description and study.judge
        assert len(study.over) > 500


def test_an_unknown_study_is_answered_with_the_nearest():
    with pytest.raises(px.UnknownName, match="'puma-robustness'"):
        read_study("puma-robust")


def test_a_quantity_of_a_model(write):
    text = '[run]\nkind = "evaluation"\nmodel = "double_pendulum"\nquantity = "inverse-dynamics"\n'
    study = read_study(write(text + '[vary]\nkind = "grid"\n[vary.values]\n"q[0]" = [0.1, 0.7]\n'))
    kept = px.sweep(study.run, study.over, chunk=2)
    q = [[0.1, 0.0], [0.7, 0.0]]
    same = px.Dynamics(px.library.double_pendulum()).inverse_dynamics(q, [0, 0], [0, 0])
    np.testing.assert_array_equal(kept["tau"], same)
    data = kept.to_xarray()
    assert data["tau"].attrs["units"] == "N·m" and data["q[0]"].attrs["units"] == "rad"


def test_a_function_by_its_name(write):
    name = "phalanx.distribute.sweeps.ready.tolerances:platform_error"
    text = f'[run]\nkind = "call"\nfunction = "{name}"\nunits = {{ leg_2 = "m" }}\n'
    vary = '[run.gives]\nshift = "m"\n[vary]\nkind = "grid"\n[vary.values]\nleg_2 = [0.0, 1e-4]\n'
    study = read_study(write(text + vary), trust=True)
    shift = px.sweep(study.run, study.over, chunk=1)["shift"]
    assert shift[0] < 1e-12 < 1e-5 < shift[1]
    for wrong in ("nobody:here", "phalanx:nothing", "phalanx"):
        with pytest.raises(px.ReadError, match="expected 'module:function'"):
            read_study(write((text + vary).replace(name, wrong)), trust=True)
    with pytest.raises(px.ReadError, match=r"no table \[run.gives\]"):
        read_study(write(text + vary.removeprefix('[run.gives]\nshift = "m"\n')), trust=True)


def test_a_scenario_whose_keys_are_varied(write, tmp_path):
    (tmp_path / "fall.toml").write_text(
        'model = "double_pendulum"\nduration = 0.1\nstep = 0.01\n[initial]\nq = [0.2, 0.1]\n'
    )
    text = '[run]\nkind = "simulation"\nscenario = "fall.toml"\n[vary]\nkind = "table"\n'
    study = read_study(write(text + '[vary.values]\n"initial.q" = [[0.2, 0.1], [1.0, 0.0]]\n'))
    ends = px.sweep(study.run, study.over, chunk=2)["q_end"]
    alone = px.simulate(px.library.double_pendulum(), [1.0, 0.0], duration=0.1, step=0.01)
    np.testing.assert_array_equal(ends[1], alone["q"][-1])
