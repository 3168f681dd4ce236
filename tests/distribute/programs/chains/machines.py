"""Chains for tests of segments on processes."""

import numpy as np

import phalanx as px
from phalanx import mechanism


def mixed() -> px.Mechanism:
    """Joints of many kinds in a row, on a body that floats, with a rotor; all bodies differ."""
    rng = np.random.default_rng(3)
    motions = (
        mechanism.Floating(),
        mechanism.Revolute(np.array([0.0, 1.0, 0.0])),
        mechanism.Universal(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])),
        mechanism.Prismatic(np.array([0.6, 0.0, 0.8])),
        mechanism.Spherical(),
        mechanism.Cylindrical(np.array([0.0, 0.0, 1.0])),
        mechanism.Screw(np.array([0.0, 0.6, 0.8]), -0.2),
        mechanism.Planar(np.array([0.0, 0.0, 1.0])),
    )
    bodies, joints = [mechanism.Body("base")], []
    for k, motion in enumerate(motions):
        wide = np.diag(rng.uniform(0.1, 0.15, 3))
        bodies.append(mechanism.Body(f"body_{k}", rng.uniform(1, 2), rng.normal(0, 0.2, 3), wide))
        joints.append(
            mechanism.Joint(
                f"joint_{k}",
                bodies[k].name,
                f"body_{k}",
                motion,
                mechanism.Pose(translation=rng.normal(0, 0.5, 3)),
                rotor_inertia=0.3 if k == 1 else 0.0,
                gear_ratio=2.0,
                damping=0.1 * k,
            )
        )
    return px.Mechanism("mixed", bodies, joints)
