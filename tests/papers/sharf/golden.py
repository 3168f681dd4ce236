"""The reference chain: three rods on hinges, with the numbers that it must give.

Rods of 1 m along x and 1 kg, hinges about z, y and y in body axes, on a fixed base.
"""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.chains.bodies import bodies_of
from phalanx.chains.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.chains.constraint_forces.jointed import jointed_bodies
from phalanx.chains.method import still_root
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute

Q = np.array([[0.3, -0.4, 0.5]])
V = np.array([[0.1, 0.2, -0.3]])
TAU = np.array([[1.0, 2.0, 3.0]])

ACCELERATIONS = np.array([0.11144387, 3.20843662, 15.61229016])
# forces and moments without the one about the hinge, in body axes
FORCES = (
    (0.83063776, 0.51238659, 15.61103457, -0.13334064, -8.70603457),
    (3.02870261, 0.45666465, 5.01769399, 0.07386981, 0.51712828),
    (0.49467253, 0.28610911, -2.48663211, -0.00001176, 0.15358039),
)
HINGES = (2, 1, 1)
SPECTRAL_RADIUS = 0.93869799
EIGENVALUES = 0.2114025, 313.28477
TRACE = 595.357143


def chain() -> Mechanism:
    inertia = np.diag([0.01, 0.34333333333333333 - 0.25, 0.34333333333333333 - 0.25])
    bodies = [Body("base")]
    joints = []
    for i, axis in enumerate(HINGES):
        bodies.append(Body(f"rod_{i + 1}", 1.0, (0.5, 0.0, 0.0), inertia))
        at = Pose(translation=np.array([1.0 if i else 0.0, 0.0, 0.0]))
        parent = bodies[i].name
        joints.append(
            Joint(f"hinge_{i + 1}", parent, f"rod_{i + 1}", Revolute(np.eye(3)[axis]), at)
        )
    return px.Mechanism("reference_chain", bodies, joints, gravity=np.array([0.0, 0.0, -9.81]))


def posed() -> tuple[ConstraintEquations, Posed]:
    m = chain()
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    return equations, equations.pose(Q, V, TAU, still_root(m))
