from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.sweeps.study_files.objectives import OBJECTIVES, Distance, Effort, JointWork

RATES = {
    "effort": (Effort(), lambda q, v, tau: (tau**2).sum(axis=-1)),
    "work": (JointWork(), lambda q, v, tau: np.abs(tau * v).sum(axis=-1)),
    "distance": (
        Distance((0.1, -0.2)),
        lambda q, v, tau: ((q - [0.1, -0.2]) ** 2).sum(axis=-1),
    ),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_costs_are_integrals_of_their_rates(name):
    """Against the trapezoidal rule over recorded states; both are exact as steps get short."""
    rate, numbers = RATES[name]
    law = px.proportional_derivative([0.4, 0.3], stiffness=30, damping=4)
    start = np.array([0.3, 0.1]), np.array([0.5, -0.5])
    run = px.rollout(
        px.library.double_pendulum(),
        *start,
        steps=400,
        step=5e-4,
        control=law,
        objective=rate,
        record=("q", "v", "tau"),
    )
    q, v = (np.concatenate([x0[None], x]) for x0, x in zip(start, (run.q, run.v), strict=True))
    tau = 30 * ([0.4, 0.3] - q) - 4 * v
    sampled = np.trapezoid(numbers(q, v, tau), dx=5e-4)
    # |tau v| has corners, where a step of the rule is of first order
    assert float(run.cost) == pytest.approx(sampled, rel=1e-4)
