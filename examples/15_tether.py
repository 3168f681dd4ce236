"""A tether of a thousand links: it hangs, swings, and is cut in the middle.

Equations of such a machine are not written out: one step of a body is compiled, and walks over all
of them. The recording keeps where five links are, not the angles of a thousand. Where the joint is
cut the motion goes on: the lower half falls with the velocities that it had, the upper half jumps
up without its load, and the energy of both together stays. The same tether in a current of water
comes to rest at an angle. Leaves ``out/15_tether.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

LINKS, LENGTH, CUT = 1000, 0.1, 3.0  # links, length of each [m], time of the cut [s]
OUT = Path("out")

tether = px.library.chain(LINKS, length=LENGTH, mass=0.05)
shown = [f"link_{k}" for k in (250, 500, 501, 750, LINKS)]
start = np.zeros(LINKS)
start[0] = 0.3  # held aside, and let go

swing = px.simulate(
    tether,
    start,
    duration=5.0,
    step=2e-3,
    every=25,
    events=[px.cut(CUT, "joint_501")],
    joints=(),
    bodies=shown,
)
balance = np.abs(swing["energy"] + swing["loss"] - swing["energy"][0]).max()
print(
    f"{swing.settings['real_time_factor']:.2f} times real time, {len(swing.table[0])} numbers a row"
)
print(f"energy: {swing['energy'][0]:.0f} J, kept to {balance:.1e} J through the cut")

water = px.FluidDrag(density=1025, diameter=0.02, current=(0.5, 0.0, 0.0))
stream = px.simulate(
    tether, duration=10.0, step=2e-3, every=50, forces=(water,), joints=(), bodies=shown
)
print(f"in the current the end drifts by {stream['position'][-1, -3]:.1f} m")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for k, name in enumerate(shown):
    x, z = swing["position"][:, 3 * k], swing["position"][:, 3 * k + 2]
    left.plot(x, z, label=name.replace("_", " "), linewidth=1.2)
    right.plot(stream.time, stream["position"][:, 3 * k], linewidth=1.2)
left.set_title(f"swings, cut at {CUT:g} s", loc="left", fontsize=10)
left.set_xlabel("x [m]")
left.set_ylabel("z [m]")
left.legend(frameon=False, fontsize=8)
right.set_title("in a current of 0.5 m/s", loc="left", fontsize=10)
right.set_xlabel("time [s]")
right.set_ylabel("x [m]")
for axis in (left, right):
    axis.grid(color="0.92")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "15_tether.png", dpi=130)
print(f"picture in {OUT / '15_tether.png'}")
