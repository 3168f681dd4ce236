"""Inverse dynamics: one state, then a million.

Loads an arm, asks for the joint torques of one motion, and then for those of a million random
motions, to see which of them the motors can follow. Leaves ``out/01_inverse_dynamics.png``.
"""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

SAMPLES = 1_000_000
OUT = Path("out")

arm = px.library.puma560()  # or px.load("arm.urdf")
dynamics = px.Dynamics(arm)  # nothing is compiled yet

# one state: positions, velocities and accelerations of the six joints [rad, rad/s, rad/s²]
q = np.array([0.0, -0.8, 0.4, 0.0, 0.9, 0.0])
v = np.array([0.5, 0.2, -0.3, 0.0, 0.0, 1.0])
a = np.array([1.0, 0.0, 2.0, 0.0, 0.0, 0.0])
tau = dynamics.inverse_dynamics(q, v, a)  # compiles, or fetches machine code from the disk cache
np.set_printoptions(precision=3, suppress=True)
print(f"torques of one motion [N·m]: {tau}")

# a part of it: what the arm's weight alone asks for
print(f"of which its weight:         {dynamics.gravity(q)}")

# a million states: the same call, arrays of shape (samples, n)
rng = np.random.default_rng(0)
qs = arm.random_positions(SAMPLES, rng)
vs = 2.0 * rng.standard_normal((SAMPLES, arm.nv))
accelerations = 20.0 * rng.standard_normal((SAMPLES, arm.nv))
taus = np.full((SAMPLES, arm.nv), np.nan)  # memory touched before the clock runs

start = time.perf_counter()
dynamics.inverse_dynamics(qs, vs, accelerations, out=taus)
elapsed = time.perf_counter() - start
print(f"{SAMPLES:,} motions in {elapsed:.3f} s: {1e9 * elapsed / SAMPLES:.0f} ns each")

# which motions can the motors follow? the library gives limits for the first three
limits = arm.per_freedom("effort_limit")
possible = (np.abs(taus) <= limits).all(axis=1)
print(f"{100 * possible.mean():.1f} % of them are within the motors' torques")

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
edges = np.linspace(-250, 250, 201)
for k in range(3):
    colour = f"C{k}"
    axes.hist(taus[:, k], edges, histtype="step", color=colour, label=arm.moving_joints[k].name)
    for limit in (-limits[k], limits[k]):
        axes.axvline(limit, color=colour, linestyle=":", linewidth=1)
axes.set_xlabel("joint torque [N·m]; dotted: what the motor gives")
axes.set_ylabel(f"motions per {edges[1] - edges[0]:g} N·m")
axes.set_title(f"torques of {SAMPLES:,} random motions of the {arm.name}", loc="left", fontsize=10)
axes.legend(frameon=False)
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "01_inverse_dynamics.png", dpi=130)
print(f"picture in {OUT / '01_inverse_dynamics.png'}")
