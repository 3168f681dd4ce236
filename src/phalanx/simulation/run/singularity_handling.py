"""Singularity handling: passing singular postures, and when a run has to stop.

At a singular posture two ways to go on cross. Which one a machine takes is determined by its
velocity, if it has some: it goes through, with the accelerations it had before (see
``equations.loops.methods.coupling``). Every step looks at what that was worth. It is not
determined, and the run stops, when

- the velocity changes by more than ``LINGERS`` of itself before the machine has left again: it
  came to rest there, or turned, or was put there;
- the loops take more than ``TAKEN_NEAR`` of the velocity next to a singular posture, or ``TAKEN``
  anywhere, when a step ends: the step went to where the machine could not go that fast.

A run that stops has no numbers from then on, and the time is kept. That way loops of thousands of
runs in machine code need to know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.methods.coupling import WEAK
from phalanx.equations.loops.methods.manifold import closed
from phalanx.equations.loops.numbers.conditioning import loop_conditioning
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]

LINGERS = 0.1
TAKEN = 0.1
TAKEN_NEAR = 1e-3
NEAR = 1e-4  # of the usual strength of a loop: 0.01 rad from a singular posture
NEVER = float(np.finfo(np.float32).max)  # a time that every number format knows
AT_REST = 1e-7  # [rad/s or m/s]: slower is rounding


@dataclass(frozen=True)
class SingularityState:
    """State of singularity handling: what a run carries from step to step.

    Attributes:
        before: Mean accelerations in the last step, shape (nv,).
        nearness: Of a singular posture when it ended.
        lingered: How far the velocity has changed since the machine came there, of itself.
        stopped: The time at which the motion was no longer determined [s]; ``NEVER`` until then.
    """

    before: SX
    nearness: SX
    lingered: SX
    stopped: SX

    @staticmethod
    def of(numbers: SX) -> SingularityState:
        """From how it is carried from step to step."""
        return SingularityState(numbers[:-3], numbers[-3], numbers[-2], numbers[-1])

    def packed(self) -> SX:
        """As it is carried."""
        return ca.vertcat(self.before, self.nearness, self.lingered, self.stopped)


def singularity_state_size(mechanism: Mechanism) -> int:
    """How many numbers are carried; none without loops."""
    return mechanism.nv + 3 if independent_rows(mechanism) else 0


def initial_singularity_state(mechanism: Mechanism) -> Array:
    """Initial state of singularity handling: a start at a singular posture lingers."""
    if not singularity_state_size(mechanism):
        return np.zeros(0)
    return np.concatenate([np.zeros(mechanism.nv), [1.0, 1.0, NEVER]])


def landed(
    model: Model, v_begin: SX, q: SX, v: SX, past: SingularityState, t: SX, h: SX | float
) -> tuple[SX, SX, SingularityState]:
    """Positions and velocities with closed loops at the end of a step, and what to remember.

    Args:
        model: The machine.
        v_begin: Velocities when the step began.
        q: Positions that it has led to, loops slightly open.
        v: Velocities that it has led to.
        past: What was known when it began.
        t: The time when it ends [s].
        h: How long it was [s].
    """
    end = closed(model, q, v)
    floor = AT_REST**2 * ca.sum1(end.inertias)
    moving = ca.dot(end.inertias, v**2) + floor
    weak = end.nearness < WEAK
    change = ca.sqrt(ca.dot(end.inertias, (v - v_begin) ** 2) / moving)
    since = past.lingered + ca.if_else(past.nearness < WEAK, change, 0)
    lingered = ca.if_else(weak, since, 0)
    near = ca.fmin(past.nearness, end.nearness) < NEAR
    allowed = ca.if_else(near, TAKEN_NEAR**2, TAKEN**2)
    stops = ca.logic_or(lingered > LINGERS, end.taken > allowed * moving + floor)
    nothing = ca.if_else(stops, np.nan, 0)
    now = SingularityState(
        (end.v - v_begin) / h, end.nearness, lingered, ca.if_else(stops, t, past.stopped)
    )
    return end.q + nothing, end.v + nothing, now


def has_stopped(singularity_state: Array) -> NDArray[np.bool_]:
    """Which runs stopped at a singular posture, shape (...).

    Args:
        singularity_state: What runs carry, shape (..., n), with n = 0 without loops.
    """
    return np.asarray((singularity_state[..., -1:] < NEVER).any(axis=-1))


def is_near(mechanism: Mechanism, q: Array) -> bool:
    """Whether a posture is next to a singular one."""
    return min(loop_conditioning(mechanism, q).values(), default=1.0) < NEAR


def why_stopped(mechanism: Mechanism, q: Array, t: float) -> str:
    """Describe why a run stopped at a time, from its last posture."""
    loop, strength = min(loop_conditioning(mechanism, q).items(), key=lambda item: item[1])
    posture = np.array2string(q, precision=6, separator=", ", threshold=12)
    return (
        f"'{mechanism.name}' came to a singular posture at t = {t:.6g} s: there loop '{loop}' can "
        f"go on in several ways (it holds with {strength:.1g} of its usual strength), and the "
        f"velocity does not say in which. The posture was q = {posture}. Start or drive it so that "
        "it passes with more speed, or stays away."
    )
