"""Co-simulation of a parallel robot: its legs on processes of their own, and their messages.

Khan's planar 3-RRR is divided where its loops close: three legs and a platform, a process each.
Springs in the loops (penalty), velocities summed over processes (projection), or legs that send
four requests to a centre in every evaluation (recursive). Processes that hold the others still for
a step are cheap and wrong by an amount that halves with the step; processes that repeat the whole
computation give the numbers of one processor to the bit. Runs on four MPI ranks where ``mpiexec``
is installed (``pip install 'phalanx[mpi]'``), and in one process where it is not.
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
print("branches:", ", ".join(branch.name for branch in distribute.branches(robot)))
motion = distribute.MotorMotion(khan.TURNS, 3.0)

# the same run divided in every way, in this process
cases = {
    "penalty, replicated": (distribute.Penalty(), "replicated"),
    "projection, replicated": (distribute.Projection(), "replicated"),
    "penalty, stages": (distribute.Penalty(), "stages"),
    "projection, stages": (distribute.Projection(), "stages"),
    "recursive, legs and centre": (distribute.Recursive(), "stages"),
}
words = {}
for name, (method, mode) in cases.items():
    job = distribute.PlatformJob(robot, method, mode, DURATION, motion=motion)
    result = distribute.run(job)
    words[name] = sum(one.words for one in result.traffic) / result.steps
    messages = sum(one.messages for one in result.traffic) / result.steps
    print(f"  {name}: {messages:.0f} messages and {words[name]:.0f} numbers a step")

# processes that hold the others still: first order, whatever the integrator
frozen = {}
for method in (distribute.Penalty(1e4), distribute.Projection()):
    frozen[method.name] = []
    for step in STEPS:
        job = distribute.PlatformJob(robot, method, "frozen", DURATION, step, motion)
        alone, _ = distribute.single_processor(job)
        result = distribute.run(job)
        frozen[method.name].append(np.abs(result.recording["q"][-1] - alone["q"][-1]).max())

# on real ranks, if there are any
job = distribute.PlatformJob("planar_3rrr", distribute.Penalty(), duration=DURATION)
try:
    on_ranks = distribute.launch(job)
except px.MissingExtra as missing:
    print(f"not on ranks: {missing}")
else:
    alone, seconds = distribute.single_processor(job)
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
