"""Benchmark of joint stops: penetration of robots driven into their limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.batch.rollout import rollout
from phalanx.simulation.setup.forces.effective_inertia import effective_inertia
from phalanx.simulation.setup.forces.joint_forces import Damping, JointForce
from phalanx.simulation.setup.setup import DEFAULT_FORCES

SPEED, PUSH, BEFORE = 1.0, 50.0, 1e-3  # [rad/s], [rad/s²], [rad]; or metres


def stop_depths(mechanism: Mechanism, step: float, steps: int) -> Array:
    """Each joint with one freedom driven into each of its limits, a run for each.

    Runs begin just before the limit at a speed towards it, with a force that pushes on. Damping
    that allows no such step (10 N·m·s/rad in a fingertip) is left out.

    Returns:
        How far each run goes beyond its limit at most [rad or m]; NaN where numbers are not
        finite. Infinite where they are not finite without any forces either: the posture is
        singular, or the step too long for the machine itself.
    """
    m, inertia = mechanism, effective_inertia(mechanism)
    lower, upper = m.position_limits
    lanes = [
        (m.v_slices[j.name].start, m.q_slices[j.name].start, side)
        for j in m.moving_joints
        for side, limit in ((-1, j.lower), (1, j.upper))
        if j.motion.nv == 1 and np.isfinite(limit).all()
    ]
    if not lanes:
        return np.zeros(0)
    q0 = np.tile(np.clip(m.neutral(), lower, upper), (len(lanes), 1))
    v0, tau = np.zeros((len(lanes), m.nv)), np.zeros((len(lanes), m.nv))
    for n, (i, k, side) in enumerate(lanes):
        limit = (lower if side < 0 else upper)[k]
        q0[n, k] = limit - side * min(BEFORE, (upper[k] - lower[k]) / 2)
        v0[n, i], tau[n, i] = side * SPEED, side * PUSH * inertia[i]
    damped = (m.per_freedom("damping") * step <= inertia) | (inertia == 0)
    forces = [f for f in DEFAULT_FORCES if damped.all() or not isinstance(f, Damping)]
    held = np.repeat(tau[:, None], steps, axis=1)

    def positions(forces: Sequence[JointForce]) -> Array:
        runs = rollout(m, q0, v0, tau=held, steps=steps, step=step, forces=forces, threads=1)
        assert runs.q is not None  # it is recorded
        return np.asarray(runs.q)

    q = positions(forces)
    finite = np.isfinite(q).all(axis=(1, 2))
    depth = np.array(
        [
            (side * (q[n, :, k] - (lower if side < 0 else upper)[k])).max()
            for n, (_, k, side) in enumerate(lanes)
        ]
    )
    if finite.all():
        return depth
    free = np.isfinite(positions(())).all(axis=(1, 2))
    return np.where(finite, depth, np.where(free, np.nan, np.inf))
