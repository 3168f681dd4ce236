from __future__ import annotations

import importlib
import sys
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import phalanx as px
from phalanx.ground import Ground
from phalanx.machines.excavator.environment import ExcavatorEnv, ExcavatorVectorEnv
from phalanx.machines.excavator.episodes import Episodes
from phalanx.machines.excavator.excavator import rotary_excavator
from phalanx.machines.excavator.tasks import DigAndDump, ReachPoint, Seen

MODULE = "phalanx.machines.excavator.environment"


@pytest.fixture(scope="module")
def machine():
    return rotary_excavator(step=5e-3)


@pytest.fixture(scope="module")
def digger():
    return rotary_excavator(step=5e-3, ground=Ground())


# -- tasks ---------------------------------------------------------------------------------------


def seen(*tips, load=0.0):
    return Seen(np.array(tips, float), np.full(len(tips), load))


def test_reaching_pays_the_way_and_the_end():
    task, goal = ReachPoint(tolerance=0.5), np.array([[4.0, 0.0, 0.0]])
    reward, achieved = task.judge(seen((0, 0, 0)), seen((1, 0, 0)), goal)
    assert (reward[0], achieved[0]) == (1.0, 0.0)
    reward, achieved = task.judge(seen((1, 0, 0)), seen((3.75, 0, 0)), goal)
    assert (reward[0], achieved[0]) == (2.75 + 1.0, 1.0)


def test_sticks_cost_effort():
    task, here = ReachPoint(effort=0.2), seen((0, 0, 0))
    for sticks, cost in (((1, 1, 1, 1), 0.2), ((0, 0, 0, 0), 0.0), ((0, -1, 0, 0), 0.05)):
        reward, _ = task.rewards(here, here, np.ones((1, 3)), np.array([sticks], float))
        assert reward[0] == pytest.approx(-cost)


def test_going_round_with_soil_earns_nothing_and_delivering_does():
    task, zone = DigAndDump(zone=1.0), np.array([[0.0, 6.0, -0.93]])
    away, over = (6.0, 0.0, 0.0), (0.0, 6.0, 1.0)

    def earned(*journey):
        return sum(task.judge(a, b, zone)[0][0] for a, b in pairwise(journey))

    empty, full = seen(away), seen(away, load=1.0)
    carried, dumped = seen(over, load=1.0), seen(over)
    assert earned(empty, full, carried, full) == pytest.approx(earned(empty, full))
    assert earned(empty, full, empty) == pytest.approx(-1.0), "spilt where it was dug"
    assert earned(empty, full, carried, dumped, empty) == pytest.approx(10.0)
    assert task.judge(carried, dumped, zone)[1][0] == 1.0


def test_goals_lie_where_the_task_says():
    rng = np.random.default_rng(0)
    goals = DigAndDump(swing=(1.0, 1.2), radius=(5, 6)).goals(rng, 200)
    angles, radii = np.arctan2(goals[:, 1], goals[:, 0]), np.hypot(goals[:, 0], goals[:, 1])
    assert ((np.abs(angles) >= 1) & (np.abs(angles) <= 1.2)).all()
    assert (angles > 0).any()
    assert (angles < 0).any()
    assert ((radii >= 5) & (radii <= 6)).all()


@pytest.mark.parametrize("wrong", [{"tolerance": 0.0}, {"duration": -1.0}, {"radius": (7.0, 5.0)}])
def test_tasks_that_make_no_sense_are_refused(wrong):
    with pytest.raises(px.InvalidInput):
        ReachPoint(**wrong)


# -- episodes ------------------------------------------------------------------------------------


def test_rewards_of_an_episode_add_up_to_the_way_that_was_made(machine):
    task = ReachPoint(effort=0.0, tolerance=1e-3)
    episodes = Episodes(task, 3, excavator=machine)
    episodes.begin(np.ones(3, bool), np.random.default_rng(0))
    first = np.linalg.norm(episodes.seen().tip - episodes.goals, axis=-1)
    earned = sum(episodes.step(np.full((3, 4), 0.5)).reward for _ in range(5))
    last = np.linalg.norm(episodes.seen().tip - episodes.goals, axis=-1)
    assert np.allclose(earned, first - last, rtol=0, atol=1e-12)


def test_periods_in_a_row_are_one_long_one(machine):
    short, long = (Episodes(ReachPoint(), 1, excavator=machine, period=p) for p in (0.1, 0.4))
    for episodes, steps in ((short, 4), (long, 1)):
        episodes.begin(np.ones(1, bool), np.random.default_rng(5))
        for _ in range(steps):
            episodes.step(np.full((1, 4), 0.3))
    assert np.allclose(short.q, long.q, rtol=0, atol=1e-12)


def test_goals_are_seen_from_the_cab(machine):
    episodes = Episodes(ReachPoint(), 1, excavator=machine)
    episodes.begin(np.ones(1, bool), np.random.default_rng(0))
    swing = episodes.q[0, 0]
    outwards = np.array([np.cos(swing), np.sin(swing), 0.0])
    episodes.goals[0] = episodes.seen().tip[0] + 2.5 * outwards + [0, 0, 1.0]
    assert np.allclose(episodes.observation()[0, -3:], [0.5, 0.0, 0.2], atol=1e-6)


