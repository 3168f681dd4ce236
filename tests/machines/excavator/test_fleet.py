from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.ground import Ground
from phalanx.machines.excavator.excavator import cylinder_excavator, rotary_excavator
from phalanx.machines.excavator.fleet import Fleet
from phalanx.machines.excavator.scripted_operator import ScriptedOperator

STICKS = np.random.default_rng(3).uniform(-1, 1, (1, 4, 4))


@pytest.fixture(scope="module")
def rotary():
    return rotary_excavator(step=2e-3)


@pytest.fixture(scope="module")
def digging():
    return rotary_excavator(step=2e-3, ground=Ground())


# -- operators who rehearsed ---------------------------------------------------------------------


def test_a_row_holds_until_the_next_and_the_last_one_for_good(rotary):
    rehearsed = ScriptedOperator(rotary.control, rows=3, hold=0.5)
    t, script = ca.SX.sym("t"), ca.SX.sym("script", 12)
    row_at = ca.Function("row", [t, script], [rehearsed.row_at(t, script)])
    table = np.arange(12.0).reshape(3, 4)
    for time, row in ((0, 0), (0.499, 0), (0.5, 1), (0.999, 1), (1.0, 2), (1.4, 2), (100.0, 2)):
        assert np.array_equal(row_at(time, rehearsed.script(table)).full()[:, 0], table[row])
    # the sum of five steps of 0.1 s, a rounding error short of what they should be, counts as 0.5
    assert row_at(np.nextafter(0.5, 0), rehearsed.script(table)).full()[0, 0] == table[1, 0]


def test_rows_that_are_not_used_do_not_matter(rotary):
    rehearsed = ScriptedOperator(rotary.control, rows=2, hold=1.0)
    t, script = ca.SX.sym("t"), ca.SX.sym("script", 8)
    row_at = ca.Function("row", [t, script], [rehearsed.row_at(t, script)])
    spoilt = np.array([1.0, 2, 3, 4, np.inf, np.nan, np.inf, np.nan])
    assert np.array_equal(row_at(0.2, spoilt).full()[:, 0], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("rows", "hold", "said"), [(0, 1.0, "rows=0"), (1.5, 1.0, "rows=1.5"), (2, 0.0, "hold")]
)
def test_tables_without_rows_or_time_are_refused(rotary, rows, hold, said):
    with pytest.raises(px.InvalidInput, match=said):
        ScriptedOperator(rotary.control, rows, hold)


def test_only_a_control_with_an_operator_can_be_rehearsed(rotary):
    with pytest.raises(px.UnknownName, match="operator"):
        ScriptedOperator(ScriptedOperator(rotary.control, 2, 1.0), 2, 1.0)


def test_scripts_have_the_shape_of_the_table(rotary):
    rehearsed = ScriptedOperator(rotary.control, 3, 1.0)
    assert rehearsed.script(np.zeros((7, 3, 4))).shape == (7, 12)
    for wrong in (np.zeros((2, 4)), np.zeros(12), np.full((3, 4), np.nan)):
        with pytest.raises(px.InvalidInput, match="expected"):
            rehearsed.script(wrong)


# -- fleets --------------------------------------------------------------------------------------


def test_a_machine_of_a_fleet_moves_as_it_does_alone(rotary):
    fleet = Fleet(rotary, [0.0, 0.0], np.repeat(STICKS, 2, axis=0), hold=0.25)
    run = fleet.run(1.0)
    times, commands = 0.25 * np.arange(4), rotary.commands(STICKS[0], "JOINT")
    alone = rotary.run(px.Profile(times, commands), 1.0)
    # a massless payload is another machine to the compiler: equal but for rounding
    assert np.allclose(run.final_q[0], alone["q"][-1], rtol=0, atol=1e-9)
    assert np.array_equal(run.final_q[0], run.final_q[1])


def test_loads_are_carried_by_those_who_have_them(rotary):
    fleet = Fleet(rotary, [0.0, 900.0, 0.0], np.zeros((3, 1, 4)))
    run = fleet.run(1.0)
    tips = run.tips
    assert tips[1, 2] < tips[0, 2] - 1e-3, "a loaded machine sags"
    assert np.array_equal(tips[0], tips[2])
    assert np.array_equal(run.load, fleet.payloads)


