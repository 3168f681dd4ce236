"""A trajectory table: torques are seen before they are executed, and a path is made possible.

An arm is to pass six points in three seconds. A horizon of its rows shows, before anything moves,
where joints would need more than they have. The planner then has three answers: drive the whole
path more slowly; time it as fast as the joints allow, here faster and there slower (needs
``phalanx[trajectory]``); or edit a single row while the others flow to the motors. Leaves
``out/17_trajectory.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx.planning import (
    IntegratedTable,
    Limits,
    TrajectoryTable,
    demo_waypoints,
    time_optimal,
    uniform_scaling,
)

STEP = 1e-3  # [s] between rows: motors get new torques at 1 kHz
TORQUE = np.array([50.0, 100.0, 89.4, 24.0, 20.0, 21.0])  # [N·m] of the motors
OUT = Path("out")

arm = px.library.puma560()
dynamics = px.Dynamics(arm, threads=1)
limits = Limits.of(arm, torque=TORQUE)
path = demo_waypoints(arm).path()

# the whole horizon, before anything moves
given = TrajectoryTable.of(dynamics, path.sample(STEP), torque_limits=TORQUE)
print(f"{len(given)} rows, {given.delay:.3f} s from when a row enters to when it is executed")
for violation in given.violations:
    print(f"  {violation}")

# one speed for all of it: what joints need beyond gravity shrinks with its square
scaling = uniform_scaling(dynamics, given.rows, limits)
slow = TrajectoryTable.of(dynamics, path.faster(scaling.speed).sample(STEP), torque_limits=TORQUE)
print(f"uniform: {scaling}; {slow.rows.duration:.3f} s")

# the fastest timing along the same path
timing = time_optimal(dynamics, path, STEP, limits)
fast = TrajectoryTable.of(dynamics, timing.rows, torque_limits=TORQUE)
print(
    f"time-optimal: {timing.path.duration:.3f} s, all limits kept, for which it is "
    f"{timing.slowdown:.4%} slower"
)

# rows flow out while one of them is edited: only that one is computed again
executed = []
for k in range(1200):
    if k == 1000:
        worst = next(v for v in given.violations if v.joint == "joint_1")
        calmer = 0.5 * given.a[worst.row]
        torque = given.edit(worst.row, a=calmer)
        print(
            f"at {k * STEP:.1f} s row {worst.row} is edited, {worst.row * STEP:.2f} s before it is "
            f"due: {worst.value:.1f} N·m of joint_1 became {torque[0]:.1f}"
        )
    executed.append(given.shift((given.q[-1].copy(), np.zeros(6), np.zeros(6))).torque)

# where only accelerations are written, nobody can make a step in position
held = np.zeros((500, 6))
integrated = IntegratedTable(dynamics, held, STEP, q=given.q[0], v=np.zeros(6))
moved = integrated.edit(100, np.full(6, 2.0))
print(f"an acceleration written in row 100 moves {moved} rows, none of them by a step")

figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
for table, label, colour in (
    (TrajectoryTable.of(dynamics, path.sample(STEP)), "as given", "0.6"),
    (slow, "uniformly slower", "#1f5a8c"),
    (fast, "time-optimal", "#d9731f"),
):
    for axis, joint in zip(axes, (0, 1), strict=True):
        axis.plot(table.times, table.torque[:, joint], color=colour, label=label)
for axis, joint in zip(axes, (0, 1), strict=True):
    for side in (-1, 1):
        axis.axhline(side * TORQUE[joint], color="#c23b4e", linewidth=1, linestyle="--")
    axis.set_ylabel(f"torque of joint {joint + 1} [N·m]")
    axis.grid(color="0.9")
axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
axes[-1].set_xlabel("time [s]")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "17_trajectory.png", dpi=120)
print(f"picture in {OUT / '17_trajectory.png'}")
