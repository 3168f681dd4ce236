"""A chain in Exudyn moves as ours does."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.bench.peers import Incomparable

pytest.importorskip("exudyn")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

STEPS, STEP = 50, 1e-3


# the same Runge-Kutta steps: rounding; implicit ones of second order: the step's square
@pytest.mark.parametrize(("way", "off"), [("tree", 1e-12), ("bodies", 1e-5)])
def test_a_chain_moves_as_ours(way: str, off: float) -> None:
    from phalanx.bench.peers.exudyn import build_run, tip

    m = px.library.chain(4, alternate=True)
    q = np.array([0.5, -0.3, 0.2, 0.4])
    ours = px.rollout(m, q[None], np.zeros((1, 4)), steps=STEPS, step=STEP, forces=()).final_q[0]
    run = build_run(m, q, way)
    end = run(STEPS, STEP)
    moved = np.abs(tip(m, ours) - tip(m, q)).max()
    assert moved > 1e-3
    assert np.abs(end - tip(m, ours)).max() < off * moved
    np.testing.assert_array_equal(run(STEPS, STEP), end)  # begins at q again


def test_what_it_cannot_hold_is_said() -> None:
    from phalanx.bench.peers.exudyn import build_run

    ball = px.library.chain(2, "spherical")
    with pytest.raises(Incomparable, match="no hinge"):
        build_run(ball, ball.neutral(), "tree")
