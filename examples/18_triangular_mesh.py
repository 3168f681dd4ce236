"""A mesh of transputers: the excavator of 1991 on fourteen simulated nodes, and what they wait for.

Wong's simulator of a Caterpillar 215B ran on a triangle of transputers, a node for every joint of
every body that it moves. Here each of its tasks is planned on such a mesh with the costs of a T800,
carried out with numbers, and drawn. A second of digging, hydraulics and all, is integrated on the
mesh and compared with the library's own simulator. At last, how the same mesh would fare with
messages of other costs.
Leaves ``out/18_mesh.html`` (step through it) and ``out/18_where_a_mesh_pays.png``.
"""

from pathlib import Path

import numpy as np

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.hardware import mesh as tm
from phalanx.machines.excavator import joint_experiment, rotary_excavator
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.studies.wong.mesh_figure import where_a_mesh_pays
from phalanx.studies.wong.mesh_times import MeshTimes

OUT = Path("out")
OUT.mkdir(exist_ok=True)
machine = px.library.cat215b()

# one evaluation: M, the loads of motion and gravity, accelerations
tasks = tm.mesh_evaluation(machine)
plan = tasks.plan(tm.T800)
assert not plan.violations  # messages along declared links alone, one at a time on each
print(plan)
q, v, tau = np.array([0.1, 0.5, -1.2, -0.5]), np.array([0.2, -0.1, 0.3, 0.1]), np.zeros(4)
M, F, a, pivots = plan.execute(q, v, tau)
print("accelerations [rad/s²]:", a.round(6))
mp.plan_at_work(plan, (q, v, tau), tasks.shape.positions).draw(OUT / "18_mesh.html")

# the cycles of the source's tables come out of the plan
cycles = tasks.plan(tm.CYCLES)
ends = {cycles.graph.tasks[p.task].name: p.end for p in cycles.placements}
print(f"the torque on body 4 is there after cycle {ends['dL 4']:g}, printed: {2 * 4 + 7}")

# a whole simulator: openings from the interface, four evaluations a step, states in row 0
run = rotary_excavator().run(joint_experiment(), 8.0)
begin, end = 700, 800
step = tm.mesh_step(machine, CLASSIC, 0.01, hydraulics=cat215b_rotary())
s = np.concatenate([run["pressure_in"][begin], run["pressure_out"][begin]])
motion = tm.run_mesh(
    step.machine, step.plan(), run["q"][begin], run["v"][begin], run["command"][begin:end], s
)
difference = np.abs(motion.q - run["q"][begin : end + 1]).max()
print(f"a second on the mesh differs from the simulator by {difference:.0e} rad")

# what it cost then, by measurement and by counting, and as planned here
print(MeshTimes.of(machine, cat215b_rotary()).table())

# and where it would pay today
figure = where_a_mesh_pays([machine, px.library.puma600()])
figure.savefig(OUT / "18_where_a_mesh_pays.png", dpi=150)
print("left out/18_mesh.html and out/18_where_a_mesh_pays.png")
