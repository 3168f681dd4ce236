"""Draws the picture of ``docs/paths.md``."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx.planning.trajectory.curves import CURVES

HERE = Path(__file__).parent
POINTS = np.array([[0.0, 0.0], [1.0, 0.4], [0.6, 1.2], [0.0, 1.0]])
VELOCITY, ACCELERATION = np.full(2, 1.0), np.full(2, 3.0)

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for k, (name, curve) in enumerate(CURVES.items()):
    path: px.planning.Path = curve(POINTS, VELOCITY, ACCELERATION)
    t = np.linspace(0, path.duration, 2000)
    q, v, a = path(t)
    colour = {"color": f"C{k}", "linewidth": 1.5}
    axes[0].plot(q[:, 0], q[:, 1], label=f"{name}, {path.duration:.2f} s", **colour)
    axes[1].plot(t, v[:, 0], **colour)
    axes[2].plot(t, a[:, 0], **colour)
axes[0].plot(*POINTS.T, "ko", markersize=5)
axes[0].set(xlabel="joint 1 [rad]", ylabel="joint 2 [rad]", title="four curves, the same points")
axes[0].set_ylim(-0.1, 2.0)
axes[0].legend(frameon=False, fontsize=8, loc="upper left")
axes[1].set(xlabel="time [s]", ylabel="velocity of joint 1 [rad/s]", title="limit 1 rad/s")
axes[2].set(xlabel="time [s]", ylabel="acceleration of joint 1 [rad/s²]", title="limit 3 rad/s²")
for one, limit in ((axes[1], 1.0), (axes[2], 3.0)):
    for sign in (-1, 1):
        one.axhline(sign * limit, color="0.6", linewidth=0.8, linestyle="--")
for one in axes:
    one.spines[["top", "right"]].set_visible(False)
figure.savefig(HERE / "paths.png", dpi=130)
