"""Draws ``loop_drift.png`` of ``docs/loops.md``: how far loops open in a minute, three ways."""

from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np
from casadi import SX

import phalanx as px
from phalanx.equations import loops
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.model_of import model_of
from phalanx.planning.motions import wave
from phalanx.simulation.formulations import Accelerations, RungeKutta, run
from phalanx.simulation.setup.track import start_of_motors, track

HERE = Path(__file__).parent
DURATION, STEP = 60.0, 2e-3  # [s]

machine = px.library.planar_3rrr()
motors = [joint.name for joint in machine.actuated_joints]
motion = wave(2.0, np.zeros(3), 0.25, [0.0, 1.0, 2.0])
law = track(motion, stiffness=100, damping=20)
q0, v0 = start_of_motors(machine, motors, motion)

t, q, v = SX.sym("t"), SX.sym("q", machine.nq), SX.sym("v", machine.nv)
model = model_of(machine)
torque = px.compile(ca.Function("torque", [t, q, v], [law(model, t, q, v, {})])).call


def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Joint forces of the law."""
    return torque(np.array([t]), q, v)


def opening(positions: np.ndarray) -> np.ndarray:
    """The largest opening of a loop in each posture [m]."""
    return np.array([np.abs(closed_loops(machine).search.openings(q)).max() for q in positions])


ways = {
    "multipliers alone": Accelerations(machine, loops.multipliers),
    "with Baumgarte's terms": Accelerations(
        machine, loops.multipliers, stabilization=loops.Baumgarte(10.0, 10.0)
    ),
}
figure, axis = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for name, formulation in ways.items():
    history = run(formulation, q0, v0, control, duration=DURATION, steps=RungeKutta(STEP))
    every = slice(50, None, 50)
    opened = opening(history.q[every])
    axis.semilogy(history.t[every], opened, label=name, linewidth=1.2)
    print(f"{name}: {opened.max():.1e} m")
recording = px.simulate(machine, q0, v0, duration=DURATION, step=STEP, every=50, control=law)
opened = opening(recording["q"])
axis.semilogy(
    recording.time, np.maximum(opened, 1e-17), label="closed after every step", linewidth=1.2
)
print(f"closed after every step: {opened.max():.1e} m")
axis.set_xlabel("time [s]")
axis.set_ylabel("largest opening of a loop [m]")
axis.legend(frameon=False, loc=(0.03, 0.28))
axis.grid(color="0.92")
figure.savefig(HERE / "loop_drift.png", dpi=110)
