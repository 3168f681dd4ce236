"""What is taken when nobody chooses."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.dynamics.evaluators import automatic
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.segments import SegmentsSolver
from phalanx.dynamics.evaluators.serial import Serial, SerialSolver


def test_segments_for_one_state_of_a_long_run_and_the_same_numbers(monkeypatch) -> None:
    monkeypatch.setitem(automatic.SEGMENTED_FROM, "lanes", 50)
    m = px.library.chain(60, alternate=True)
    bodies = bodies_of(m)
    solver = Automatic().solver(bodies, 2)
    assert isinstance(solver.chosen(1), SegmentsSolver)
    assert isinstance(solver.chosen(8), SerialSolver)
    q = m.random_positions(3)
    v, tau = np.random.default_rng(0).standard_normal((2, 3, m.nv))
    together = solver.accelerations(q, v, tau, still_root(m))
    serial = Serial().solver(bodies, 1).accelerations(q, v, tau, still_root(m))
    np.testing.assert_array_equal(together, serial)
    alone = solver.accelerations(q[:1], v[:1], tau[:1], still_root(m))
    np.testing.assert_allclose(alone, serial[:1], atol=1e-10 * np.abs(serial).max())


def test_short_runs_are_taken_serially() -> None:
    solver = Automatic().solver(bodies_of(px.library.torso()), 2)
    assert isinstance(solver.chosen(1), SerialSolver)
    assert solver.depth == solver.chosen(1).depth