def test_a_simulation_that_fails_is_said_and_nothing_odd_is_seen(machine):
    episodes = Episodes(ReachPoint(), 3, excavator=machine)
    episodes.begin(np.ones(3, bool), np.random.default_rng(0))
    episodes.v[1] = 1e150
    before = episodes.q[1].copy()
    outcome = episodes.step(np.zeros((3, 4)))
    assert outcome.lost.tolist() == [False, True, False]
    assert outcome.reward[1] == -10.0
    assert not outcome.done[1]
    assert np.array_equal(episodes.q[1], before)
    assert np.isfinite(episodes.observation()).all()


def test_sticks_that_are_no_numbers_are_refused(machine):
    episodes = Episodes(ReachPoint(), 2, excavator=machine)
    for wrong in (np.zeros(4), np.full((2, 4), np.nan), np.zeros((3, 4))):
        with pytest.raises(px.InvalidInput, match="sticks"):
            episodes.step(wrong)


def test_digging_needs_ground_and_periods_are_whole(machine):
    with pytest.raises(px.InvalidInput, match="Ground"):
        Episodes(DigAndDump(), 1, excavator=machine)
    with pytest.raises(px.InvalidInput, match="whole number of steps"):
        Episodes(ReachPoint(), 1, excavator=machine, period=0.0123)
    with pytest.raises(px.InvalidInput, match="machines=0"):
        Episodes(ReachPoint(), 0, excavator=machine)


# -- gymnasium -----------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["Reach", "Dig"])
def test_gymnasium_finds_nothing_wrong(task, machine, digger):
    excavator = digger if task == "Dig" else machine
    env = gymnasium.make(f"{MODULE}:phalanx/Excavator{task}-v0", excavator=excavator)
    check_env(env.unwrapped)
    assert env.unwrapped.episodes.task.digs == (task == "Dig")


def test_one_of_many_is_as_one_alone(machine):
    many = ExcavatorVectorEnv(3, excavator=machine)
    alone = ExcavatorEnv(excavator=machine)
    many.reset(seed=7)
    alone.reset(seed=7)
    for name in ("q", "v", "goals"):
        getattr(alone.episodes, name)[0] = getattr(many.episodes, name)[1]
    for name, values in alone.episodes._states.items():
        values[0] = many.episodes._states[name][1]
    rng = np.random.default_rng(0)
    for _ in range(4):
        sticks = rng.uniform(-1, 1, (3, 4)).astype(np.float32)
        seen_by_many, reward, *_ = many.step(sticks)
        seen_alone, own, *_ = alone.step(sticks[1])
        assert np.array_equal(seen_by_many[1], seen_alone)
        assert reward[1] == own


def test_the_same_seed_is_the_same_episode(machine):
    env = ExcavatorVectorEnv(4, excavator=machine)
    (first, _), (second, _) = env.reset(seed=3), env.reset(seed=3)
    assert np.array_equal(first, second)
    assert not np.array_equal(first, env.reset(seed=4)[0])
    assert env.observation_space.contains(first)


def test_those_who_ended_begin_anew_with_the_next_step(machine):
    env = ExcavatorVectorEnv(2, ReachPoint(duration=0.3), excavator=machine)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=0)
    env.episodes.time[1] = 0.1  # this one has lived a step longer
    still = np.zeros((2, 4), np.float32)
    ends, rewards = [], []
    for _ in range(5):
        _, reward, _, truncated, _ = env.step(still)
        ends.append(truncated.tolist())
        rewards.append(reward.tolist())
        time = env.episodes.time.copy()
    # three steps an episode, and one to begin anew
    assert ends == [[False, False], [False, True], [True, False], [False, False], [False, False]]
    assert rewards[2][1] == 0.0
    assert rewards[3][0] == 0.0
    assert np.allclose(time, [0.1, 0.2])


def test_a_goal_that_is_reached_ends_the_episode(machine):
    env = ExcavatorEnv(ReachPoint(tolerance=0.5), excavator=machine)
    env.reset(seed=0)
    env.episodes.goals[0] = env.episodes.seen().tip[0]
    _, reward, terminated, truncated, info = env.step(np.zeros(4, np.float32))
    assert terminated
    assert not truncated
    assert reward > 0.9
    assert info["achieved"] == 1.0


def test_many_by_gymnasium(machine):
    env = gymnasium.make_vec(
        f"{MODULE}:phalanx/ExcavatorReach-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        excavator=machine,
    )
    seen_first, info = env.reset(seed=0)
    assert seen_first.shape == env.observation_space.shape == (2, env.unwrapped.episodes.width)
    assert info["_tip"].all()


def test_there_is_nothing_to_render(machine):
    with pytest.raises(px.InvalidInput, match="draw nothing"):
        ExcavatorEnv(excavator=machine, render_mode="human")


def test_without_gymnasium_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, MODULE)
    with pytest.raises(px.MissingExtra, match=r"\[gym\]"):
        importlib.import_module(MODULE)
