"""The peak of a joint is where it is nearest to a limit, or furthest beyond."""

from __future__ import annotations

import numpy as np

from phalanx.planning import TrajectoryTable, joint_peaks
from planning.trajectory.arms import cart


def peak_of(a, **options):
    a = np.array(a, dtype=float)[:, None]
    v = np.linspace(0, -2, len(a))[:, None]
    (peak,) = joint_peaks(TrajectoryTable(cart(velocity_limit=4.0), v, v, a, 0.1, **options))
    return peak


def test_by_what_is_left_to_the_limit():
    peak = peak_of([1, 4, -3, 0], torque_limits=[[-6.5, 100.0]])
    assert (peak.torque, peak.limit, peak.time) == (-6.0, -6.5, 0.2)
    assert peak.share == 6 / 6.5
    assert (peak.velocity, peak.velocity_limit) == (2.0, 4.0)


def test_without_limits_by_size():
    peak = peak_of([1, 4, -3, 0])
    assert (peak.torque, peak.limit, peak.share) == (8.0, np.inf, 0.0)


def test_beyond():
    peak = peak_of([1, 4, -3, 0], torque_limits=5.0)
    assert (peak.torque, peak.limit, peak.share) == (8.0, 5.0, 1.6)
