"""Identification: parameters of an arm from its motions and noisy torques.

Joint torques are linear in the masses, first moments and inertias of the bodies, and in rotor
inertia and friction of the joints. Some of these only ever act together: the base parameters are
the combinations that can be seen. A motion is made that shows them well, torques are measured with
noise, parameters come back with standard errors and as a machine whose bodies can exist, and the
test that counts is another motion. Leaves ``out/03_identification.png``.
"""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import phalanx as px
from phalanx.identification.parameters import OF_JOINTS, values_of

ROWS = 1000
NOISE = 0.5  # of a torque sensor [N·m]
OUT = Path("out")

rng = np.random.default_rng(0)
joints = [
    replace(joint, damping=2.0, friction=4.0) if joint.motion.nv else joint
    for joint in px.library.puma560().joints
]
arm = replace(px.library.puma560(), joints=tuple(joints))  # the truth, which nobody knows


def measure(path: px.planning.Path) -> tuple[np.ndarray, ...]:
    """What one would measure along a motion: positions, velocities, accelerations, torques."""
    q, v, a = path((np.arange(ROWS) + 0.5) * path.duration / ROWS)
    tau = px.Dynamics(arm).inverse_dynamics(q, v, a) + 2.0 * v + 4.0 * np.sign(v)
    return q, v, a, tau + NOISE * rng.standard_normal(tau.shape)


# what can be seen at all, by name
base = px.identification.base_parameters(arm, terms=OF_JOINTS)
print(f"{len(base.names)} parameters, {len(base)} combinations leave a trace in torques, such as")
print(f"  {base.expressions[1]}")

# a motion that shows them, within limits, against the best of many random ones
excitation = px.identification.excitation(
    arm, terms=OF_JOINTS, velocity_limit=2.0, acceleration_limit=8.0
)
print(f"condition number {excitation.condition:.1f}, {excitation.at_random:.1f} at random")

# the model that one begins with: everything a third too heavy, no friction known
heavy = [replace(body, mass=1.3 * body.mass, inertia=1.3 * body.inertia) for body in arm.bodies]
model = replace(arm, bodies=tuple(heavy), joints=px.library.puma560().joints)
data = measure(excitation.path)
found = px.identification.identify(model, *data, terms=OF_JOINTS)
truth = base.of(values_of(arm, OF_JOINTS))
z = (found.values - truth) / found.standard_errors
print(f"within two standard errors: {np.mean(np.abs(z) < 2):.0%} of the combinations")
print(f"masses of the machine that came back: {[round(b.mass, 2) for b in found.mechanism.bodies]}")

# the test that counts: torques of another motion
other = px.identification.excitation(
    arm, velocity_limit=1.5, acceleration_limit=6.0, generations=0, seed=1
)
q, v, a, tau = measure(other.path)
print("another motion, off by:")
print(found.check(q, v, a, tau))

# and what the arm carries, with the machine that was identified
load = px.Body("load", 2.0, [0.05, 0.02, 0.1], np.diag([0.02, 0.03, 0.025]))
extra = px.Dynamics(px.attach(arm, "link_6", load)).inverse_dynamics(q, v, a)
extra = tau + extra - px.Dynamics(arm).inverse_dynamics(q, v, a)
payload = px.identification.payload(found.mechanism, q, v, a, extra)
print(f"payload: {payload.mass:.3f} ± {payload.mass_error:.3f} kg at {payload.com.round(3)} m")

t = (np.arange(ROWS) + 0.5) * other.path.duration / ROWS
figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6.4), layout="constrained")
predicted = found.torques(q, v, a)
believed = px.Dynamics(model).inverse_dynamics(q, v, a)
for k in range(3):
    name = arm.moving_joints[k].name
    top.plot(t, tau[:, k], color=f"C{k}", linewidth=2.5, alpha=0.35)
    top.plot(t, predicted[:, k], color=f"C{k}", linewidth=1.0, label=name)
    top.plot(t, believed[:, k], color=f"C{k}", linewidth=0.8, linestyle=":")
top.set(xlabel="time [s]", ylabel="joint torque [N·m]")
top.set_title(
    "a motion that was not used: measured (broad), identified (thin), model before (dotted)",
    loc="left",
    fontsize=10,
)
top.legend(frameon=False, ncols=3)
bottom.errorbar(
    np.arange(len(base)),
    z,
    yerr=1.96,
    fmt="o",
    markersize=3,
    linewidth=0.8,
    color="C0",
)
bottom.axhline(0, color="0.5", linewidth=0.8)
bottom.set_xticks(np.arange(len(base)), base.leaders, rotation=90, fontsize=6)
bottom.set_ylabel("error / standard error")
bottom.set_title("base parameters, bars of 95 %", loc="left", fontsize=10)
OUT.mkdir(exist_ok=True)
figure.savefig(OUT / "03_identification.png", dpi=130)
print(f"picture in {OUT / '03_identification.png'}")
