"""What would a second processor buy? Plans for the dynamics of an arm, from 1990 until today.

Inverse dynamics of a PUMA 560, spread over processors: on the parallel computer of Dhanaraj's
thesis, where an operation takes 45 µs and the shared memory nothing, it is almost twice as fast
with two. The middle picture asks what happens when processors need time to agree, counted in
operations. The right one does what pays today instead: the processors share a batch of states.
Leaves ``out/09_second_processor.png`` and ``out/09_plan.html``, a page to look around in.
"""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx import multiprocessor as mp

OUT = Path("out")
AGREEMENT = [0, 1, 5, 10, 20, 50, 100, 200]  # [operations]
BATCHES = [1, 100, 1_000, 10_000, 100_000]
SECONDS = 1.0  # for each batch, so that other programs get in the way of some turns only

puma = px.library.puma560()
rng = np.random.default_rng(0)
q, v, a = (rng.uniform(-1, 1, (BATCHES[-1], 6)) for _ in range(3))

# then: tasks of three operations on processors of the class of an 8086
tasks = mp.streamlined_tasks(puma)
then = [mp.schedule(tasks, mp.intel_8086(p), mp.layered) for p in range(1, 14)]
bounds = [mp.lower_bound(tasks, plan.computer) for plan in then]
for plan in then:
    # every plan is carried out with numbers, and gives the torques of one processor
    np.testing.assert_allclose(
        plan.execute(q[0], v[0], a[0]), px.Dynamics(puma).inverse_dynamics(q[0], v[0], a[0])
    )
print(f"1990, {len(tasks)} tasks of up to three operations on 8086-class processors:")
for plan in (then[0], then[1], then[3], then[7]):
    p = plan.computer.processors
    print(f"  p = {p}: {1e3 * plan.makespan:5.2f} ms, speed-up {plan.speedup:.2f}")

# in between: two processors that need time to agree; tasks of one operation, of up to 30 or 100
today = mp.multicore(2)
gap = today.synchronization / today.speed_of(0).add
agreement = [*AGREEMENT, gap]
second = {}
for name, equation in {
    "inverse dynamics": px.inverse_dynamics.recursive,
    "its derivatives": px.inverse_dynamics.derivatives,
    "derivatives of forward dynamics": px.forward_dynamics.derivatives,
}.items():
    graph = mp.task_graph(equation, puma)
    cuts = (graph, mp.coarsen(graph, 30), mp.coarsen(graph, 100))
    second[f"{name}, {graph.operations.total} operations"] = [
        max(
            mp.schedule(cut, mp.SharedMemory(2, synchronization=x), mp.earliest_finish).speedup
            for cut in cuts
        )
        for x in agreement
    ]
print(f"today a core does {gap:.0f} operations while two cores agree; the second one then buys:")
for name, speedups in second.items():
    print(f"  {name}: {speedups[-1]:.2f}")

# today: two processors share a batch of states
one, two = px.Dynamics(puma, threads=1), px.Dynamics(puma, threads=2)


def best_times(batch: int) -> list[float]:
    """The best of many turns that the two take one after the other [s]."""
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for dynamics in (one, two):
            begin = time.perf_counter()
            dynamics.inverse_dynamics(q[:batch], v[:batch], a[:batch])
            times.append(time.perf_counter() - begin)
    return [min(times[::2]), min(times[1::2])]


seconds = [best_times(n) for n in BATCHES]
print("batches, measured here: states, µs with one thread, with two, speed-up")
for n, (t1, t2) in zip(BATCHES, seconds, strict=True):
    print(f"  {n:>7,}  {1e6 * t1:9.1f}  {1e6 * t2:9.1f}  {t1 / t2:5.2f}")

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
count = [plan.computer.processors for plan in then]
serial = then[0].makespan
left.plot(count, [serial / bound for bound in bounds], "--", color="0.5", label="no plan is faster")
left.plot(count, [plan.speedup for plan in then], "o-", markersize=4, label="layer by layer")
left.set_xlabel("processors")
left.set_ylabel("speed-up")
left.set_title("1990: agreeing costs nothing", loc="left", fontsize=10)
for name, speedups in second.items():
    middle.plot(agreement, speedups, "o-", markersize=4, label=name)
middle.axvline(gap, color="0.5", linestyle="--")
middle.text(gap * 1.08, 1.5, "cores of today", rotation=90, va="center", color="0.35", fontsize=9)
middle.set_xscale("symlog", linthresh=1)
middle.set_xlim(0, 600)
middle.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
middle.set_ylim(0.95, 2.4)
middle.set_xlabel("time to agree [operations]")
middle.set_title("what a second one buys one evaluation", loc="left", fontsize=10)
right.semilogx(BATCHES, [t1 / t2 for t1, t2 in seconds], "s-", color="C1", markersize=5)
right.set_ylim(0, 2.1)
right.set_xlabel("states in a batch")
right.set_title("what it buys a batch (measured)", loc="left", fontsize=10)
for axes in (left, middle, right):
    axes.grid(color="0.92")
    axes.spines[["top", "right"]].set_visible(False)
for axes in (left, middle):
    axes.legend(frameon=False, fontsize=8, loc="upper left")
OUT.mkdir(exist_ok=True)
then[3].gantt(OUT / "09_plan.html")
figure.savefig(OUT / "09_second_processor.png", dpi=130)
print(f"picture in {OUT / '09_second_processor.png'}, plan for 4 in {OUT / '09_plan.html'}")
