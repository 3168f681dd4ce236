"""Experiments of the source: operator commands over fifteen seconds.

Five seconds of nothing, five of motion, five of nothing. The source's profiles for JOINT mode are
lost; these rates mirror the RESOLVED experiment, whose numbers it gives.
"""

from __future__ import annotations

from math import radians

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.machines.excavator.control import Four
from phalanx.simulation.setup.profile import Profile

DURATION = 15.0  # [s]
BEGIN, END = 5.0, 10.0  # of the motion [s]
JOINT_RATES: Four = (radians(3.0), radians(2.0), radians(4.0), radians(3.0))


def joint_experiment(rates: ArrayLike = JOINT_RATES) -> Profile:
    """Constant rates of swing, boom, stick and bucket [rad/s] for five seconds."""
    moving = np.asarray(rates, dtype=float)
    if moving.shape != (4,) or not np.isfinite(moving).all():
        raise InvalidInput(f"rates are {rates!r}; expected four finite numbers [rad/s].")
    return Profile(np.array([0.0, BEGIN, END]), np.stack([0 * moving, moving, 0 * moving]))


def resolved_experiment(
    start: float = 5.0, end: float = 6.5, swing: float = radians(15.0), period: float = 1e-2
) -> Profile:
    """Radius from start to end [m] while the cab turns by ``swing`` [rad], both evenly.

    The speed along the arc grows with the radius; it is given anew every ``period`` [s].

    Reference:
        Wong (1991), §5.5.2.
    """
    lasts = END - BEGIN
    count = round(lasts / period)
    times = BEGIN + period * np.arange(count)
    radial = (end - start) / lasts
    radius = start + radial * (times - BEGIN)
    moving = np.zeros((count, 4))
    moving[:, 0], moving[:, 1] = radial, radius * swing / lasts
    still = np.zeros((1, 4))
    return Profile(np.concatenate([[0.0], times, [END]]), np.concatenate([still, moving, still]))
