"""Learning to drive an excavator: the environments, and where a learner goes.

Hundreds of excavators with hydraulics are one vector environment; a step is 0.1 s of all of them in
one compiled call. Two drivers try to bring the bucket's teeth to a point: one moves the sticks at
random, one steers by what it sees, with three numbers that were guessed. Nothing is trained here;
a comment shows where training goes.
Leaves ``out/14_excavator_gym.png``.
"""

import time
from pathlib import Path

import gymnasium
import matplotlib.pyplot as plt
import numpy as np

from phalanx.machines.excavator.environment import ExcavatorVectorEnv
from phalanx.machines.excavator.tasks import ReachPoint

MACHINES, STEPS = 512, 60  # 6 s
OUT = Path("out")

# one machine, by its name alone: any program that knows Gymnasium can do this
one = gymnasium.make("phalanx.machines.excavator.environment:phalanx/ExcavatorReach-v0")
seen, info = one.reset(seed=0)
print(f"one machine: {seen.size} numbers seen, {one.action_space.shape[0]} sticks")
one.close()

# RESOLVED mode: sticks are speeds of the stick's end, outwards, around and up
env = ExcavatorVectorEnv(MACHINES, ReachPoint(duration=30.0), mode="RESOLVED")
rng = np.random.default_rng(0)


def at_random(seen: np.ndarray) -> np.ndarray:
    """Sticks anywhere."""
    return rng.uniform(-1, 1, (len(seen), 4)).astype(np.float32)


def steering(seen: np.ndarray) -> np.ndarray:
    """Each stick in proportion to how far the goal is in its direction; the bucket stays."""
    outwards, sideways, up = seen[:, -3:].T
    sticks = np.stack([4 * outwards, 2 * sideways, 4 * up, 0 * up], axis=1)
    return np.clip(sticks, -1, 1).astype(np.float32)


def drive(policy, seed: int) -> dict[str, np.ndarray | float]:
    """One episode of every machine; what it earned until it ended, and who arrived when."""
    seen, info = env.reset(seed=seed)
    goals = env.episodes.goals.copy()
    running = np.ones(MACHINES, dtype=bool)
    earned, tips = np.zeros((STEPS, MACHINES)), [info["tip"]]
    arrived, lost = np.zeros((STEPS, MACHINES), dtype=bool), 0
    began = time.perf_counter()
    for k in range(STEPS):
        seen, reward, terminated, truncated, info = env.step(policy(seen))
        # a learner would keep (seen, action, reward, terminated) here, and improve its policy
        # every so many steps; with NEXT_STEP autoreset the first step after an end does not count
        earned[k] = reward * running
        arrived[k] = running & terminated & ~info["lost"]
        lost += np.count_nonzero(running & info["lost"])
        tips.append(np.where(running[:, None], info["tip"], tips[-1]))
        running &= ~(terminated | truncated)
    rate = MACHINES * STEPS / (time.perf_counter() - began)
    distance = np.linalg.norm(np.array(tips) - goals, axis=-1)
    return {"earned": earned, "arrived": arrived, "distance": distance, "rate": rate, "lost": lost}


drivers = {"at random": at_random, "steering": steering}
results = {name: drive(policy, seed=1) for name, policy in drivers.items()}
for name, result in results.items():
    print(
        f"{name}: {100 * result['arrived'].any(axis=0).mean():.0f} % arrived in "
        f"{STEPS * env.episodes.period:g} s, {result['earned'].sum(axis=0).mean():.2f} earned on "
        f"average, {result['lost']} lost; {result['rate']:,.0f} steps a second, "
        f"{result['rate'] * env.episodes.period:,.0f} times real time"
    )

t = env.episodes.period * np.arange(1, STEPS + 1)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for colour, (name, result) in zip(("0.5", "C1"), results.items(), strict=True):
    low, middle, high = np.percentile(result["distance"], (10, 50, 90), axis=1)
    since = np.concatenate([[0.0], t])
    left.fill_between(since, low, high, color=colour, alpha=0.2, linewidth=0)
    left.plot(since, middle, color=colour, label=f"{name}: middle and 80 % of {MACHINES} machines")
    there = 100 * np.cumsum(result["arrived"], axis=0).clip(0, 1).mean(axis=1)
    right.plot(t, there, color=colour, label=name)
left.axhline(env.episodes.task.tolerance, color="0.3", linewidth=0.8, linestyle=":")
left.set_ylabel("from teeth to goal [m]")
left.legend(frameon=False, fontsize=8)
right.set_ylabel("arrived [%]")
right.set_ylim(0, 100)
for axis in (left, right):
    axis.set_xlabel("time [s]")
    axis.set_xlim(0, t[-1])
    axis.grid(color="0.92")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "14_excavator_gym.png", dpi=110)
print(f"picture in {OUT / '14_excavator_gym.png'}")
