"""Random positions of joints, drawn in an order that does not depend on the number of samples.

A joint's numbers are drawn for all samples before the next joint's: a seed stands for the same
postures whether joints are drawn one at a time or, as here, as many at once as can be.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from phalanx.mechanism.joint import Joint, Prismatic
from phalanx.mechanism.pose import Array

FARTHEST_TURN, FARTHEST_SLIDE = np.pi, 1.0  # [rad], [m] where a joint has no limit


def random_positions(joints: Sequence[Joint], samples: int, rng: np.random.Generator) -> Array:
    """Positions spread over the limits of joints, shape (samples, nq)."""
    parts = [np.empty((samples, 0))]
    for has_quaternion, run in itertools.groupby(joints, _has_quaternion):
        draw = _with_quaternions if has_quaternion else _within_limits
        parts.append(draw(list(run), samples, rng))
    return np.concatenate(parts, axis=1)


def _has_quaternion(joint: Joint) -> bool:
    return joint.motion.nq != joint.motion.nv


def _within_limits(joints: Sequence[Joint], samples: int, rng: np.random.Generator) -> Array:
    """Angles and lengths of joints that have nothing else."""
    sizes = np.array([joint.motion.nq for joint in joints])
    drawn = rng.uniform(-1.0, 1.0, samples * int(sizes.sum()))
    # where a number of a sample was drawn: behind those of joints before, and of samples before
    starts = np.cumsum(sizes) - sizes
    size, start = np.repeat(sizes, sizes), np.repeat(starts, sizes)
    within = np.arange(len(size)) - start
    part = drawn[samples * start + within + size * np.arange(samples)[:, None]]
    span = np.array([_span(joint) for joint in joints])[np.repeat(np.arange(len(joints)), sizes)]
    lower = np.maximum(np.concatenate([joint.lower for joint in joints]), -span)
    upper = np.minimum(np.concatenate([joint.upper for joint in joints]), span)
    upper = np.maximum(upper, lower)
    return lower + (part + 1) / 2 * (upper - lower)


def _with_quaternions(joints: Sequence[Joint], samples: int, rng: np.random.Generator) -> Array:
    """Shifts, and rotations that are all as likely."""
    drawn = [
        (rng.uniform(-1.0, 1.0, (samples, joint.motion.nq)), rng.standard_normal((samples, 4)))
        for joint in joints
    ]
    q = np.concatenate([numbers for numbers, _ in drawn], axis=1)
    quaternions = np.stack([quaternion for _, quaternion in drawn], axis=1)
    ends = np.cumsum([joint.motion.nq for joint in joints])
    q[:, ends[:, None] + np.arange(-4, 0)] = quaternions / np.linalg.norm(
        quaternions, axis=-1, keepdims=True
    )
    return q


def _span(joint: Joint) -> float:
    return FARTHEST_SLIDE if isinstance(joint.motion, Prismatic) else FARTHEST_TURN