def test_the_same_seed_makes_the_same_fleet(rotary):
    one, two, other = (Fleet.make(rotary, 5, rows=2, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.sticks, two.sticks)
    assert np.array_equal(one.payloads, two.payloads)
    assert not np.array_equal(one.sticks, other.sticks)


def test_soil_falls_out_of_a_bucket_that_looks_down(digging):
    full = digging.ground.full_load
    down = replace(digging, posture=(0.0, 0.5, -1.2, 0.6))  # teeth 0.1 rad below the horizontal
    run = Fleet(down, [0.0, full], np.zeros((2, 1, 4))).run(1.0)
    assert run.load[0] == 0.0
    assert run.load[1] < 0.9 * full
    summary = run.summary()
    assert summary.spilled == 0.5
    assert summary.lost == 0


def test_fleets_without_ground_cannot_spill(rotary):
    assert Fleet.make(rotary, 3, rows=1).run(0.1).summary().spilled is None


def test_what_a_summary_says(rotary):
    run = Fleet.make(rotary, 8, rows=2, hold=0.25).run(0.5)
    summary = run.summary()
    assert (summary.machines, summary.seconds, summary.lost) == (8, 0.5, 0)
    assert summary.ratio == pytest.approx(8 * 0.5 / run.wall_time)
    assert np.allclose(summary.tip_mean, run.tips.mean(axis=0))
    assert np.allclose(summary.tip_spread, run.tips.std(axis=0))
    assert summary.beyond_limits == 0.0
    assert len(run.time) == 5
    assert np.array_equal(run.q[:, -1], run.final_q)


def test_lost_machines_are_counted_and_left_out(rotary):
    run = Fleet.make(rotary, 4, rows=1).run(0.1)
    q, finite = run.final_q.copy(), run.finite.copy()
    q[2], finite[2] = np.nan, False
    summary = replace(run, final_q=q, finite=finite).summary()
    assert summary.lost == 1
    assert np.isfinite(summary.tip_mean).all()
    nobody = replace(run, final_q=np.full_like(q, np.nan), finite=np.zeros(4, bool)).summary()
    assert nobody.lost == 4
    assert np.isnan(nobody.tip_mean).all()


def test_numbers_that_are_lost_on_the_way_are_found(rotary):
    # a load whose moments of inertia no number can hold
    run = Fleet(rotary, [0.0, 1e308], np.zeros((2, 1, 4))).run(0.1)
    assert run.finite.tolist() == [True, False]
    assert np.isnan(run.tips[1]).all()
    assert run.summary().lost == 1


def test_joints_beyond_their_limits_are_seen():
    machine = cylinder_excavator()
    run = Fleet.make(machine, 2, rows=1).run(0.01)
    assert not run.beyond_limits.any()
    q = run.q.copy()
    q[1, 0, 1] = np.radians(66.0)  # the boom's limit is 60 degrees
    assert replace(run, q=q).beyond_limits.tolist() == [False, True]


@pytest.mark.parametrize(
    ("payloads", "sticks", "said"),
    [
        ([-1.0], np.zeros((1, 1, 4)), "not negative"),
        ([np.nan], np.zeros((1, 1, 4)), "finite"),
        ([], np.zeros((0, 1, 4)), "one mass"),
        ([1.0], np.zeros((2, 1, 4)), r"expected \(1, rows, 4\)"),
        ([1.0], np.zeros((1, 4)), r"expected \(1, rows, 4\)"),
        ([1.0], np.full((1, 1, 4), 1.1), "-1 to 1"),
        ([1.0], np.full((1, 1, 4), np.nan), "-1 to 1"),
    ],
)
def test_wrong_fleets_are_refused(rotary, payloads, sticks, said):
    with pytest.raises(px.InvalidInput, match=said):
        Fleet(rotary, payloads, sticks)


def test_more_soil_than_a_bucket_holds_is_refused(digging):
    with pytest.raises(px.InvalidInput, match="heaped bucket"):
        Fleet(digging, [5000.0], np.zeros((1, 1, 4)))
    assert Fleet.make(digging, 50, heaviest=5000.0).payloads.max() <= digging.ground.full_load


@pytest.mark.parametrize(
    "options", [{"machines": 0}, {"rows": 0}, {"heaviest": -1.0}, {"mode": "FAST"}, {"hold": 0.0}]
)
def test_wrong_numbers_are_refused(rotary, options):
    with pytest.raises(px.InvalidInput):
        Fleet.make(rotary, **({"machines": 1, "rows": 1} | options))


def test_a_run_is_a_whole_number_of_steps(rotary):
    fleet = Fleet.make(rotary, 1, rows=1)
    with pytest.raises(px.InvalidInput, match="whole number of steps"):
        fleet.run(0.0031)
