"""Demonstration path."""

from __future__ import annotations

import numpy as np

from phalanx.base.arguments import checked, time, whole
from phalanx.base.memory import check_memory
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import check_machine, is_angle
from phalanx.planning.paths.splines import Waypoints

REACH = 0.9  # [rad] of an angle, or of a range of motion that is shorter
SHIFT = 0.2  # [m] of a length


@checked
def demo_waypoints(
    mechanism: Mechanism, duration: float = 3.0, points: int = 6, seed: int = 1
) -> Waypoints:
    """Waypoints within the joints' range, the last where the first was.

    Args:
        mechanism: The machine.
        duration: From the first to the last [s].
        points: How many.
        seed: Of the choice.

    Raises:
        InvalidModel: When the machine's positions are no curves over time.
    """
    check_machine(mechanism)
    duration, points = time("duration", duration), whole("points", points, least=3)
    seed = whole("seed", seed, least=0)
    check_memory("the waypoints", 24.0 * points * mechanism.nv, "Take fewer points.")
    joints = mechanism.moving_joints
    lower, upper = (
        np.concatenate([np.asarray(getattr(joint, name)) for joint in joints])
        for name in ("lower", "upper")
    )
    usual = np.where(is_angle(mechanism), REACH, SHIFT)
    low, high = np.maximum(lower, -10 * usual), np.minimum(upper, 10 * usual)
    middle = np.clip(0.0, low + 0.1 * (high - low), high - 0.1 * (high - low))
    reach = np.minimum(usual, 0.8 * np.minimum(high - middle, middle - low))
    rng = np.random.default_rng(seed)
    positions = middle + reach * rng.uniform(-1, 1, (points, mechanism.nv))
    positions[-1] = positions[0]
    return Waypoints(np.linspace(0.0, duration, points), positions)
