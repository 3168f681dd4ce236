"""How fast could hardware be? Inverse dynamics of an arm on arrays of vector operators.

A PUMA 560's torques take 58 Flops from its inputs to the forces in its joints when every joint has
operators of its own, and 39 when segments of the arm are combined in pairs (Lathrop 1983). Both
take a new set every 4 Flops, however long that is. Here the arrays are simulated: sets of numbers
go through their operators and buffers one after the other, and come out as the torques of the
serial recursion. Too short an interval is a conflict, and says of which operator. Leaves
``out/16_systolic_array.png`` and ``out/16_array.html``, a page on which to watch sets pass.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx import hardware

OUT = Path("out")
OUT.mkdir(exist_ok=True)
SETS = 20
LENGTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 33]

puma = px.library.puma560()
rng = np.random.default_rng(0)
q, v, a = rng.uniform(-1, 1, (3, SETS, 6))
torques = px.Dynamics(puma).inverse_dynamics(q, v, a)

for network in (None, px.scans.sklansky):
    array = hardware.operator_array(puma, network)
    array.check()  # no operator is wanted by two sets at a time
    error = np.abs(array.execute(q, v, a) - torques).max() / np.abs(torques).max()
    processors = sum(array.vector_processors.values())
    print(
        f"{array.name}: {array.latency_to_wrenches:g} Flops to the forces in joints, "
        f"{array.latency:g} to the torques; {SETS} sets in {array.time(SETS):g}, wrong by "
        f"{error:.0e}; {processors} vector processors"
    )
array.space_time(OUT / "16_array.html", sets=8, inputs=(q[:8], v[:8], a[:8]))

try:
    array.every(2.0).check()
except px.InvalidInput as conflict:
    print(f"a set every 2 Flops: {conflict}")

# what a Flop may take when torques are needed 60 times a second
for name, flops in (("one set after the other", array.latency), ("systolic", array.interval)):
    print(f"60 Hz, {name}: {1e6 * hardware.budgets.allowed_flop_time(flops):.0f} µs for a Flop")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
forms = {"joint after joint": (None, "C0"), "segments in pairs": (px.scans.sklansky, "C1")}
for name, (network, color) in forms.items():
    arrays = [hardware.operator_array(px.library.chain(n), network) for n in LENGTHS]
    style = {"markersize": 4, "color": color}
    left.plot(LENGTHS, [array.latency for array in arrays], "o-", label=name, **style)
    counts = [sum(array.vector_processors.values()) for array in arrays]
    right.plot(LENGTHS, counts, "o-", label=f"{name}, systolic", **style)
    shared = [
        hardware.operator_array(px.library.chain(n), network, systolic=False) for n in LENGTHS
    ]
    counts = [sum(array.vector_processors.values()) for array in shared]
    right.plot(LENGTHS, counts, "o--", label=f"{name}, one at a time", **style)
left.axhline(4, color="0.5", linewidth=1)
left.text(LENGTHS[-1], 8, "a new set every 4", ha="right", color="0.4", fontsize=8)
left.set_ylabel("from inputs to torques [Flops]")
right.set_ylabel("vector processors")
right.set_yscale("log")
for axis in (left, right):
    axis.set_xlabel("joints")
    axis.grid(color="0.92")
left.legend(frameon=False, fontsize=8)
right.legend(frameon=False, fontsize=8, loc=(0.38, 0.14))
figure.savefig(OUT / "16_systolic_array.png", dpi=130)
print(f"picture in {OUT / '16_systolic_array.png'}, page in {OUT / '16_array.html'}")
