"""Friction between motors and links: where the torque of a PUMA 560 goes along a straight line.

The wrist of an arm moves 42 cm in 2 s, empty and with 10 kg. Bearings rub under the loads that the
motion puts on them, harmonic drives lose the more the less they carry; the bands between the
curves are what each of them takes. The motor torques are then replayed through a simulation with
the same friction, and so are torques that do not know of it. Last, a pendulum whose bearing holds
it exactly. After Dhanaraj (1990), chapter 3. Leaves ``out/08_friction.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx import actuators
from phalanx.simulation.setup.forces.drive_friction import DriveFriction, Stiction
from phalanx.studies.dhanaraj import straight_line

PERIOD, SAMPLES, INSTANT = 2.0, 201, 0.6  # [s], number, [s]
SLIP = 0.1  # [rad/s], of the smooth friction in the simulation
OUT = Path("out")
COLUMNS = ("tau", "tau_joint_friction", "tau_out", "tau_transmission", "tau_in")
HEADINGS = ("links", "bearings", "gear out", "gear lost", "gear in")

line = straight_line(PERIOD, start=(0.3, 0.1, 0.1), end=(0.3, 0.4, 0.4))
time = np.linspace(0, PERIOD, SAMPLES)
drives = actuators.puma560_drives()

figure = plt.figure(figsize=(11, 9.5), layout="constrained")
axes = figure.subplots(3, 3)

# where the torque goes: compiled inverse dynamics with friction, all samples in one call
for row, payload in enumerate((0.0, 10.0)):
    arm = px.library.puma560_arm(payload)
    torques = px.compile(px.expression(actuators.drive_torques, arm, drives=drives))
    parts = torques(*line(time))
    print(f"payload {payload:g} kg, t = {INSTANT} s [N·m]")
    print(" " * 10 + "  ".join(f"{name:>9}" for name in HEADINGS))
    for k, joint in enumerate(arm.moving_joints):
        at = [getattr(parts, name)[int(INSTANT / PERIOD * (SAMPLES - 1)), k] for name in COLUMNS]
        print(f"  {joint.name} " + "  ".join(f"{value:9.4f}" for value in at))
        axis = axes[row, k]
        dynamic, out, into = parts.tau[:, k], parts.tau_out[:, k], parts.tau_in[:, k]
        moving = slice(1, -1)  # at rest friction points nowhere
        axis.fill_between(
            time[moving], dynamic[moving], out[moving], color="C1", alpha=0.45, label="bearings"
        )
        axis.fill_between(
            time[moving], out[moving], into[moving], color="C3", alpha=0.3, label="transmission"
        )
        axis.plot(time, dynamic, color="C0", label="links")
        axis.plot(time[moving], into[moving], color="0.15", linewidth=1.3, label="motor")
        axis.axhline(0, color="0.7", linewidth=0.6)
        axis.axvline(INSTANT, color="0.5", linewidth=0.8, linestyle=":")
        axis.set_title(f"joint {k + 1}, {payload:g} kg", loc="left", fontsize=10)
        axis.set_xlabel("time [s]")
axes[0, 0].legend(frameon=False, fontsize=8)
for axis in axes[:2, 0]:
    axis.set_ylabel("torque at the joint [N·m]")

# the torques replayed
arm, start = px.library.puma560_arm(), line(0.0)[0]
rubbing = (DriveFriction(drives, slip=SLIP),)
controls = {
    "friction known": px.feedforward(line, drives, actuators.Smooth(SLIP)),
    "friction unknown": px.feedforward(line),
}
for colour, (name, control) in zip(("C0", "C1"), controls.items(), strict=True):
    run = px.simulate(arm, start, duration=PERIOD, step=0.01, control=control, forces=rubbing)
    error = np.abs(run["q"] - line(run.time)[0]).max(axis=1)
    print(f"replay, {name}: {error.max():.1e} rad off at worst, {run['loss'][-1]:.1f} J rubbed off")
    axes[2, 0].semilogy(run.time[1:], np.maximum(error[1:], 1e-12), color=colour, label=name)
axes[2, 0].set_title("torques replayed", loc="left", fontsize=10)
axes[2, 0].set_ylabel("largest joint error [rad]")
axes[2, 0].legend(frameon=False, fontsize=8)

# a bearing that holds
length, radius, friction = 0.5, 0.12, 0.3  # [m], [m], coefficient
bob = px.Body("bob", 2.0, np.array([0.0, 0.0, -length]))
hinge = px.Joint("hinge", "ground", "bob", px.Revolute([0, 1, 0]))
pendulum = px.Mechanism("pendulum", [px.Body("ground", 0.0), bob], [hinge])
shaft = {"hinge": actuators.Drive([actuators.Journal(friction, radius, span=0.2)])}
edge = np.degrees(np.arcsin(friction * radius / length))
held = px.simulate(pendulum, [1.0], duration=9.0, step=0.005, forces=(Stiction(shaft),))
crept = px.simulate(
    pendulum, [1.0], duration=9.0, step=0.005, forces=(DriveFriction(shaft, slip=0.05),)
)
stopped = held.time[np.flatnonzero(held["v"][:, 0])[-1] + 1]
print(f"pendulum: at rest from {stopped:.3f} s on, {np.degrees(held['q'][-1, 0]):.3f} degrees")
signals = {"q": "angle [degrees]", "v": "velocity [degrees/s]"}
for axis, (signal, label) in zip(axes[2, 1:], signals.items(), strict=True):
    for run, name, style in ((held, "exact", "-"), (crept, "smooth", "--")):
        axis.plot(run.time, np.degrees(run[signal][:, 0]), style, label=name, linewidth=1.3)
    axis.set_ylabel(label)
    axis.set_title("pendulum in a journal", loc="left", fontsize=10)
axes[2, 1].axhspan(-edge, edge, color="C2", alpha=0.15, label="circle of friction")
axes[2, 1].set_ylim(-60, 60)
axes[2, 2].set_xlim(stopped - 1.5, 9.0)
axes[2, 2].set_ylim(-6, 6)
axes[2, 1].legend(frameon=False, fontsize=8)
for axis in axes.flat:
    axis.grid(color="0.92")
for axis in axes[2]:
    axis.set_xlabel("time [s]")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "08_friction.png", dpi=110)
print(f"picture in {OUT / '08_friction.png'}")
