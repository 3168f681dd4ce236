"""A four-bar linkage: put together, driven, and looked into.

Loops are closed by Newton's method for every angle of the crank. The torque that turns the crank at
constant speed comes from inverse dynamics with loops, and agrees with the power that the moving
bars need (virtual work). The same motion, simulated with that torque and nothing else, keeps its
loop closed. The forces in the pin that closes it are those the designer of its bearing asks for.
Leaves ``out/10_four_bar.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops

SPEED = 2 * np.pi  # [rad/s] of the crank: a turn a second
SAMPLES, INSTANTS = 361, (0, 60, 120, 180, 240, 300)
POINT = np.array([0.3, 0.0, 0.25, 1.0])  # on a plate that the coupler carries [m]
OUT = Path("out")

linkage = px.library.four_bar(angle=0.3)
start = px.assemble(linkage)
print(
    f"{linkage.name}: {linkage.nv} joints, mobility {start.mobility}, {start.redundant} of 5 "
    f"closure equations redundant, open by {start.residual:.0e} m"
)

# all postures of a turn, each from the one before
angles = np.linspace(0, 2 * np.pi, SAMPLES)
q = np.empty((SAMPLES, linkage.nq))
near = start.q
for k, angle in enumerate(angles):
    q[k] = near = px.assemble(linkage, [angle, *near[1:]], held=["crank"]).q

# at constant speed, rates with time are derivatives by the angle: differences of the periodic parts
wave_number = np.fft.fftfreq(SAMPLES - 1, 1 / (SAMPLES - 1))
turns = np.outer(angles, np.round((q[-1] - q[0]) / (2 * np.pi)))  # joints that turn along


def derivative(values: np.ndarray) -> np.ndarray:
    """Of periodic values by the angle, exact for what repeats itself every turn."""
    rates = np.fft.ifft(1j * wave_number[:, None] * np.fft.fft(values[:-1], axis=0), axis=0).real
    return np.vstack([rates, rates[:1]])


v = SPEED * (derivative(q - turns) + turns[1] / angles[1])
a = SPEED * derivative(v)

motor = px.Dynamics(linkage, actuated=["crank"])
tau, loop_force = motor.actuation(q, v, a)
energy = motor.energy(q, v)
power = SPEED * derivative(energy[:, None])[:, 0]
virtual = power / SPEED  # what the crank must give a radian
print(
    f"crank torque {tau.min():.2f} to {tau.max():.2f} N·m; virtual work: "
    f"{np.abs(tau[:, 0] - virtual).max():.1e} N·m off"
)

# the same torque, replayed: an open loop that nothing corrects
replay = px.Profile(angles / SPEED, np.pad(tau, ((0, 0), (0, 2))), between="linear")
run = px.simulate(linkage, q[0], v[0], duration=1.0, step=1e-3, control=replay)
opened = max(max(closed_loops(linkage).open_loops(x, 0.0).values(), default=0.0) for x in run["q"])
error = np.degrees(run["q"][:, 0] - SPEED * run.time)
print(f"replayed: crank {abs(error[-1]):.1e} degrees off after a turn, loop open by {opened:.0e} m")

# draw it
coupler = motor.forward_kinematics(q, frame="coupler")
hinges = [
    np.zeros((SAMPLES, 3)),
    coupler[:, :3, 3],
    motor.forward_kinematics(q, frame="coupler_end")[:, :3, 3],
    motor.forward_kinematics(q, frame="rocker")[:, :3, 3],
]
point = (coupler @ POINT)[:, :3]

figure = plt.figure(figsize=(11, 6.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.15, 1))
scene = left.subplots()
for k in INSTANTS:
    shade = 1.0 if k == INSTANTS[1] else 0.22
    x, z = (np.array([hinge[k, i] for hinge in hinges]) for i in (0, 2))
    corner = [(x[1], z[1]), (point[k, 0], point[k, 2]), (x[2], z[2])]
    scene.fill(*zip(*corner, strict=True), color="0.6", alpha=0.35 * shade, linewidth=0)
    for j, colour in enumerate(("C1", "0.35", "C0")):
        scene.plot(
            x[j : j + 2],
            z[j : j + 2],
            color=colour,
            linewidth=5,
            alpha=shade,
            solid_capstyle="round",
        )
    scene.plot(x, z, "o", color="white", markeredgecolor="0.2", markersize=6, alpha=shade)
scene.plot(point[:, 0], point[:, 2], color="C3", linewidth=1.6, label="a point of the coupler")
scene.plot(
    hinges[2][:, 0],
    hinges[2][:, 2],
    color="C0",
    linewidth=1,
    linestyle=":",
    label="pin of coupler and rocker",
)
scene.set_aspect("equal")
scene.set_xlabel("x [m]")
scene.set_ylabel("z [m]")
scene.set_title("six moments of a turn", loc="left", fontsize=10)
scene.legend(frameon=False, fontsize=8, loc="lower right")

torque, pin, drift = right.subplots(3, 1)
degrees = np.degrees(angles)
torque.plot(degrees, tau[:, 0], color="C1", linewidth=2, label="inverse dynamics with loops")
torque.plot(degrees[::12], virtual[::12], "x", color="0.2", label="virtual work")
torque.set_ylabel("crank torque [N·m]")
wrench = motor.loop_wrenches(q, loop_force)["pin"]
size = np.linalg.norm(wrench.force, axis=1)
weight = 9.81 * sum(body.mass for body in linkage.bodies)
pin.plot(degrees, size, color="C0", label="force in the pin that closes the loop")
pin.axhline(weight, color="0.5", linewidth=0.8, linestyle=":", label="weight of all bars")
pin.set_ylabel("pin force [N]")
drift.plot(360 * run.time, error, color="C2", label="crank, torque replayed without feedback")
drift.set_ylabel("off by [degrees]")
drift.set_xlabel("crank angle [degrees]")
for axis in (torque, pin, drift):
    axis.legend(frameon=False, fontsize=8)
    axis.grid(color="0.92")
    axis.set_xticks(range(0, 361, 60))
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "10_four_bar.png", dpi=110)
print(f"picture in {OUT / '10_four_bar.png'}")
