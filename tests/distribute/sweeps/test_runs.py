"""What a sweep runs gives what the same call without a sweep gives."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from distribute.sweeps.machines import ARM, LAW, effort, rollout, same, spread, squares
from flat_linkage import flat_four_bar
from phalanx import sweeps
from phalanx.distribute.sweeps.study import Study

BODY = ARM.bodies[-1].name
JOINTS = [joint.name for joint in ARM.moving_joints]


def test_a_sweep_is_a_rollout() -> None:
    found = px.sweep(rollout(), spread(), keep=["q_end", "v_end", "cost", "q", "tau.peak"], chunk=7)
    values = spread().values(0, 50, 0)
    plain = px.rollout(
        ARM,
        values["q0"],
        np.zeros(2),
        steps=40,
        step=5e-3,
        control=LAW,
        inputs={"target": [0.3, -0.2]},
        objective=effort,
        parameters={f"{BODY}.mass": values[f"{BODY}.mass"]},
        record=("q", "tau"),
    )
    assert same(found["q_end"], plain.final_q) and same(found["v_end"], plain.final_v)
    assert same(found["cost"], plain.cost) and same(found["q"], plain.q)
    assert same(found["tau.peak"], np.abs(plain.tau).max(axis=1))


@pytest.mark.parametrize("chunk", [1, 8, 9, 50])
def test_results_do_not_depend_on_the_cut(chunk: int) -> None:
    whole = px.sweep(rollout(), spread(), chunk=33)
    cut = px.sweep(rollout(), spread(), chunk=chunk)
    assert all(same(whole[name], cut[name]) for name in ("q_end", "v_end", "cost"))


def test_results_do_not_depend_on_the_measured_chunk() -> None:
    assert same(
        px.sweep(rollout(), spread())["cost"], px.sweep(rollout(), spread(), chunk=3)["cost"]
    )


def test_a_linkage_that_nobody_places_begins_closed() -> None:
    flat = flat_four_bar()
    run = sweeps.Rollout(flat, steps=20)
    found = px.sweep(run, sweeps.Grid({"crank.damping": [0.0, 0.5]}), keep=["q_end"])
    q = px.assemble(flat).q
    for value, end in zip([0.0, 0.5], found.to_xarray()["q_end"].values, strict=True):
        alone = px.rollout(flat, q, np.zeros(3), steps=20, parameters={"crank.damping": value})
        np.testing.assert_array_equal(end, alone.final_q)


def test_springs_between_frames_are_measured_along_a_line() -> None:
    flat = flat_four_bar()
    coil = px.Spring("coil", "coupler_end", "ground", 50.0)
    sprung = px.sweeps.Rollout(replace(flat, springs=[coil]), steps=2)
    over = sweeps.Grid({"coil.stiffness": [1.0, 2.0], "coil.damping": [0.1], "crank.damping": [0]})
    data = px.sweep(sprung, over, keep=["q_end"]).to_xarray()
    units = {name: data[name].attrs["units"] for name in over.names}
    assert units == {
        "coil.stiffness": "N/m",
        "coil.damping": "N·s/m",
        "crank.damping": "N·m·s/rad",
    }


def test_parts_and_factors_mean_what_they_say() -> None:
    mass = ARM.body(BODY).mass
    whole = sweeps.Table({"q0": [[0.1, 0.0], [0.2, 0.0]], f"{BODY}.mass": [2 * mass, 3 * mass]})
    columns = {f"{BODY}.mass.factor": [2.0, 3.0]}
    by_joint = sweeps.Table({f"q0.{JOINTS[0]}": [0.1, 0.2], **columns})
    by_entry = sweeps.Table({"q0[0]": [0.1, 0.2], **columns})
    wanted = px.sweep(rollout(), whole, chunk=2)["q_end"]
    assert same(px.sweep(rollout(), by_joint, chunk=2)["q_end"], wanted)
    assert same(px.sweep(rollout(), by_entry, chunk=2)["q_end"], wanted)


def test_controllers_are_varied_by_name() -> None:
    stiff = px.proportional_derivative(stiffness=80.0, damping=9.0)
    both = rollout(laws={"soft": LAW, "stiff": stiff})
    over = sweeps.Table({"control": ["soft", "stiff", "soft"], "q0[0]": [0.1, 0.2, 0.3]})
    found = px.sweep(both, over, chunk=3)["q_end"]
    for row, law in enumerate((LAW, stiff, LAW)):
        alone = sweeps.Table({"q0[0]": [0.1 * (row + 1)]})
        one = px.sweep(rollout(control=law), alone, chunk=1)["q_end"][0]
        np.testing.assert_allclose(found[row], one, rtol=1e-12)


def test_controllers_may_be_told_different_things() -> None:
    both = rollout(laws={"pd": LAW, "none": px.Law(lambda model, t, q, v: 0 * v)})
    found = px.sweep(both, sweeps.Grid({"control": ["pd", "none"]}), keep=["tau.peak"], chunk=2)
    assert not found.failures and (found["tau.peak"][1] == 0).all()
    assert (found["tau.peak"][0] > 0).all()


def test_gains_of_a_law_are_varied() -> None:
    def law(model, t, q, v, gain):
        return -gain * q - v

    run = rollout(control=px.Law(law, {"gain": 1}), inputs={})
    found = px.sweep(run, sweeps.Grid({"gain": [0.0, 50.0]}), keep=["tau.peak"], chunk=2)
    assert found["tau.peak"].shape == (2, 2)
    with pytest.raises(px.InvalidInput, match="needs 'gain'"):
        px.sweep(run, sweeps.Grid({"q0[0]": [0.0]}))


FORCES = (px.Damping(), px.Friction(), px.Stops(stiffness=300.0, damping=2.0))
ELBOW = JOINTS[1]


def rubbing(damping=0.0, friction=0.0) -> px.Mechanism:
    """The pendulum with an elbow that rubs and a stop near its begin."""
    joints = [
        replace(joint, damping=damping, friction=friction, lower=-0.05, upper=0.05)
        if joint.name == ELBOW
        else joint
        for joint in ARM.joints
    ]
    return replace(ARM, joints=tuple(joints))


def rubbed(machine: px.Mechanism, forces=FORCES, **gains) -> sweeps.Rollout:
    law = px.proportional_derivative([0.3, -0.2], **({"stiffness": 20.0, "damping": 5.0} | gains))
    setup = px.Setup(machine, control=law, forces=forces)
    return sweeps.Rollout(setup, steps=40, step=5e-3)


@pytest.mark.parametrize(
    ("name", "value", "other"),
    [
        (f"{ELBOW}.damping", 0.7, rubbed(rubbing(damping=0.7))),
        (f"{ELBOW}.friction", 0.4, rubbed(rubbing(friction=0.4))),
        ("stops.stiffness", 900.0, rubbed(rubbing(), forces=(px.Stops(900.0, 2.0),))),
        ("stops.damping.factor", 3.0, rubbed(rubbing(), forces=(px.Stops(300.0, 6.0),))),
        ("control.stiffness.factor", 2.0, "stiffness"),
        ("control.damping", 1.5, "damping"),
    ],
)
def test_numbers_of_forces_and_gains_are_varied_in_the_compiled_loop(name, value, other) -> None:
    if isinstance(other, str):
        other = rubbed(rubbing(), **{other: {"stiffness": 40.0}.get(other, 1.5)})
    found = px.sweep(rubbed(rubbing()), sweeps.Grid({name: [value]}), chunk=1)
    wanted = px.sweep(other, sweeps.Grid({"q0[0]": [0.0]}), chunk=1)
    plain = px.sweep(rubbed(rubbing()), sweeps.Grid({"q0[0]": [0.0]}), chunk=1)
    np.testing.assert_allclose(found["q_end"], wanted["q_end"], rtol=1e-11)
    assert (abs(found["q_end"] - plain["q_end"]) > 1e-6).any()


def test_a_case_of_opened_numbers_runs_again_alone() -> None:
    run = rubbed(rubbing(friction=0.1))
    over = sweeps.Table({f"{ELBOW}.friction": [0.3], "control.damping": [2.0], f"{BODY}.mass": [2]})
    alone = run.alone(over.values(0, 1, 0))
    end = px.sweep(run, over, chunk=1)["q_end"][0]
    np.testing.assert_allclose(alone["q"][-1], end, rtol=1e-11)


def test_each_law_has_gains_of_its_own() -> None:
    laws = {
        "soft": px.proportional_derivative([0.3, -0.2], stiffness=5.0, damping=1.0),
        "stiff": px.proportional_derivative([0.3, -0.2], stiffness=[40.0, 30.0], damping=1.0),
    }
    over = sweeps.Grid({"control": ["soft", "stiff"], "control.stiffness.factor": [1.0, 2.0]})
    found = px.sweep(rollout(laws=laws, inputs={}), over, keep=["tau.peak"], chunk=4)
    for row, gain in enumerate((5.0, 10.0, [40.0, 30.0], [80.0, 60.0])):
        law = px.proportional_derivative([0.3, -0.2], stiffness=gain, damping=1.0)
        alone = px.sweep(
            rollout(control=law, inputs={}), sweeps.Grid({"q0[0]": [0.0]}), keep=["tau.peak"]
        )
        np.testing.assert_allclose(found["tau.peak"][row], alone["tau.peak"][0], rtol=1e-11)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{ELBOW}.friction", r"add Friction\(.*\) to its forces="),
        (f"{ELBOW}.friction.factor", r"add Friction\("),
        ("stops.stiffness", r"add Stops\(stiffness="),
        (f"{ELBOW}.damping.factor", "multiplies .* which is 0"),
        (f"{ELBOW}.dampin", f"Did you mean '{ELBOW}.damping'"),
        ("control.stifness", "Did you mean 'control.stiffness'"),
    ],
)
def test_numbers_that_nothing_depends_on_are_refused(name: str, words: str) -> None:
    with pytest.raises(px.PhalanxError, match=words):
        px.sweep(rollout(forces=(px.Damping(),)), sweeps.Grid({name: [1.0]}))


def test_an_evaluation_is_a_call_of_dynamics() -> None:
    run = sweeps.Evaluation(ARM, "inverse_dynamics", at={"v": [0.5, -0.5]})
    over = sweeps.Grid({"q[0]": np.linspace(-1, 1, 5), f"q.{JOINTS[1]}": [0.0, 1.0]})
    found = px.sweep(run, over, chunk=3)
    q = np.stack([found["q[0]"], found[f"q.{JOINTS[1]}"]], axis=1)
    wanted = px.Dynamics(ARM).inverse_dynamics(q, np.array([0.5, -0.5]), np.zeros(2))
    assert same(found["tau"], wanted)


def test_a_scenario_is_varied_by_keys_of_its_file(tmp_path) -> None:
    file = tmp_path / "swing.toml"
    file.write_text(
        'model = "double_pendulum"\nduration = 0.1\nstep = 0.01\n[initial]\nq = [0.5, 0.0]\n'
        '[control]\nkind = "pd"\ntarget = [0.0, 0.0]\nstiffness = 3.0\ndamping = 1.0\n'
    )
    run = sweeps.Simulation(file)
    over = sweeps.Table({"control.stiffness": [3.0, -1.0, 9.0], "initial.q": [[0.5, 0]] * 3})
    found = px.sweep(run, over, keep=["q", "q_end", "energy.max"], chunk=2)
    plain = px.read_scenario(file).run()
    assert same(found["q"][0], plain["q"]) and same(found["q_end"][0], plain["q"][-1])
    assert found["energy.max"][0] == plain["energy"].max()
    assert list(found.failures) == [1] and "gains" in found.failures[1]
    assert (found["q_end"][2] != found["q_end"][0]).all()
    with pytest.raises(px.UnknownName, match=r"Did you mean 'control\.stiffness'"):
        px.sweep(run, sweeps.Grid({"control.stifness": [1.0]}))


def test_a_function_fails_case_by_case_and_the_rest_goes_on() -> None:
    run, over = squares()
    found = px.sweep(run, over, chunk=7)
    x = over.values(0, 60, 0)["x"]
    assert set(found.failures) == set(np.flatnonzero(x > 0.9).tolist()) != set()
    assert all("too far" in why for why in found.failures.values())
    good = x <= 0.9
    assert same(found["y"][good], x[good] ** 2) and np.isnan(found["y"][~good]).all()
    assert same(found["noise"], px.sweep(run, over, chunk=60)["noise"])


def test_runs_that_diverge_are_failures_with_step_and_reason() -> None:
    over = sweeps.Table({"v0[0]": [0.0, 1e200, 0.0]})
    found = px.sweep(rollout(), over, chunk=3)
    assert list(found.failures) == [1]
    assert "in step 1" in found.failures[1] and "finite" in found.failures[1]
    assert np.isnan(found["q_end"][1]).all() and np.isfinite(found["q_end"][[0, 2]]).all()


def test_cases_that_cannot_begin_fail_by_themselves() -> None:
    body = px.with_floating_base(px.library.puma560())
    run = sweeps.Rollout(body, steps=3)
    good = body.neutral()
    bad = good.copy()
    bad[3:7] = 2.0  # no unit quaternion: the whole batch is refused
    found = px.sweep(run, sweeps.Table({"q0": [good, good, bad, good, good]}), chunk=5)
    assert list(found.failures) == [2] and "quaternion" in found.failures[2]
    assert np.isfinite(found["q_end"][[0, 1, 3, 4]]).all()


def test_what_cannot_be_compiled_is_no_failure_of_cases() -> None:
    massless = px.with_floating_base(ARM)  # its base has no mass: no accelerations
    with pytest.raises(px.InvalidModel, match="mass"):
        px.sweep(sweeps.Rollout(massless, steps=3), sweeps.Grid({"v0[0]": [0.0, 1.0]}))


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({f"{BODY}.mas": [1.0]}, f"Did you mean '{BODY}.mass'"),
        ({"q0.elbw": [1.0]}, "has no input"),
        ({"targt": [1.0]}, "Did you mean 'target'"),
    ],
)
def test_names_that_do_not_exist_get_suggestions(over, words: str) -> None:
    with pytest.raises(px.UnknownName) as caught:
        px.sweep(rollout(), sweeps.Grid(over))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"q0": [1.0]}, "'q0' is 2 numbers a case"),
        ({"q0[7]": [1.0]}, "has 2 numbers"),
        ({"q0[0]": [1.0], f"q0.{JOINTS[0]}": [1.0]}, "set the same number"),
        ({"q0[0]": ["left"]}, "words"),
        ({"control": ["soft"]}, "give the laws by name"),
        ({"cost": [1.0]}, "has no input"),
    ],
)
def test_values_that_do_not_fit_are_said(over, words: str) -> None:
    with pytest.raises(px.PhalanxError) as caught:
        px.sweep(rollout(), sweeps.Grid(over))
    assert words in str(caught.value)


def test_an_unknown_result_gets_a_suggestion() -> None:
    with pytest.raises(px.UnknownName, match="Did you mean 'q_end'"):
        px.sweep(rollout(), spread(), keep=["q_edn"])


def test_the_hash_is_of_what_decides_results() -> None:
    base = Study(rollout(), spread(), chunk=5)
    assert base.fingerprint == Study(rollout(threads=1), spread(), chunk=9).fingerprint
    run, over = squares()
    again = Study(pickle.loads(pickle.dumps(run)), over)
    assert again.fingerprint == Study(run, over).fingerprint
    for other in (
        Study(rollout(step=4e-3), spread()),
        Study(rollout(inputs={"target": [0.3, -0.3]}), spread()),
        Study(rollout(objective=None), spread(), keep=base.keep[:2]),
        Study(rollout(), spread(51)),
        Study(rollout(), spread(), seed=1),
        Study(rollout(), spread(), keep=["q_end"]),
    ):
        assert other.fingerprint != base.fingerprint
