"""Consistent states of the planar 3-RRR."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from phalanx.equations.loops.numbers.bases import held, selector
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan.bench import bench

MOTORS = (0, 2, 4)


def terms():
    return terms_of(bench().mechanism)


def with_motor_rates(q, rates):
    """Velocities of all joints that go with those of the motors."""
    return held(terms().place(q)[2], selector(9, MOTORS)).S @ np.asarray(rates)


def closed(q):
    """The posture near by with the same motors in which the loops close, by Newton's method."""
    N = selector(9, MOTORS)
    for _ in range(15):
        _, c, A = terms().place(q)
        if np.abs(c).max() < 1e-14:
            return q
        q = q + terms().motion(q, -held(A, N).R @ c)[2]
    return q if np.abs(c).max() < 1e-12 else None


def golden():
    """The state of the spec: the posture of the motion at 1 s, other velocities and torques."""
    q = bench().q[np.searchsorted(bench().t, 1.0)]
    tau = np.zeros(9)
    tau[list(MOTORS)] = 5.0, -10.0, 40.0
    return q, with_motor_rates(q, (0.3, -0.2, 0.5)), tau


@lru_cache(maxsize=1)
def scattered(count=500):
    """Postures about the whole motion, with random velocities and torques: q, v, tau.

    Motors are moved from where the motion has them and the loops closed again; postures that do not
    close, or from which the motors can hardly move the machine, are none that the machine takes.
    """
    rng = np.random.default_rng(2002)
    q, v = [], []
    while len(q) < count:
        guess = bench().q[rng.integers(len(bench().q))].copy()
        guess[list(MOTORS)] += 0.2 * rng.standard_normal(3)
        posture = closed(guess)
        if posture is None:
            continue
        A = terms().place(posture)[2]
        if np.linalg.cond(np.vstack([A, selector(9, MOTORS).T])) < 200:
            q.append(posture)
            v.append(with_motor_rates(posture, rng.standard_normal(3)))
    tau = np.zeros((count, 9))
    tau[:, list(MOTORS)] = 20 * rng.standard_normal((count, 3))
    return np.array(q), np.array(v), tau
