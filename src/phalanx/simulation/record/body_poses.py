"""Recorded body poses and velocities, compiled for the bodies that are asked for."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.kinematics import forward_kinematics, frame_velocity
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.record.selection import Places


def compiled_body_poses(mechanism: Mechanism, bodies: tuple[str, ...]) -> Places:
    """Poses of bodies or frames in the root, and velocities of their origins in its axes."""
    model, count = model_of(mechanism), len(bodies)
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    poses = [forward_kinematics(model, q, frame=body) for body in bodies]
    velocities = [frame_velocity(model, q, v, frame=body)[:3] for body in bodies]
    outputs = [ca.vertcat(*poses), ca.horzcat(*velocities).T]
    function = ca.Function(
        "places", [q, v], ca.cse([ca.densify(x) for x in outputs]), ["q", "v"], ["X", "u"]
    )
    kernel = compile_kernel(function, shapes={"X": (4 * count, 4), "u": (count, 3)})

    def places(q: Array, v: Array) -> tuple[Array, Array, Array]:
        X, u = kernel(q, v)
        X = X.reshape(*np.shape(q)[:-1], count, 4, 4)
        return X[..., :3, :3], X[..., :3, 3], u

    return places
