"""Where can an arm reach, how freely, and in how many ways? Inverse kinematics in batches.

A PUMA 560 with the limits of its joints is asked for poses on a sheet through its workspace: at
every point of a grid the tool is to come from many directions. Each target is searched for from up
to sixteen starts, all of them in one native call. The share of directions that can be had is the
dexterity of the arm there. Then one target is solved from two hundred starts: what they come to are
the few postures that an arm with a spherical wrist has. Leaves ``out/20_inverse_kinematics.png``.
"""

import time
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

OUT = Path("out")
GRID, DIRECTIONS, STARTS = 41, 24, 16
LIMITS = np.radians([160, 110, 135, 140, 100, 266])  # [rad] either way


def on_a_sphere(count: int) -> np.ndarray:
    """Rotations whose z axes are spread evenly over all directions, shape (count, 3, 3)."""
    height = 1 - 2 * (np.arange(count) + 0.5) / count
    angle = np.pi * (1 + np.sqrt(5)) * np.arange(count)
    radius = np.sqrt(1 - height**2)
    z = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1)
    x = np.cross(np.eye(3)[np.abs(z).argmin(axis=-1)], z)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def same_place(q: np.ndarray, found: list[np.ndarray]) -> bool:
    """Whether a posture is among those found, but for whole turns."""
    return any(np.abs(np.angle(np.exp(1j * (q - other)))).max() < 1e-4 for other in found)


puma = px.library.puma560()
joints = [
    replace(joint, lower=-end, upper=end) for joint, end in zip(puma.joints, LIMITS, strict=True)
]
arm = replace(puma, joints=joints)
ik = px.InverseKinematics(arm, frame="tool")
print(ik)

# a sheet through the arm: x from behind to before it, z from below to above
x, z = np.linspace(-1.0, 1.0, GRID), np.linspace(-1.0, 1.0, GRID)
targets = np.zeros((GRID, GRID, DIRECTIONS, 4, 4))
targets[..., :3, :3] = on_a_sphere(DIRECTIONS)
targets[..., :3, 3] = np.stack(np.broadcast_arrays(x, 0.0, z[:, None]), axis=-1)[:, :, None]
targets[..., 3, 3] = 1.0
began = time.perf_counter()
found = ik.solve(targets, starts=STARTS)
took = time.perf_counter() - began
print(found)
each_took = took / found.converged.size
print(f"{found.converged.size} targets in {took:.2f} s, {1e6 * each_took:.1f} µs each")
dexterity = found.converged.mean(axis=-1)

# a target that nothing reaches says which part of it fails
try:
    ik(px.Pose.from_rpy((1.2, 0.0, 0.3), (0.0, 1.5, 0.0)))
except px.UnreachableTarget as error:
    print(f"out of reach: {error}")

# every posture for one target
target = px.Pose.from_rpy((0.5, 0.2, 0.3), (0.2, 1.8, 0.3))
each = px.InverseKinematics(puma, frame="tool").from_each_start(target, starts=200)
postures: list[np.ndarray] = []
for q in each.q[each.converged]:
    if not same_place(q, postures):
        postures.append(q)
print(f"{each.converged.sum()} of 200 starts converged, to {len(postures)} different postures")

figure = plt.figure(figsize=(11, 4.8), layout="constrained")
left = figure.add_subplot(1, 2, 1)
image = left.pcolormesh(x, z, dexterity, vmin=0, vmax=1, cmap="YlGnBu", rasterized=True)
left.set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
left.set_title(
    "From how many directions can the tool come?\n"
    "(y = 0; the shoulder is set off its axis by 0.15 m)"
)
figure.colorbar(image, ax=left, label="share of directions", shrink=0.8)

right = figure.add_subplot(1, 2, 2, projection="3d")
bodies = px.Dynamics(puma).body_poses(np.array(postures))
for poses, colour in zip(bodies, plt.get_cmap("tab10").colors, strict=False):
    points = poses[[0, 2, 3, 4], :3, 3]  # base, shoulder, elbow, wrist
    right.plot(*points.T, "o-", color=colour, linewidth=2, markersize=4)
right.scatter(*target.translation, color="black", s=40, zorder=5)
right.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
right.set_title(
    f"{len(postures)} postures for one pose of the tool\n(two each differ in the wrist alone)"
)
right.set_aspect("equal")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "20_inverse_kinematics.png", dpi=110)
print(f"picture in {OUT / '20_inverse_kinematics.png'}")
