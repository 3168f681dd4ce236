"""An excavator at work: a straight line by joysticks, then a bucket of soil from here to there.

First the machine of Wong's thesis, four links and rotary actuators, in RESOLVED mode: the operator
asks for speeds of the stick's end, control turns them into joint rates and moves the spools. Then a
machine with cylinders on one pump digs, swings and dumps: an operator's plan of ten moves, soil
that resists, a load that the cylinders feel, and a trench that stays.
Leaves ``out/13_excavator.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx.ground import LOAM, Ground
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator import (
    cylinder_excavator,
    resolved_experiment,
    rotary_excavator,
)

OUT = Path("out")
# what the operator does: for how long [s], radius, arc, height [m/s], bucket [rad/s]
MOVES = {
    "stand": (0.5, 0.0, 0.0, 0.0, 0.0),
    "reach out": (2.5, 0.45, 0.0, -0.4, 0.35),
    "lower the teeth": (1.0, 0.0, 0.0, -0.6, 0.0),
    "drag": (3.5, -0.45, 0.0, -0.02, -0.1),
    "curl": (2.5, -0.1, 0.0, 0.25, -0.4),
    "lift": (1.5, 0.0, 0.0, 0.9, 0.0),
    "swing": (3.0, 0.0, 3.0, 0.0, 0.0),
    "rest": (1.0, 0.0, 0.0, 0.0, 0.0),
    "dump": (2.5, 0.5, 0.0, 0.0, 0.75),
    "swing back": (3.0, -0.2, -3.4, 0.0, -0.4),
}


# a line: the stick's end goes out from 5 to 6.5 m while the cab turns by 15 degrees
thesis = rotary_excavator()
line = thesis.run(resolved_experiment(), 15.0, mode="RESOLVED")
radius, height = (np.asarray(x).ravel() for x in thesis.arm.tip(line["q"].T))
aim_radius, aim_height = (np.asarray(x).ravel() for x in thesis.arm.tip(line["desired"].T))
print(
    f"RESOLVED: radius {radius[0]:.2f} -> {radius[-1]:.2f} m, swing "
    f"{np.degrees(line['q'][-1, 0]):.1f} degrees; the wanted line is level to "
    f"{1e3 * np.ptp(aim_height):.2f} mm, the machine follows within "
    f"{1e2 * np.hypot(radius - aim_radius, height - aim_height).max():.0f} cm"
)
print(f"15 s of the thesis's machine in {line.settings['wall_time'] * 1e3:.0f} ms")

# dig, swing, dump
ground = Ground(LOAM)
machine = cylinder_excavator(ground=ground, mode="RESOLVED")
lasts, *speeds = np.array(list(MOVES.values())).T
begins = np.concatenate([[0.0], np.cumsum(lasts)[:-1]])
surface = DugSurface(ground)
dig = machine.run(
    px.Profile(begins, np.stack(speeds, axis=1)),
    float(lasts.sum()),
    every=20,
    inputs={"surface": surface},
)
t, load, pressure = dig.time, dig["soil_load"][:, 0], dig["pressure"] / 1e6
dumped = load.max() - load[-1]
print(
    f"dig, swing, dump: {load.max():.0f} kg in the bucket at {t[load.argmax()]:.1f} s (heaped "
    f"{ground.full_load:.0f} kg), {dumped:.0f} kg of it dumped; pump up to "
    f"{pressure[:, -1].max():.0f} MPa; {lasts.sum():g} s in {dig.settings['wall_time']:.1f} s"
)

# what became of the ground: the same looks at the load, once more
site = surface.site(machine.mechanism)
for q, carried in zip(dig["q"], load, strict=True):
    site.update(q, float(carried))
terrain = site.terrain
moved = LOAM.density * (terrain.gained + terrain.outside) + load[-1]
print(
    f"trench {1e2 * (ground.surface - terrain.heights.min()):.0f} cm deep, heap "
    f"{1e2 * (terrain.heights.max() - ground.surface):.0f} cm high; soil lost: {moved:.1e} kg"
)

teeth = px.Dynamics(machine.mechanism).forward_kinematics(dig["q"], frame="teeth")[:, :3, 3]
figure, axes = plt.subplots(2, 2, figsize=(11, 7.2), layout="constrained")
path, above, filled, oil = axes.ravel()
path.plot(aim_radius, aim_height, color="0.6", linewidth=4, label="wanted")
path.plot(radius, height, color="C0", label="stick's end")
path.set_xlabel("radius [m]")
path.set_ylabel("height [m]")
path.set_title("Wong's machine, RESOLVED mode", loc="left", fontsize=10)
path.legend(frameon=False)

nx, ny = terrain.heights.shape
x0, y0 = terrain.corner
extent = (x0, x0 + terrain.cell * (nx - 1), y0, y0 + terrain.cell * (ny - 1))
change = terrain.heights.T - ground.surface
most = np.abs(change).max()
image = above.imshow(change, origin="lower", extent=extent, cmap="BrBG_r", vmin=-most, vmax=most)
above.plot(teeth[:, 0], teeth[:, 1], color="0.3", linewidth=0.8, label="teeth")
above.plot(0, 0, "s", color="C1", markersize=12, label="machine")
above.set_xlim(-4, 10)
above.set_ylim(-4, 10)
above.set_xlabel("x [m]")
above.set_ylabel("y [m]")
above.set_title("the ground afterwards", loc="left", fontsize=10)
above.legend(frameon=False, loc="upper right")
figure.colorbar(image, ax=above, label="height above level ground [m]", shrink=0.85)

filled.plot(t, load, color="C1")
filled.set_ylabel("soil in the bucket [kg]")
labels = machine.actuation.pressure_labels
for k, name in enumerate(("boom", "stick", "bucket")):
    head = pressure[:, labels.index(f"{name}.head")]
    oil.plot(t, head, color=f"C{k}", linewidth=0.6, label=f"{name} cylinder, head side")
oil.plot(t, pressure[:, labels.index("pump")], color="0.4", linewidth=0.8, label="pump")
oil.set_ylabel("pressure [MPa]")
oil.legend(frameon=False, fontsize=8, loc="upper right")
for axis in (filled, oil):
    axis.set_xlabel("time [s]")
    for begin, name in zip(begins, MOVES, strict=True):
        axis.axvline(begin, color="0.9", zorder=0)
        axis.text(begin, 1.01, name, fontsize=6, rotation=60, transform=axis.get_xaxis_transform())
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "13_excavator.png", dpi=110)
print(f"picture in {OUT / '13_excavator.png'}")
