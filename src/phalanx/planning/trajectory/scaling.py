"""Uniform time scaling: one speed for the whole path, so that its joints can do it.

Going through a path c times as fast multiplies velocities by c and accelerations by c². What joints
need beyond gravity is quadratic in velocities and linear in accelerations, so

    tau(c) = g(q) + c² (tau(1) - g(q)),

and every row and joint allows an interval of c². No dynamics are computed again.

Reference:
    Hollerbach, Dynamic scaling of manipulator trajectories (ASME J. DSMC 106, 1984), which Lathrop
    (1983), ch. VIII, names as what edits the register.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.rows import Rows
from phalanx.planning.trajectory.limits import Limits

Array = NDArray[np.float64]

ROUNDING = 1e-12  # of a joint's largest torque: what differs by less from gravity does not move
TRIES = 50  # to find a speed at which the rows that it has keep all limits
CLOSER = 60  # halvings of an interval


class Infeasible(PhalanxError):
    """A path that no speed makes possible, with the joint and the time where that is seen."""


@final
@dataclass(frozen=True)
class UniformScaling:
    """Speeds at which a path can be gone through, as multiples of the one given.

    Attributes:
        slowest: The lowest; above 0 only where gravity alone is more than a joint can hold and the
            motion helps it.
        fastest: The highest; infinite where nothing limits it.
        quantity: What limits the highest: ``"torque"``, ``"torque rate"``, ``"velocity"`` or, if
            nothing does, ``"nothing"``.
        joint: Whose limit that is.
        row: And in which row of those given.
    """

    slowest: float
    fastest: float
    quantity: str
    joint: str
    row: int

    @property
    def speed(self) -> float:
        """The one nearest to the path as given: 1 where that is possible."""
        return float(np.clip(1.0, self.slowest, self.fastest))

    def __str__(self) -> str:
        if self.quantity == "nothing":
            return "any speed is possible: nothing limits it"
        share = abs(self.fastest - 1)
        way = f"{share:.1%} {'slower' if self.fastest < 1 else 'faster'}"
        if share < 5e-4:
            way = "as it is"
        return (
            f"at most {self.fastest:.4g} times as fast, {way}: {self.quantity} of {self.joint} in "
            f"row {self.row}"
        )


@checked
def uniform_scaling(
    machine: Mechanism | Dynamics, rows: Rows, limits: Limits | None = None
) -> UniformScaling:
    """How fast rows can be gone through within limits of torque, torque rate and velocity.

    Args:
        machine: A mechanism, or its dynamics.
        rows: The motion.
        limits: Of the joints; the machine's own when not given.

    Raises:
        Infeasible: When there is no such speed; with joint and time.
    """
    dynamics = dynamics_of(machine)
    limits = limits or Limits.of(dynamics.mechanism)
    q, v, a = rows.parts
    gravity = np.asarray(dynamics.gravity(q))
    motion = np.asarray(dynamics.inverse_dynamics(q, v, a)) - gravity
    largest = np.abs(motion).max(axis=0) + np.abs(gravity).max(axis=0)
    motion = np.where(np.abs(motion) > ROUNDING * largest, motion, 0.0)

    low, high = _squares(gravity, motion, limits)
    with np.errstate(divide="ignore"):
        by_velocity = np.where(v != 0, limits.velocity / np.abs(v), np.inf)
    row, joint = np.unravel_index(np.argmin(high), high.shape)
    found: list[tuple[float, str, Any, Any]] = [
        (float(np.sqrt(max(high[row, joint], 0.0))), "torque", row, joint)
    ]
    row, joint = np.unravel_index(np.argmin(by_velocity), by_velocity.shape)
    found.append((float(by_velocity[row, joint]), "velocity", row, joint))
    if np.isfinite(limits.torque_rate).any() and len(rows) > 1:
        fastest = min(speed for speed, *_ in found)
        found.append(_by_rate(gravity, motion, limits, rows.step, fastest))
    fastest, quantity, row, joint = min(found, key=lambda one: one[0])
    slowest = float(np.sqrt(low.max()))
    if slowest > fastest or fastest <= 0:
        raise _infeasible(rows, gravity, limits)
    if not np.isfinite(fastest):
        quantity = "nothing"
    return UniformScaling(slowest, fastest, quantity, limits.joints[joint], int(row))


def fitted(
    machine: Mechanism | Dynamics,
    path: Path,
    step: float,
    limits: Limits | None = None,
    *,
    faster: bool = False,
) -> tuple[Path, float]:
    """The path at a speed at which its rows keep all limits of torque, torque rate and velocity.

    Rows of another speed lie elsewhere on the path, where more may be needed than in those that
    were looked at; so they are looked at again until all keep the limits.

    Args:
        machine: A mechanism, or its dynamics.
        path: The path.
        step: Time between rows [s].
        limits: Of the joints; the machine's own when not given.
        faster: Whether a path that is possible is to be gone through as fast as it can be.

    Returns:
        The path at its new speed, and this speed as a multiple of the old one.

    Raises:
        Infeasible: When there is no such speed.
        InvalidInput: When nothing limits the speed and the fastest is asked for.
    """
    dynamics = dynamics_of(machine)
    first = uniform_scaling(dynamics, path.sample(step), limits)
    speed = first.fastest if faster else first.speed
    if not np.isfinite(speed):
        raise InvalidInput(
            f"nothing limits the speed of '{dynamics.mechanism.name}' on this path; give limits of "
            "torque or velocity."
        )
    for _ in range(TRIES):
        further = uniform_scaling(dynamics, path.faster(speed).sample(step), limits)
        if further.slowest <= 1.0 <= further.fastest:
            return path.faster(speed), speed
        # a little below, or rounding would go on for ever
        speed *= further.speed * (1 - 1e-9) if further.fastest < 1.0 else further.speed
    raise Infeasible(
        f"no speed of this path was found at which its rows, {step:g} s apart, keep all limits, "
        f"though {speed:.4g} times the given one is near. Take a shorter step."
    )


def _squares(gravity: Array, motion: Array, limits: Limits) -> tuple[Array, Array]:
    """Lowest and highest c² that every row and joint allows, each (m, n)."""
    lower, upper = limits.torque[:, 0], limits.torque[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        to_upper, to_lower = (upper - gravity) / motion, (lower - gravity) / motion
    high = np.where(motion > 0, to_upper, np.where(motion < 0, to_lower, np.inf))
    low = np.where(motion > 0, to_lower, np.where(motion < 0, to_upper, 0.0))
    # where nothing moves, no speed helps
    held = (lower <= gravity) & (gravity <= upper)
    low = np.where((motion == 0) & ~held, np.inf, np.maximum(low, 0.0))
    return low, high


def _by_rate(
    gravity: Array, motion: Array, limits: Limits, step: float, fastest: float
) -> tuple[float, str, int, int]:
    """The speed up to which no torque changes too quickly: d tau/dt = c g' + c³ (tau - g)'."""
    g, d = np.diff(gravity, axis=0) / step, np.diff(motion, axis=0) / step
    limit = np.broadcast_to(limits.torque_rate, g.shape)

    def most(c: float) -> Array:
        """The largest share of the limit at any speed up to c."""
        with np.errstate(divide="ignore", invalid="ignore"):
            turning = np.sqrt(np.where(g * d < 0, -g / (3 * d), 0.0))
        between = np.where(turning < c, turning, 0.0)
        rates = [np.abs(x * g + x**3 * d) for x in (np.full_like(g, c), between)]
        return np.maximum(*rates) / limit

    low, high = 0.0, fastest if np.isfinite(fastest) else 1.0
    while not np.isfinite(fastest) and most(high).max() < 1:
        if high > 1e6:
            return np.inf, "torque rate", 0, 0
        high *= 2
    if most(high).max() > 1:
        for _ in range(CLOSER):
            middle = (low + high) / 2
            low, high = (low, middle) if most(middle).max() > 1 else (middle, high)
        row, joint = np.unravel_index(np.argmax(most(high)), g.shape)
        return low, "torque rate", int(row) + 1, int(joint)
    return np.inf, "torque rate", 0, 0


def _infeasible(rows: Rows, gravity: Array, limits: Limits) -> Infeasible:
    """Where gravity is furthest beyond what a joint can hold: slowness does not help there."""
    beyond = np.maximum(gravity - limits.torque[:, 1], limits.torque[:, 0] - gravity)
    row, joint = (int(k) for k in np.unravel_index(np.argmax(beyond), beyond.shape))
    lower, upper = limits.torque[joint]
    return Infeasible(
        f"no speed makes this path possible: gravity alone needs {gravity[row, joint]:.4g} of "
        f"joint '{limits.joints[joint]}' at {row * rows.step:.4g} s (row {row}), which is allowed "
        f"{lower:.4g} to {upper:.4g}. Choose another path, or stronger joints."
    )
