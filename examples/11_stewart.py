"""A Stewart platform under control: a path in all six directions, then a thousand platforms.

The wanted pose of the platform gives the lengths of its legs in closed form, and symbols give
their rates. Motors follow by computed torque, in which inverse dynamics knows all six loops. All
platforms move in one compiled batch: the first is empty, the others carry loads of which their
motors know nothing.
Leaves ``out/11_stewart.png``.
"""

import time
from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from casadi import SX

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.simulation.setup.track import start_of_motors, track
from phalanx.view import draw

PERIOD, STEP, EVERY = 4.0, 2e-3, 20  # [s], [s], steps between records
PLATFORMS = 1000
STIFFNESS, DAMPING = 2500.0, 100.0  # [1/s²], [1/s]
OUT = Path("out")

stewart = px.library.stewart()
legs = [joint.name for joint in stewart.actuated_joints]
places = [stewart.q_slices[leg].start for leg in legs]
feet = [stewart.joint(f"universal_{i}").pose.translation for i in range(1, 7)]
balls = [stewart.frame(f"ball_{i}").pose.translation for i in range(1, 7)]
middle = stewart.joint("platform").pose.translation


def pose(t: SX) -> tuple[SX, SX]:
    """Where the platform is wanted: position [m] and rotation; a knot, tilting as it goes."""
    x = 2 * np.pi * t / PERIOD
    shift = ca.vertcat(0.12 * ca.sin(x), 0.10 * ca.sin(2 * x), 0.05 * ca.sin(3 * x))
    roll, pitch, yaw = 0.15 * ca.sin(2 * x), 0.15 * ca.sin(x), 0.25 * ca.sin(x)
    rx = ca.vertcat(1, 0, 0, 0, ca.cos(roll), -ca.sin(roll), 0, ca.sin(roll), ca.cos(roll))
    ry = ca.vertcat(ca.cos(pitch), 0, ca.sin(pitch), 0, 1, 0, -ca.sin(pitch), 0, ca.cos(pitch))
    rz = ca.vertcat(ca.cos(yaw), -ca.sin(yaw), 0, ca.sin(yaw), ca.cos(yaw), 0, 0, 0, 1)
    turns = [ca.reshape(r, 3, 3).T for r in (rz, ry, rx)]
    return ca.DM(middle) + shift, turns[0] @ turns[1] @ turns[2]


def leg_shifts(t: SX) -> tuple[SX, SX, SX]:
    """How far each leg is out [m], and its two rates: inverse kinematics, differentiated."""
    s = SX.sym("s")
    p, R = pose(s)
    at_zero = [np.linalg.norm(middle + ball - foot) for foot, ball in zip(feet, balls, strict=True)]
    ends = [p + R @ ca.DM(ball) - ca.DM(foot) for foot, ball in zip(feet, balls, strict=True)]
    shift = ca.vertcat(*(ca.norm_2(end) for end in ends)) - ca.DM(at_zero)
    rate = ca.jacobian(shift, s)
    return tuple(ca.Function("legs", [s], [shift, rate, ca.jacobian(rate, s)])(t))


wanted = px.planning.Trajectory(leg_shifts)
law = track(wanted, stiffness=STIFFNESS, damping=DAMPING)
q0, v0 = start_of_motors(stewart, legs, wanted)

# a force and a moment on every tool [N, N·m]; none on the first
rng = np.random.default_rng(0)
load = np.zeros((PLATFORMS, 6))
load[1:, 2] = -rng.uniform(0, 500, PLATFORMS - 1)
load[1:, 3:5] = rng.uniform(-50, 50, (PLATFORMS - 1, 2))
batch = px.CompiledRollout(
    px.Setup(stewart, control=law, wrenches=("tool",)),
    step=STEP,
    integrator=px.SemiImplicitEuler(),
    record=("q", "tau"),
)
start = time.perf_counter()
runs = batch(
    *(np.tile(x, (PLATFORMS, 1)) for x in (q0, v0)),
    steps=round(PERIOD / STEP),
    every=EVERY,
    inputs={"wrench_tool": load},
)
took = time.perf_counter() - start
print(
    f"{PLATFORMS} platforms, {PERIOD:g} s each, in {took:.2f} s: "
    f"{PLATFORMS * PERIOD / took:.0f} x real time"
)

# the empty one
q = runs.q[0]
forces = runs.tau[0][:, [stewart.v_slices[leg].start for leg in legs]]
path = ca.Function("path", [t := SX.sym("t")], [pose(t)[0]]).map(len(q))(runs.time[None])
tool = px.Dynamics(stewart).forward_kinematics(q, frame="tool")[:, :3, 3]
off = 1e6 * np.linalg.norm(tool - np.asarray(path).T, axis=1)
opened = max(max(closed_loops(stewart).open_loops(x, 0.0).values(), default=0.0) for x in q)
print(
    f"the empty one: {off.max():.0f} µm off the path, loops open by {opened:.0e} m, "
    f"legs push {forces.min():.0f} to {forces.max():.0f} N"
)
# those with a load
errors = 1e3 * np.abs(runs.q[1:][..., places] - wanted(runs.time)[0]).max(axis=2)
print(f"the loaded ones: legs {errors.max():.1f} mm off at worst")

figure = plt.figure(figsize=(11.5, 6.4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1, 1.1))
scene = left.add_axes((0.0, 0.02, 0.92, 0.98), projection="3d")
draw(stewart, q[17], scene)
scene.plot(*np.vstack([tool, tool[:1]]).T, color="C3", linewidth=1.6)
pushes, error, loaded = right.subplots(3, 1)
for leg, force in zip(legs, forces.T, strict=True):
    pushes.plot(runs.time, force, linewidth=1.2, label=leg.replace("_", " "))
pushes.set_title("the empty platform", loc="left", fontsize=10)
pushes.set_ylabel("force of a leg [N]")
pushes.legend(frameon=False, fontsize=7, ncols=6, loc="upper center", columnspacing=0.9)
pushes.margins(y=0.22)
error.plot(runs.time, off, color="C0")
error.set_title("the empty platform", loc="left", fontsize=10)
error.set_ylabel("off the path [µm]")
band = np.percentile(errors, [5, 25, 50, 75, 95], axis=0)
loaded.fill_between(runs.time, band[0], band[4], color="C0", alpha=0.2, label="90 % of platforms")
loaded.fill_between(runs.time, band[1], band[3], color="C0", alpha=0.35, label="half of them")
loaded.plot(runs.time, band[2], color="C0", label="median")
loaded.set_ylabel("worst leg off by [mm]")
loaded.set_title(
    f"{PLATFORMS - 1} platforms with loads nobody told them of", loc="left", fontsize=10
)
loaded.legend(frameon=False, fontsize=8, ncols=3)
loaded.margins(y=0.2)
for axis in (pushes, error, loaded):
    axis.set_xlabel("time [s]")
    axis.grid(color="0.92")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "11_stewart.png", dpi=110)
print(f"picture in {OUT / '11_stewart.png'}")
