"""Domain randomisation: thousands of arms that differ in their masses, moved side by side.

Masses become arguments of the compiled function. A controller that believes in the nominal masses
moves 2000 arms, each with its own, and the picture shows how far they stray: what a policy must
endure that is trained to work on the real machine. Leaves ``out/02_domain_randomisation.png``.
"""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

ARMS = 2000
STEPS, STEP = 1500, 1e-3  # 1.5 s
SPREAD = 0.3  # masses vary by ±30 %
OUT = Path("out")

arm = px.library.puma560()
nominal = px.Dynamics(arm)
bodies = ("link_2", "link_3", "link_4")
varied = px.Dynamics(arm, parameters=[f"{body}.mass" for body in bodies])

rng = np.random.default_rng(0)
masses = [arm.body(body).mass * rng.uniform(1 - SPREAD, 1 + SPREAD, ARMS) for body in bodies]

# all arms start together and are to move every joint along the same smooth path
start = np.array([0.0, -1.2, 0.8, 0.0, 0.6, 0.0])
goal = np.array([0.8, -0.4, 0.2, 0.5, -0.2, 0.4])


def path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and accelerations to follow: half a cosine, then rest."""
    T = 1.0
    x = min(t / T, 1.0) * np.pi
    moving = t < T
    span = (goal - start) / 2
    return (
        start + span * (1 - np.cos(x)),
        span * np.sin(x) * np.pi / T * moving,
        span * np.cos(x) * (np.pi / T) ** 2 * moving,
    )


q, v = np.tile(start, (ARMS, 1)), np.zeros((ARMS, arm.nv))
errors = np.empty((STEPS, ARMS))
began = time.perf_counter()
for step in range(STEPS):
    wanted_q, wanted_v, wanted_a = path(step * STEP)
    # computed torque with nominal masses, and a soft controller for the rest
    command = wanted_a + 100.0 * (wanted_q - q) + 20.0 * (wanted_v - v)
    tau = nominal.inverse_dynamics(q, v, command)
    a = varied.forward_dynamics(q, v, tau, *masses)
    v += STEP * a
    q += STEP * v
    errors[step] = np.degrees(np.abs(q - wanted_q).max(axis=1))
elapsed = time.perf_counter() - began

evaluations = 2 * ARMS * STEPS
print(f"{ARMS} arms, {STEPS} steps: {evaluations:,} evaluations in {elapsed:.2f} s")
worst = int(errors.max(axis=0).argmax())
print(
    f"largest error {errors.max():.2f} degrees, of the arm with masses "
    + ", ".join(f"{body} {m[worst]:.2f} kg" for body, m in zip(bodies, masses, strict=True))
)

t = STEP * np.arange(STEPS)
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for low, high, shade in ((0, 100, 0.15), (5, 95, 0.3), (25, 75, 0.5)):
    band = np.percentile(errors, (low, high), axis=1)
    axes.fill_between(t, *band, color="C1", alpha=shade, linewidth=0, label=f"{low}–{high} %")
axes.plot(t, np.median(errors, axis=1), color="0.2", label="median")
axes.set_xlabel("time [s]")
axes.set_ylabel("largest joint error [degrees]")
axes.set_title(f"{ARMS} arms with masses within ±{100 * SPREAD:.0f} %", loc="left", fontsize=10)
axes.legend(frameon=False)
axes.set_xlim(0, t[-1])
axes.set_ylim(bottom=0)
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "02_domain_randomisation.png", dpi=130)
print(f"picture in {OUT / '02_domain_randomisation.png'}")
