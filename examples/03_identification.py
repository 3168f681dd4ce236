"""Identification: inertial parameters of an arm from its motions and noisy torques.

Joint torques are linear in the masses, first moments and inertias of the bodies. Stacking the
regressor over many motions gives a least-squares problem, whose rank says how many combinations of
parameters can be seen at all. Leaves ``out/03_identification.png``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px

SAMPLES = 4000
NOISE = 0.05  # of a torque sensor [N·m]
OUT = Path("out")

arm = px.library.puma560()
dynamics = px.Dynamics(arm)
rng = np.random.default_rng(0)


def motions(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A long motion of superposed sines: positions, velocities, accelerations."""
    t = np.linspace(0, 20, samples)[:, None]
    q, v, a = (np.zeros((samples, arm.nv)) for _ in range(3))
    for harmonic in range(1, 6):
        w = 2 * np.pi * 0.1 * harmonic
        amplitude = rng.uniform(0.1, 0.5, arm.nv)
        phase = rng.uniform(0, 2 * np.pi, arm.nv)
        q += amplitude * np.sin(w * t + phase)
        v += amplitude * w * np.cos(w * t + phase)
        a -= amplitude * w**2 * np.sin(w * t + phase)
    return q, v, a


def parameters(body: px.Body) -> np.ndarray:
    """Ten numbers of a body, as the regressor orders them: m, h, and I about the origin."""
    c = body.com
    I = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    h = body.mass * c
    return np.array([body.mass, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


truth = np.concatenate([parameters(body) for body in arm.bodies[1:]])
rotors = np.concatenate([joint.reflected_inertia for joint in arm.moving_joints])  # known

# what one would measure on the machine
q, v, a = motions(SAMPLES)
exact = dynamics.inverse_dynamics(q, v, a)
measured = exact + NOISE * rng.standard_normal(exact.shape)

# tau - rotors * a = Y parameters, for all samples at once
Y = dynamics.regressor(q, v, a).reshape(-1, truth.size)
b = (measured - rotors * a).ravel()
print(f"regressor of {SAMPLES} motions: {Y.shape[0]} equations, {Y.shape[1]} parameters")

# only combinations along the rows of Y leave a trace in the torques
_, sizes, rows = np.linalg.svd(Y, full_matrices=False)
seen = sizes > 1e-9 * sizes[0]
base = rows[seen]
print(f"{seen.sum()} combinations of parameters can be identified, the other {(~seen).sum()} not")

found = np.linalg.lstsq(Y, b, rcond=1e-9)[0]
error = base @ (found - truth)
print(f"largest error of an identified combination: {np.abs(error).max():.2e} (SI units)")

# the test that counts: torques of another motion
q, v, a = motions(SAMPLES)
wanted = dynamics.inverse_dynamics(q, v, a)
predicted = (dynamics.regressor(q, v, a) @ found) + rotors * a
print(
    f"torques of a new motion: predicted to {np.abs(predicted - wanted).max():.4f} N·m, "
    f"with a sensor noise of {NOISE} N·m"
)

t = np.linspace(0, 20, SAMPLES)
figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7.5, 5), layout="constrained")
for k in range(3):
    top.plot(t, wanted[:, k], color=f"C{k}", linewidth=2.5, alpha=0.4)
    top.plot(t, predicted[:, k], color=f"C{k}", linewidth=0.9, label=arm.moving_joints[k].name)
    bottom.plot(t, 1e3 * (predicted - wanted)[:, k], color=f"C{k}", linewidth=0.9)
top.set_ylabel("joint torque [N·m]")
top.set_title("a motion that was not used: true (broad) and predicted", loc="left", fontsize=10)
top.legend(frameon=False, ncols=3)
bottom.set_ylabel("error [mN·m]")
bottom.set_xlabel("time [s]")
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "03_identification.png", dpi=130)
print(f"picture in {OUT / '03_identification.png'}")
