"""Energy of swinging pendulums: what each integrator does to it.

Nothing is lost in these machines, so every change of the energy is an error of the method. A simple
pendulum has a constant mass matrix and semi-implicit Euler keeps its energy for ever, coarse as it
is. The mass matrix of a double pendulum changes as it folds, and the same method drifts away, of
which a ``StepWarning`` tells; Runge-Kutta drifts a few hundred thousand times slower, and an
adaptive method as slowly as it is told to. Leaves ``out/04_pendulum_energy.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

DURATION, STEP = 100.0, 0.01  # [s]
OUT = Path("out")

methods = {
    "semi-implicit Euler, 10 ms": px.SemiImplicitEuler(),
    "Runge-Kutta 4, 10 ms": px.RungeKutta4(),
    "Dormand-Prince 8, tolerance 1e-9": px.DormandPrince(1e-9, 1e-9),
}
machines = {
    "simple pendulum": (px.library.chain(1), [1.0]),
    "double pendulum": (px.library.double_pendulum(), [0.6, -0.3]),
}

figure, axes = plt.subplots(1, 2, sharey=True, figsize=(9, 4), layout="constrained")
for (title, (machine, start)), axis in zip(machines.items(), axes, strict=True):
    for name, method in methods.items():
        run = px.simulate(
            machine, start, duration=DURATION, step=STEP, integrator=method, forces=(), every=2
        )
        error = np.abs(run["energy"] / run["energy"][0] - 1)
        # the worst of each second: within a swing the error comes and goes
        worst = error[1:].reshape(-1, 50).max(axis=1)
        axis.semilogy(run.time[50::50], np.maximum(worst, 1e-16), label=name, linewidth=1.3)
        speed = run.settings["real_time_factor"]
        print(f"{title:>16}, {name:<32} {worst[0]:.1e} to {worst[-1]:.1e}, {speed:.0f} x real time")
    axis.set_title(title, loc="left", fontsize=10)
    axis.set_xlabel("time [s]")
    axis.grid(color="0.92")
axes[0].set_ylabel("error of the energy, relative, worst of each second")
axes[0].set_ylim(1e-16, 1)
axes[1].legend(frameon=False, loc="upper left", bbox_to_anchor=(0.0, 0.78))
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "04_pendulum_energy.png", dpi=130)
print(f"picture in {OUT / '04_pendulum_energy.png'}")
