"""Sampling paths: q, v and a of a spline by our kernel and by SciPy, compared first, in turns.

Run ``python benchmarks/paths.py``. Times are ratios of one run, best of turns.
"""

import time
from functools import partial

import numpy as np
from scipy.interpolate import CubicSpline

import phalanx as px

TURNS = 7


def all_of(curve, t):
    """Positions, velocities and accelerations of a curve of SciPy's."""
    return [curve(t, order) for order in range(3)]


def best(*calls):
    """Seconds of each call, best of turns that they take one after the other."""
    seconds = np.full(len(calls), np.inf)
    for _ in range(TURNS):
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            seconds[k] = min(seconds[k], time.perf_counter() - begin)
    return seconds


rng = np.random.default_rng(0)
print("joints  pieces  order     samples   phalanx      SciPy   ratio")
for joints, pieces in ((6, 20), (7, 200)):
    at, points = np.linspace(0, 2, pieces + 1), rng.normal(size=(pieces + 1, joints))
    ours, theirs = px.planning.spline(points, at), CubicSpline(at, points, bc_type="clamped")
    for order in ("sorted", "random"):
        for count in (1000, 1_000_000):
            t = rng.uniform(0, 2, count)
            t = np.sort(t) if order == "sorted" else t
            for k, part in enumerate(ours(t)):
                np.testing.assert_allclose(part, theirs(t, k), atol=1e-8 * np.abs(part).max())
            a, b = best(partial(ours, t), partial(all_of, theirs, t))
            print(
                f"{joints:6}  {pieces:6}  {order:7} {count:9,} {1e9 * a / count:6.1f} ns "
                f"{1e9 * b / count:7.1f} ns  {b / a:5.2f}"
            )

arm = px.library.puma560()
d = px.Dynamics(arm, threads=1)
posture = np.array([0.1, -0.6, 0.3, 0.2, 0.8, 0.1])
here = d.forward_kinematics(posture, frame="tool")
there = here.copy()
there[:3, 3] += [0.1, 0.2, -0.1]
line = px.planning.line(here, there, 2.0)
(seconds,) = best(lambda: px.planning.follow_frame(d, line, posture, frame="tool"))
path = px.planning.follow_frame(d, line, posture, frame="tool")
t = np.linspace(0, 2, 20_001)
off = np.abs(d.forward_kinematics(path(t)[0], frame="tool") - line(t)[0]).max()
print(f"a line of 24 cm in {1e3 * seconds:.1f} ms, {1e6 * off:.2f} µm off at most")
