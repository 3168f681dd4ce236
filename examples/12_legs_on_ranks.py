"""Legs of a parallel robot on processes of their own: what nodes must tell each other, and when.

Khan's planar 3-RRR is cut where its loops close: three legs and a platform, a node each. Springs in
the loops (penalty), velocities summed over nodes (projection), or legs that ask a centre four times
in every evaluation (recursive). Nodes that hold the others still for a step are cheap and wrong by
an amount that halves with the step; nodes that repeat the whole computation give the numbers of one
processor to the bit. Runs on four MPI ranks where ``mpiexec`` is installed
(``pip install 'phalanx[mpi]'``), and in one process where it is not.
Leaves ``out/12_legs_on_ranks.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx import distribute
from phalanx.studies import khan

OUT = Path("out")
DURATION = 0.3
STEPS = [2e-3, 1e-3, 5e-4, 2.5e-4]

robot = px.library.planar_3rrr()
print("nodes:", ", ".join(part.name for part in distribute.subsystems(robot)))
motion = distribute.moved(robot, 3.0, khan.TURNS)

# the same run shared out in every way, in this process
cases = {
    "penalty, replicated": (distribute.Penalty(), "replicated"),
    "projection, replicated": (distribute.Projection(), "replicated"),
    "penalty, stages": (distribute.Penalty(), "stages"),
    "projection, stages": (distribute.Projection(), "stages"),
    "recursive, legs and centre": (distribute.Recursive(), "stages"),
}
words = {}
for name, (method, mode) in cases.items():
    run = distribute.cosimulate(robot, method=method, mode=mode, duration=DURATION, motion=motion)
    words[name] = sum(one.words for one in run.traffic) / run.steps
    messages = sum(one.messages for one in run.traffic) / run.steps
    print(f"  {name}: {messages:.0f} messages and {words[name]:.0f} numbers a step")

# nodes that hold the others still: first order, whatever the integrator
frozen = {}
for method in (distribute.Penalty(1e4), distribute.Projection()):
    frozen[method.name] = []
    for step in STEPS:
        plan = distribute.Plan(robot, method, distribute.Mode.FROZEN, DURATION, step, motion)
        alone, _ = distribute.single_processor(plan)
        run = distribute.cosimulate(
            robot, method=method, mode="frozen", duration=DURATION, step=step, motion=motion
        )
        frozen[method.name].append(np.abs(run.recording["q"][-1] - alone["q"][-1]).max())

# on real ranks, if there are any
job = distribute.Job("planar_3rrr", "penalty", "replicated", DURATION)
try:
    on_ranks = distribute.launch(job, ranks=4)
except px.MissingExtra as missing:
    print(f"not on ranks: {missing}")
else:
    alone, seconds = distribute.single_processor(job.plan())
    same = np.array_equal(on_ranks.recording.table, alone.table)
    print(f"on four MPI ranks: {'the same bits as' if same else 'not what'} one processor computes")
    waited = max(one.waited for one in on_ranks.traffic)
    print(f"  {on_ranks.steps} steps took {on_ranks.seconds:.3f} s, {waited:.3f} s of it waiting;")
    print(f"  one processor takes {seconds:.3f} s")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
left.barh(list(words), list(words.values()), color="tab:blue")
left.set_xlabel("numbers that travel in a step")
left.invert_yaxis()
for name, deviations in frozen.items():
    right.loglog(STEPS, deviations, "o-", label=name)
right.loglog(STEPS, np.array(STEPS), "k:", label="proportional to the step")
right.set_xticks(STEPS, [f"{1e3 * step:g}" for step in STEPS], minor=False)
right.set_xticks([], minor=True)
right.set_xlabel("step [ms]")
right.set_ylabel("deviation from one processor [rad or m]")
right.set_title("others held still during a step")
right.legend()
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "12_legs_on_ranks.png", dpi=120)
print(f"see {OUT / '12_legs_on_ranks.png'}")
