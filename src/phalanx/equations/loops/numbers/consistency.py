"""Consistency check: whether motions keep the loops of a machine closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.checks import ROUGHLY_CLOSED
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.numbers.frame_freedoms import freedoms_missing, too_little_said
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# residuals of all loops together that pass as rounding: openings [m or rad], rates relative to
# √(1 + |v|²), accelerations relative to √(1 + |a|² + |v|⁴); single precision is that much coarser
CONSISTENT = {"float64": ROUGHLY_CLOSED, "float32": 1e-4}
# joints that move so much faster than what determines them are not determined by it
AMPLIFIED = 1 / RANK

_OPEN = (
    "the positions of '{machine}' leave loop '{loop}' open by {by:.3g} m or rad{where} (allowed: "
    "{allowed:.3g}). phalanx.assemble(mechanism, q) finds the nearest posture that closes it."
)
_PARTING = (
    "the velocities of '{machine}' open loop '{loop}' at {by:.3g} m/s or rad/s{where} (allowed: "
    "{allowed:.3g}). Take those of all joints from the free ones, "
    "Dynamics.complete_motion(q, v_free, a_free), from a frame, "
    "Dynamics.complete_motion_of_frame(q, V, A, frame=...), or the nearest that fit, "
    "phalanx.assemble(mechanism, q, v).v."
)
_ACCELERATING = (
    "the accelerations of '{machine}' open loop '{loop}' at {by:.3g} m/s² or rad/s²{where} "
    "(allowed: {allowed:.3g}): joints of a loop do not accelerate by themselves. Take those of all "
    "joints from the free ones, Dynamics.complete_motion(q, v_free, a_free), from a frame, "
    "Dynamics.complete_motion_of_frame(q, V, A, frame=...), or the nearest that fit, "
    "phalanx.assemble(mechanism, q, v, acceleration=a).a."
)


def is_within(found: Any, limit: float) -> bool:
    """Whether no number of a batch is above a limit, and none is NaN."""
    return bool(found <= limit) if np.ndim(found) == 0 else bool((found <= limit).all())


class InconsistentMotion(InvalidInput):
    """A motion that would open the loops of a machine.

    Attributes:
        loop: The loop that it opens most.
        residual: By how much [m or rad], at which rate or at which acceleration.
        sample: Which one of a batch, an index for each batch axis.
    """

    def __init__(self, message: str, loop: str, residual: float, sample: tuple[int, ...]) -> None:
        super().__init__(message)
        self.loop, self.residual, self.sample = loop, residual, sample


def inconsistency_error(
    mechanism: Mechanism,
    motion: tuple[Any, Any, Any],
    inconsistency: Any,
    residuals: Sequence[Any],
    tolerance: float,
) -> InvalidInput:
    """Build the error for a motion that does not keep the loops of a machine closed.

    Args:
        mechanism: A machine with loops.
        motion: Positions, velocities and accelerations, shapes (..., n), that broadcast.
        inconsistency: What ``loops.inconsistency`` gives for them, shape (..., k): of positions,
            and of velocities and accelerations where these count.
        residuals: What ``loops.loop_residuals`` gives for them, shapes (..., loops).
        tolerance: What passes.

    Returns:
        InconsistentMotion, or InvalidInput where the worst sample holds a NaN or an infinity.
    """
    parts = np.asarray(inconsistency, dtype=np.float64)
    found = parts.max(axis=-1)
    sample, where = _worst(found)
    q, v, a = (_of_sample(x, found, sample) for x in motion)
    for what, numbers in (("positions", q), ("velocities", v), ("accelerations", a)):
        if not np.isfinite(numbers).all():
            return InvalidInput(
                f"the {what} of '{mechanism.name}' hold a NaN or an infinity{where}: "
                f"{numbers.tolist()}."
            )
    # the first that fails is the one to mend: what comes after it follows
    first = int((~(parts[sample] <= tolerance)).argmax())
    speed = float(v @ v)
    scale = (1.0, np.sqrt(1 + speed), np.sqrt(1 + float(a @ a) + speed**2))[first]
    of_loops = np.asarray(residuals[first])[sample]
    loop, by = mechanism.loops[int(of_loops.argmax())].name, float(of_loops.max())
    message = (_OPEN, _PARTING, _ACCELERATING)[first].format(
        machine=mechanism.name, loop=loop, by=by, where=where, allowed=tolerance * scale
    )
    return InconsistentMotion(message, loop, by, sample)


def check_determined(mechanism: Mechanism, free: Sequence[int], amplification: Any) -> None:
    """InvalidInput where the free joints of a machine do not determine the motion of the others.

    Args:
        mechanism: A machine with loops.
        free: Numbers of the free velocities.
        amplification: How fast all joints move for unit velocities of the free ones, (...).
    """
    if is_within(amplification, AMPLIFIED):
        return
    found = np.asarray(amplification)
    _, where = _worst(found)
    names = [
        joint.name
        for joint in mechanism.moving_joints
        if not set(free).isdisjoint(range(*mechanism.v_slices[joint.name].indices(mechanism.nv)))
    ]
    raise InvalidInput(
        f"the free joints of '{mechanism.name}' ({', '.join(names)}) do not determine the motion "
        f"of the others at this posture{where}: unit velocities of them would move others at "
        f"{found.max():.3g} (allowed: {AMPLIFIED:.0e}). Take other positions, or other free joints "
        "(independent=)."
    )


def check_frame_moves(
    model: Model,
    frame: str,
    wanted: tuple[Any, Any, Any],
    residual: Any,
    amplification: Any,
    tolerance: float,
) -> None:
    """InvalidInput where a machine has no motion, or many, that moves a frame as wanted.

    Args:
        model: The machine.
        frame: The frame.
        wanted: Positions of the machine, velocity and acceleration of the frame, that broadcast.
        residual: How far the nearest motion is from both, shape (..., 2).
        amplification: How fast joints move for unit velocities of the frame, shape (...).
        tolerance: What passes, of √(1 + |V|²) and of √(1 + |A|² + |V|⁴).
    """
    if not is_within(amplification, AMPLIFIED):
        amplified = np.asarray(amplification)
        sample, where = _worst(amplified)
        missing = freedoms_missing(model, frame, _of_sample(wanted[0], amplified, sample))
        raise InvalidInput(
            too_little_said(model, frame, max(1, missing), f" at this posture{where}")
        )
    V, A = (np.asarray(x, dtype=np.float64) for x in wanted[1:])
    speed, rate = np.square(V).sum(axis=-1), np.square(A).sum(axis=-1)
    off = np.asarray(residual, dtype=np.float64)
    found = np.maximum(off[..., 0] / np.sqrt(1 + speed), off[..., 1] / np.sqrt(1 + rate + speed**2))
    if is_within(found, tolerance):
        return
    sample, where = _worst(found)
    raise InvalidInput(
        f"frame '{frame}' of '{model.mechanism.name}' cannot move as wanted{where}: the nearest "
        f"motion that joints and loops allow is off by {off[sample][0]:.3g} in V [m/s, rad/s] and "
        f"{off[sample][1]:.3g} in A [m/s², rad/s²]. Give a motion that the frame can make."
    )


def _worst(found: Array) -> tuple[tuple[int, ...], str]:
    """The index of the largest number or first NaN of a batch, and how to name it."""
    k = int(np.where(np.isnan(found), np.inf, found).argmax())
    sample = tuple(int(i) for i in np.unravel_index(k, found.shape))
    return sample, f" in sample {', '.join(map(str, sample))}" if found.size > 1 else ""


def _of_sample(x: Any, found: Array, sample: tuple[int, ...]) -> Array:
    """One sample of an argument that broadcasts to a batch."""
    numbers = np.asarray(x, dtype=np.float64)
    return np.broadcast_to(numbers, (*found.shape, numbers.shape[-1]))[sample]
