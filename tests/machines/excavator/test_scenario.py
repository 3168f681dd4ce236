"""Excavators in scenario files: what they become, and how mistakes are named."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import PhalanxError
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.ground import SAND
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator import (
    SpoolCurve,
    joint_experiment,
    resolved_experiment,
    rotary_excavator,
)

ROTARY = 'duration = 1.0\n[excavator]\nmachine = "rotary"\n'
CYLINDERS = 'duration = 1.0\n[excavator]\nmachine = "cylinders"\n'
MOVES = '[operator]\nkind = "moves"\n[[operator.moves]]\n'


@pytest.mark.parametrize(
    ("name", "mode", "operator"),
    [
        ("excavator-joint", "JOINT", joint_experiment()),
        ("excavator-resolved", "RESOLVED", resolved_experiment()),
    ],
)
def test_the_experiments_of_the_source(name, mode, operator):
    # with rates, as the scenario: with them the energies are compiled together with accelerations
    wanted = rotary_excavator(mode=mode).run(operator, 15.0, rates=True)
    run = px.read_scenario(name).run()
    for signal in wanted.signals:
        np.testing.assert_array_equal(run[signal], wanted[signal])
    assert run.settings["model"] == "cat215b"
    assert run.settings["excavator"]["mode"] == mode


def test_in_real_time_it_is_the_same_run():
    scenario = replace(px.read_scenario("excavator-joint"), duration=0.1)
    live = scenario.live(speed=100.0)
    live.run()
    np.testing.assert_array_equal(live.recording["q"], scenario.run()["q"])


def test_the_least_an_excavator_says(read):
    scenario = read(ROTARY)
    assert (scenario.step, scenario.inputs["operator"](0.5).tolist()) == (0.01, [0.0] * 4)
    assert scenario.surroundings is None
    np.testing.assert_array_equal(scenario.q0, rotary_excavator().q0)
    assert read(CYLINDERS).step == 1e-3
    # the source's law goes on correcting; cylinders let go
    assert scenario.control.closing is None
    assert read(CYLINDERS).control.closing == read(ROTARY + "settles = true").control.closing == 0.2


def test_everything_an_excavator_can_say(read):
    scenario = read(
        """
        duration = 1.0
        step = 0.005
        [excavator]
        machine = "rotary"
        mode = "resolved"
        ground = "sand"
        terrain = false
        charged = true
        control-period = 0.02
        lead = 0.3
        closing = 0.4
        settles = true
        proportional = [1, 2, 3, 4]
        derivative = 0.5
        integral = [0, 1, 0, 0]
        weight = 1e-6
        feedforward = [0, 0, 0, 1]
        spool = { slope = 0.1, deadband = 0.001, limit = 0.04, curve = "shift" }
        """
    )
    control = scenario.control
    assert (control.mode, control.period, control.lead) == ("RESOLVED", 0.02, 0.3)
    assert (control.proportional, control.derivative) == ((1, 2, 3, 4), (0.5,) * 4)
    assert (control.integral, control.weight) == ((0, 1, 0, 0), (1e-6,) * 4)
    assert control.feedforward == (0, 0, 0, 1)
    assert (control.spool.slope, control.spool.deadband, control.spool.limit) == (0.1, 0.001, 0.04)
    assert (control.spool.unit, control.spool.curve) == ("cm", SpoolCurve.SHIFT)
    assert control.closing == 0.4
    assert scenario.actuation.charged
    assert scenario.actuation.actuators["boom_hinge"].coulomb > 0
    assert scenario.surroundings.soil == SAND
    assert list(scenario.inputs) == ["operator"]  # the ground stays as it is


def test_ground_remembers_unless_told_otherwise(read):
    scenario = read(CYLINDERS + 'ground = "loam"')
    assert scenario.inputs["surface"] == DugSurface(scenario.surroundings)


def test_moves_follow_each_other_and_then_the_sticks_are_let_go(read):
    scenario = read(
        ROTARY
        + 'mode = "resolved"\n'
        + MOVES
        + "lasts = 0.5\nradius = 0.1\n[[operator.moves]]\nlasts = 1\nheight = 2\nbucket = -3"
    )
    operator = scenario.inputs["operator"]
    assert operator(0.49).tolist() == [0.1, 0, 0, 0]
    assert operator(0.5).tolist() == [0, 0, 2, -3]
    assert operator(1.5).tolist() == [0, 0, 0, 0]


def test_sticks_take_their_time(read):
    words = "lasts = 1\nswing = 4\n[[operator.moves]]\nlasts = 1\nswing = -2"
    text = ROTARY + MOVES.replace('"moves"', '"moves"\nramp = 0.5') + words
    operator = read(text).inputs["operator"]
    times = [0.0, 0.25, 0.5, 1.0, 1.25, 1.5, 2.0, 2.25, 2.5, 9.0]
    assert operator(times)[:, 0].tolist() == [0, 2, 4, 4, 1, -2, -2, -1, 0, 0]


def test_an_operator_from_a_table(read, tmp_path):
    (tmp_path / "sticks.csv").write_text("time,swing,boom,stick,bucket\n0,0,0,0,0\n1,1,2,3,4\n")
    words = '[operator]\nkind = "profile"\nfile = "sticks.csv"\nbetween = "linear"'
    assert read(ROTARY + words).inputs["operator"](0.5).tolist() == [0.5, 1, 1.5, 2]


def test_postures_by_the_names_of_joints(read):
    scenario = read(ROTARY + "[initial.degrees]\nboom_hinge = 45\nbucket_hinge = -90")
    wanted = rotary_excavator().q0
    wanted[[1, 3]] = np.pi / 4, -np.pi / 2
    np.testing.assert_allclose(scenario.q0, wanted)
    # the bucket's linkage follows
    closed = read(CYLINDERS + "[initial.degrees]\nbucket_hinge = -90")
    check_closed(closed.mechanism, closed.q0, np.zeros(closed.mechanism.nv))


def test_angles_of_any_machine(read):
    hinges = [joint.name for joint in px.library.double_pendulum().moving_joints]
    text = f'model = "double_pendulum"\nduration = 0.1\n[initial.degrees]\n{hinges[1]} = 180'
    np.testing.assert_allclose(read(text).q0, [0.0, np.pi])


def test_pressures_to_begin_with(read):
    words = "[initial.states]\npressure_out = 100\n[initial.states.pressure_in]\nboom_hinge = 3000"
    run = replace(read(ROTARY + words), duration=0.1).run()
    np.testing.assert_array_equal(run["pressure_in"][0], [0, 3000, 0, 0])
    np.testing.assert_array_equal(run["pressure_out"][0], [100] * 4)


def test_charged_lines_do_not_sag(read):
    def sag(words):
        run = read(ROTARY + words).run()
        return np.degrees(run["desired"] - run["q"])[:, 1].max()

    assert sag("") > 0.3
    assert sag("charged = true") < 0.01


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROTARY.replace("rotary", "rotery"), r"\[excavator\] machine has no choice 'rotery'"),
        ("duration = 1\n[excavator]", r"\[excavator\] has no key 'machine'"),
        (ROTARY + 'ground = "mud"', "ground has no choice 'mud'"),
        (ROTARY + 'mode = "JOINT"', "mode has no choice 'JOINT'. Choices: joint, resolved"),
        (ROTARY + "terrain = true", "expected no terrain without a ground"),
        (CYLINDERS + "charged = true", "cylinders always begin so"),
        (CYLINDERS + "settles = true", "cylinders always do"),
        (ROTARY + "closing = 0", r"\[excavator\]: closing .*positive"),
        (CYLINDERS + "weight = 1", r"weight = 1; expected zeros"),
        (ROTARY + "integral = [1, 2]", r"integral = \[1, 2\]; expected 4 numbers"),
        (ROTARY + "integral = -1", r"\[excavator\]: integral is .*not negative"),
        (ROTARY + "control-period = 0", r"\[excavator\]: period .*positive"),
        (ROTARY + "lead = -1", r"\[excavator\]: lead=-1.0; expected a positive angle"),
        (ROTARY + "spool = { slope = -1 }", r"\[excavator.spool\]: slope .*positive"),
        (ROTARY + 'spool = { curve = "gat" }', r"curve has no choice 'gat'. Did you mean 'gate'"),
        (ROTARY + "spool = { deadband = 0.06 }", r"\[excavator.spool\]: deadband .* a gate opens"),
        (ROTARY + "spool = { slop = 1 }", r"no key 'slop'. Did you mean 'slope'"),
        ("step = -1\n" + ROTARY, "step = -1; expected a positive number"),
        ('model = "cat215b"\n' + ROTARY, "model cannot stand beside"),
        (ROTARY + '[control]\nkind = "pd"', "control cannot stand beside"),
        ('duration = 1\nmodel = "cat215b"\n[operator]', r"\[operator\] needs a table \[excavator"),
        (ROTARY + '[operator]\nkind = "dig"', "kind has no choice 'dig'"),
        (ROTARY + '[operator]\nkind = "resolved-experiment"', 'commands for .* mode = "joint"'),
        (ROTARY + '[operator]\nkind = "joint-experiment"\nrates = [1, 2, nan, 3]', "finite"),
        (ROTARY + '[operator]\nkind = "profile"\nfile = "no.csv"', r"\[operator\] file: .*no.csv"),
        (ROTARY + '[operator]\nkind = "moves"', "no moves; expected tables under"),
        (ROTARY + MOVES + "lasts = 0", r"\[\[operator.moves\]\] 1 lasts = 0; expected a time"),
        (
            ROTARY + MOVES.replace('"moves"', '"moves"\nramp = 2') + "lasts = 1",
            r"lasts = 1; expected a time \[s\] above 2, the ramp",
        ),
        (ROTARY + MOVES.replace('"moves"', '"moves"\nramp = -1') + "lasts = 1", "ramp = -1; exp"),
        (ROTARY + MOVES + "boom = 1", r"\[\[operator.moves\]\] 1 has no key 'lasts'"),
        (ROTARY + MOVES + "lasts = 1\nboom = inf", r"boom = inf; expected a finite number"),
        (ROTARY + MOVES + "lasts = 1\nradius = 1", r"no key 'radius'. Keys: lasts, swing"),
        (ROTARY + "[initial.degrees]\nbom_hinge = 1", "Did you mean 'boom_hinge'"),
        (ROTARY + "[initial.degrees]\nboom_hinge = nan", "boom_hinge = nan; expected a finite"),
        (ROTARY + "[initial]\nq = 0\ndegrees = { boom_hinge = 1 }", "either q or"),
        (CYLINDERS + "[initial.degrees]\nboom_hinge = 80", r"\[initial\]: cylinder 'boom'"),
        (ROTARY + "[initial.states]\npressure = 1", "no state 'pressure'. Did you mean 'pressure_"),
        (ROTARY + "[initial.states]\npressure_in = -5", r"begins at -5 psi; .* allows is 0 psi"),
        (ROTARY + "[initial.states.pressure_in]\nboom_hinge = 1e5", "boom_hinge begins at 100000"),
        (ROTARY + "[initial.states.pressure_in]\nboom = 1", "no key 'boom'"),
        (CYLINDERS + "[initial.states]\npressure = -2e5", r"swing.a begins at -200000 Pa"),
        (CYLINDERS + '[initial.states.pressure]\n"boom.head" = inf', "boom.head = inf"),
        (CYLINDERS + 'ground = "clay"\n[initial.states]\nsoil_load = 1e5', "begins at 100000 kg"),
        ('duration = 1\nmodel = "cat215b"\n[initial.states]\nx = 1', "no state 'x'"),
    ],
)
def test_mistakes_are_named_by_file_and_key(read, text, message):
    with pytest.raises(PhalanxError, match=message) as caught:
        read(text)
    assert str(caught.value).count("case.toml") == 1
    assert "\n" not in str(caught.value)
