"""Sampling control (MPPI): an arm finds its way around a ball by trying 1024 futures at a time.

Every 20 ms the controller draws 1024 torque sequences, lets the arm run through each of them for
0.8 s in one compiled call, and keeps the average, weighted by how little each would cost. The cost
is an expression over symbols that is integrated along with the motion, so nothing but one number a
future comes back. Leaves ``out/06_sampling_control.png``.
"""

import time
from dataclasses import replace
from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from casadi import SX

import phalanx as px
from phalanx.equations import forward_kinematics

FUTURES, HORIZON, STEP = 1024, 40, 0.02
CYCLES = 150  # 3 s
KNOTS = 8  # a drawn torque is held for a few steps: smoother, and fewer numbers to guess
TEMPERATURE = 0.05
OUT = Path("out")

puma = px.library.puma560_arm()
arm = replace(puma, joints=[replace(joint, damping=2.0) for joint in puma.joints])
dynamics = px.Dynamics(arm)
start = np.array([-0.9, -0.3, 0.3])
begin, goal = (
    dynamics.forward_kinematics(posture, frame="tool")[:3, 3]
    for posture in (start, np.array([0.9, -0.3, 0.3]))
)
obstacle, radius = (begin + goal) / 2, 0.15  # a ball right in the way [m]

tool = px.expression(forward_kinematics, arm, frame="tool")


def cost(q: SX, v: SX, tau: SX) -> SX:
    """Far from the goal, inside the obstacle, in a hurry: each costs, per second."""
    place = tool(q)[:3, 3]
    inside = ca.fmax(radius + 0.05 - ca.norm_2(place - obstacle), 0)
    return 10 * ca.sumsqr(place - goal) + 2e3 * inside**2 + 0.05 * ca.sumsqr(v)


futures = px.CompiledRollout(arm, step=STEP, objective=cost, record=())
rng = np.random.default_rng(0)
spread = np.array([15.0, 15.0, 8.0])  # of the drawn torques [N·m]

q, v = start, np.zeros(3)
plan = np.zeros((HORIZON, 3))  # what is added to the torques that hold the arm now
path, costs, errors = [], [], []
began = time.perf_counter()
for _ in range(CYCLES):
    holding = dynamics.gravity(q)
    knots = spread * rng.standard_normal((FUTURES, KNOTS, 3))
    knots[0] = 0  # the plan itself is among the futures
    noise = np.repeat(knots, HORIZON // KNOTS, axis=1)
    result = futures(q, v, steps=HORIZON, tau=holding + plan + noise)
    ends = dynamics.forward_kinematics(result.final_q, frame="tool")[:, :3, 3]
    total = result.cost + 2 * ((ends - goal) ** 2).sum(axis=1)
    weights = np.exp(-(total - total.min()) / TEMPERATURE)
    plan += np.tensordot(weights / weights.sum(), noise, axes=1)

    # the machine takes one step of the plan, which then moves on
    moved = futures(q, v, steps=1, tau=(holding + plan[0])[None])
    q, v = moved.final_q, moved.final_v
    plan = np.concatenate([plan[1:], plan[-1:]])
    path.append(dynamics.forward_kinematics(q, frame="tool")[:3, 3])
    costs.append(total.min())
    errors.append(np.linalg.norm(path[-1] - goal))
elapsed = time.perf_counter() - began

path = np.array(path)
clearance = np.linalg.norm(path - obstacle, axis=1).min() - radius
steps = CYCLES * FUTURES * HORIZON
print(f"{steps:,} steps of the arm in {elapsed:.1f} s: {1e3 * elapsed / CYCLES:.0f} ms a cycle")
print(
    f"cost of the best future {costs[0]:.2f} -> {costs[-1]:.3f}; tool {100 * errors[-1]:.1f} cm "
    f"from the goal; on its way it stayed {100 * clearance:.1f} cm clear of the ball"
)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
# along the straight line to the goal, and away from it to whatever side
length = np.linalg.norm(goal - begin)
along = (path - begin) @ (goal - begin) / length
away = np.sqrt(np.maximum(((path - begin) ** 2).sum(axis=1) - along**2, 0))
left.add_patch(plt.Circle((length / 2, 0), radius, color="0.85"))
left.plot(along, away, color="C1", linewidth=2, label="tool")
left.plot(0, 0, "o", color="0.3", label="start", clip_on=False)
left.plot(length, 0, "*", color="C2", markersize=14, label="goal", clip_on=False)
left.set_aspect("equal")
left.set_ylim(0, 0.35)
left.set_xlabel("along the straight line to the goal [m]")
left.set_ylabel("distance from that line [m]")
left.set_title("around the ball", loc="left", fontsize=10)
left.legend(frameon=False, loc="upper right", ncols=3)
t = STEP * np.arange(1, CYCLES + 1)
right.semilogy(t, costs, color="C0", label="cost of the best of 1024 futures")
right.semilogy(t, errors, color="C1", label="distance to the goal [m]")
right.set_xlabel("time [s]")
right.grid(color="0.92")
right.legend(frameon=False)
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "06_sampling_control.png", dpi=130)
print(f"picture in {OUT / '06_sampling_control.png'}")
