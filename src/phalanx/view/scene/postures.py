"""Where all bodies of a machine are, for who draws it: one compiled call a posture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.quantities.motion import NO_POSE, POSES
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.equations import body_poses, expression
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# Bodies up to which a machine has a node each in a scene, and one expression for all poses.
MOST_NODES = 200

Poses = Callable[[Array], Array]  # q (nq,) to X (bodies, 4, 4)


def is_long(mechanism: Mechanism) -> bool:
    """Whether a machine has too many bodies for a node each."""
    return len(mechanism.bodies) > MOST_NODES


def poses_of(mechanism: Mechanism) -> Poses:
    """What gives the pose of every body in the root frame."""
    tied = mechanism.loops or any(joint.mimic for joint in mechanism.joints)
    if is_long(mechanism) and not tied:
        return _swept(mechanism)
    shapes = {"X": (len(mechanism.bodies), 4, 4)}
    return compile_kernel(expression(body_poses, mechanism), shapes=shapes, threads=1)


def _swept(mechanism: Mechanism) -> Poses:
    bodies = bodies_of(mechanism)
    program = Traversal(POSES, bodies, threads=1)
    root = np.array([NO_POSE])
    R, p = bodies.body_rotation, bodies.body_translation

    def poses(q: Array) -> Array:
        swept = program(1, {"q": np.ascontiguousarray(q, dtype=np.float64)[None]}, [root])
        nodes = swept.results["pose"].reshape(-1, 12)
        # a body on the root has the node -1: the last row
        of_body = np.concatenate([nodes, root])[bodies.body_node]
        R_node = of_body[:, :9].reshape(-1, 3, 3)
        X = np.zeros((len(of_body), 4, 4))
        X[:, :3, :3] = R_node @ R
        X[:, :3, 3] = of_body[:, 9:] + np.einsum("nij,nj->ni", R_node, p)
        X[:, 3, 3] = 1.0
        return X

    return poses
