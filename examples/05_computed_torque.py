"""Computed torque: an arm follows a path, then picks up a load that its controller does not know.

A controller that knows the arm's inverse dynamics follows within a hundredth of a degree, until the
gripper takes 2 kg: now its model is wrong and the arm sags. The second run also feeds the sum of
the errors back, and recovers. The controller is a plain Python function that calls compiled
dynamics; the machine changes on the way by an event. Leaves ``out/05_computed_torque.png``.
"""

from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

DURATION, STEP = 6.0, 1e-3  # [s]
PICK_UP = 3.0  # [s]
STIFFNESS, DAMPING, INTEGRAL = 100.0, 20.0, 300.0  # [1/s², 1/s, 1/s³]
OUT = Path("out")

arm = px.library.puma560()
model = px.Dynamics(arm)
load = px.Body("load", 2.0, inertia=0.005 * np.eye(3))

start = np.array([0.0, -0.8, 0.6, 0.0, 0.5, 0.0])
span = np.array([0.8, 0.5, -0.4, 0.5, 0.3, 0.5])
MOVING = 2.0  # [s], then it holds


def path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where every joint should be, how fast, and accelerating how: a polynomial without jerks."""
    x = min(t / MOVING, 1.0)
    s, ds = x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2
    dds = 60 * x * (1 - x) * (1 - 2 * x)
    return start + span * s, span * ds / MOVING, span * dds / MOVING**2


def controller(integral: float) -> Callable[[float, np.ndarray, np.ndarray], np.ndarray]:
    """Inverse dynamics of the wanted acceleration, corrected by the errors so far."""
    memory = np.zeros(arm.nv)

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        wanted_q, wanted_v, wanted_a = path(t)
        error = wanted_q - q
        memory[:] += STEP * error
        a = wanted_a + STIFFNESS * error + DAMPING * (wanted_v - v) + integral * memory
        return model.inverse_dynamics(q, v, a)

    return control


runs = {}
for name, integral in (("model alone", 0.0), ("with an integral", INTEGRAL)):
    runs[name] = px.simulate(
        arm,
        start,
        duration=DURATION,
        step=STEP,
        control=controller(integral),
        events=[px.pick_up(PICK_UP, "tool", load)],
    )

figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7.5, 5.5), layout="constrained")
for colour, (name, run) in zip(("C1", "C0"), runs.items(), strict=True):
    wanted = np.array([path(t)[0] for t in run.time])
    error = np.degrees(np.abs(run["q"] - wanted).max(axis=1))
    before, after = error[run.time < PICK_UP].max(), error[-500:].max()
    print(
        f"{name:>16}: {before:.4f} degrees before the load, {error.max():.2f} at worst with it, "
        f"{after:.3f} in the last half second; {run.settings['real_time_factor']:.0f} x real time"
    )
    top.plot(run.time, error, color=colour, label=name, linewidth=1.3)
for k in (1, 2, 4):
    bottom.plot(run.time, run["tau"][:, k], label=f"{arm.moving_joints[k].name}, {name}")
for axis in (top, bottom):
    axis.axvline(PICK_UP, color="0.5", linewidth=0.8, linestyle=":")
    axis.grid(color="0.92")
top.set_ylabel("largest joint error [degrees]")
top.set_title(f"{load.mass:g} kg are picked up at {PICK_UP:g} s", loc="left", fontsize=10)
top.legend(frameon=False)
bottom.set_ylabel("joint torque [N·m]")
bottom.set_xlabel("time [s]")
bottom.legend(frameon=False, fontsize=8)
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "05_computed_torque.png", dpi=130)
print(f"picture in {OUT / '05_computed_torque.png'}")
