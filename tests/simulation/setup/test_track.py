"""Motors that follow a motion, with loops and without."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.planning.motions import wave
from phalanx.simulation.setup.track import start_of_motors, track

TURN = px.planning.cycloid(1.0, [0.0, 0.0], [0.4, -0.3])


def errors(run, motors, motion):
    return np.abs(run["q"][:, motors] - motion(run.time)[0])


def test_motors_of_a_five_bar_follow_to_the_accuracy_of_the_integrator():
    machine = px.library.five_bar()
    law = track(TURN, stiffness=100, damping=20)
    run = px.simulate(machine, duration=1.0, step=1e-3, control=law)
    assert errors(run, [0, 2], TURN).max() < 1e-9
    assert not run["tau"][:, [1, 3]].any(), "passive joints are not driven"
    assert (
        max(max(closed_loops(machine).open_loops(q, 0.0).values(), default=0.0) for q in run["q"])
        < 1e-10
    )


def test_an_error_of_the_start_decays_like_that_of_a_unit_mass():
    machine = px.library.four_bar()
    still = px.planning.cycloid(1.0, [0.5], [0.5])
    law = track(still, stiffness=25, damping=10)  # critically damped: e = e0 (1 + 5 t) exp(-5 t)
    run = px.simulate(machine, duration=1.0, step=1e-3, control=law)
    t = run.time
    wanted = 0.5 - 0.5 * (1 + 5 * t) * np.exp(-5 * t)
    np.testing.assert_allclose(run["q"][:, 0], wanted, rtol=0, atol=1e-9)


def test_a_tree_follows_too():
    machine = px.library.double_pendulum()
    run = px.simulate(machine, duration=1.0, control=track(TURN, stiffness=100, damping=20))
    assert errors(run, [0, 1], TURN).max() < 1e-9


def test_a_wave_begins_in_motion_with_loops_closed():
    machine = px.library.five_bar()
    motion = wave(2.0, [0.1, 0.0], [0.2, 0.1], [0.0, 1.0])
    motors = ["left_drive", "right_drive"]
    q, v = start_of_motors(machine, motors, motion)
    np.testing.assert_allclose(q[[0, 2]], [0.1, 0.1 * np.sin(1.0)])
    np.testing.assert_allclose(v[[0, 2]], [0.2 * np.pi, 0.1 * np.pi * np.cos(1.0)])
    law = track(motion, stiffness=100, damping=20)
    run = px.simulate(machine, q, v, duration=1.0, control=law)  # refuses velocities that open it
    assert errors(run, [0, 2], motion).max() < 1e-9


def test_rates_of_a_wave_are_those_of_its_positions():
    motion = wave(1.5, [0.1, 0.0], 0.3, [0.0, 1.0])
    t, h = np.linspace(0, 3, 31), 1e-4
    before, after = motion(t - h), motion(t + h)
    for k in (0, 1):
        np.testing.assert_allclose(motion(t)[k + 1], (after[k] - before[k]) / (2 * h), atol=1e-6)
    assert motion(0.0)[0].shape == (2,)


@pytest.mark.parametrize("law", [px.proportional_derivative, px.computed_torque])
def test_feedback_of_a_machine_with_loops_drives_its_motors_only(law):
    machine = px.library.four_bar(gravity=(0, 0, 0))
    run = px.simulate(machine, duration=6.0, control=law(0.4 * np.ones(3), stiffness=9, damping=6))
    assert not run["tau"][:, 1:].any()
    assert run["q"][-1, 0] == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stiffness": [1, 2, 3], "damping": 1}, "stiffness has 3 numbers"),
        ({"stiffness": 1, "damping": 1, "motors": ["left_drive"]}, "moves 2 joints"),
        ({"stiffness": 1, "damping": 1, "motors": ["left_drive", "left_elbw"]}, "left_elbow"),
    ],
)
def test_what_does_not_fit(options, message):
    with pytest.raises(px.PhalanxError, match=message):
        px.simulate(px.library.five_bar(), duration=0.1, control=track(TURN, **options))


def test_motors_turn_or_slide():
    still = px.planning.cycloid(1.0, [0.0], [0.0])
    law = track(still, stiffness=1, damping=1, motors=["platform"])
    with pytest.raises(px.InvalidInput, match=r"'platform' .* is planar. Motors turn or slide"):
        px.simulate(px.library.planar_3rrr(), duration=0.1, control=law)


def test_gains_are_not_negative():
    with pytest.raises(px.InvalidInput, match="not negative"):
        track(TURN, stiffness=-1, damping=1)


# -- in scenario files ----------------------------------------------------------------------------

CASE = """
model = "five_bar"
duration = 0.2
[control]
kind = "track"
stiffness = 100
damping = 20
"""


def test_a_scenario_says_it(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE + '[control.trajectory]\nkind = "wave"\nperiod = 1\nwidth = 0.1\nphase=1')
    scenario = px.read_scenario(path)
    run = scenario.run()
    assert errors(run, [0, 2], wave(1.0, [0.0, 0.0], 0.1, 1.0)).max() < 1e-9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"\[control\] has no table \[control.trajectory\]"),
        ('motors = ["crank"]\n[control.trajectory]\nkind="wave"\nperiod=1\nwidth=1', "crank"),
        ('motors = "left"', r"motors = 'left'; expected a list of texts"),
        ("motors = [1]", r"motors = \[1\]; expected a list of texts"),
        ('[control.trajectory]\nkind = "wave"\nperiod = -1\nwidth = 1', "period=-1"),
        ('[control.trajectory]\nkind = "wave"\nperiod = 1', "no key 'width'"),
    ],
)
def test_mistakes_are_named_by_file_and_table(tmp_path, text, message):
    path = tmp_path / "case.toml"
    path.write_text(CASE + text)
    with pytest.raises(px.PhalanxError, match=message) as caught:
        px.read_scenario(path)
    assert "case.toml" in str(caught.value)


def test_a_motion_that_begins_where_loops_do_not_close(tmp_path):
    path = tmp_path / "case.toml"
    motion = '[control.trajectory]\nkind = "wave"\nperiod = 1\nwidth = 1\nmiddle = 5'
    path.write_text(CASE.replace("five_bar", "bucket_linkage") + motion)
    with pytest.raises(px.ReadError, match=r"case.toml: \[control\]: the loops .* do not close"):
        px.read_scenario(path)
