"""Segments give what the serial sweep gives, wherever a machine is cut."""

from __future__ import annotations

import concurrent.futures

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
import strategies
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.dynamics.evaluators.bodies import bodies_of, runs
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.segments import Segments, best_cut
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.dynamics.evaluators.traversal import node_type_numbers


def state(m: px.Mechanism, samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    v, tau = rng.standard_normal((2, samples, m.nv))
    return m.random_positions(samples), v, tau


def agree(m: px.Mechanism, wanted: int, threads: int = 2, samples: int = 1) -> None:
    bodies, q_v_tau, n = bodies_of(m), state(m, samples), len(bodies_of(m))
    rng = np.random.default_rng(4)
    root, external = rng.standard_normal((samples, 9)), rng.standard_normal((samples, n, 6))
    expected = Serial().solver(bodies, 1).accelerations(*q_v_tau, root, external)
    a = Segments(wanted).solver(bodies, threads).accelerations(*q_v_tau, root, external)
    np.testing.assert_allclose(a, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("wanted", [1, 2, 3, 8])
@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
def test_chains(joint: str, wanted: int) -> None:
    agree(px.library.chain(17, joint), wanted)


def test_alternating_hinges_on_threads_and_in_batches() -> None:
    agree(px.library.chain(203, alternate=True), 16, threads=3, samples=3)


@given(strategies.mechanisms(), st.sampled_from([1, 2, 5]))
@settings(max_examples=4, deadline=None)
def test_any_tree(m: px.Mechanism, wanted: int) -> None:
    """A run of it is cut, the rest is what lies between."""
    if m.nv and not any(joint.mimic for joint in m.joints):
        agree(m, wanted)


def test_a_cut_takes_whole_patterns_of_one_run_and_ends_on_a_body() -> None:
    for m in (px.library.chain(50, "universal"), px.library.chain(31, alternate=True)):
        bodies = bodies_of(m)
        kind = node_type_numbers(bodies, node_types_of(bodies))
        for wanted in (1, 2, 3, 7, 8, 100):
            cut = best_cut(bodies, kind, wanted)
            assert 1 <= cut.count <= wanted
            assert len(cut.nodes) >= 0.7 * len(bodies)
            assert any(
                run.start <= cut.first and cut.nodes.stop <= run.stop for run in runs(bodies)
            )
            of_segments = kind[cut.first : cut.nodes.stop].reshape(cut.count, cut.length)
            assert (of_segments == of_segments[0]).all()
            assert not bodies.massless[cut.nodes.stop - 1]


def test_depth_is_that_of_a_segment_and_of_what_lies_between() -> None:
    solver = Segments(8).solver(bodies_of(px.library.chain(801, alternate=True)), 2)
    assert solver.cut.length == 100
    assert solver.depth == 3 * 100 + 3 * (8 + 1)


def test_calls_from_several_threads_wait_for_each_other() -> None:
    m = px.library.chain(60, alternate=True)
    q, v, tau = state(m, 12)
    solver = Segments(8).solver(bodies_of(m), 2)
    expected = solver.accelerations(q, v, tau, still_root(m))

    def one(k: int) -> np.ndarray:
        own = slice(k, k + 1)
        return solver.accelerations(q[own], v[own], tau[own], still_root(m))[0]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        np.testing.assert_array_equal(list(pool.map(one, range(12))), expected)


def test_bad_cuts_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one"):
        Segments(0)
    still = px.Mechanism("stone", [px.Body("stone", 1.0, np.zeros(3), np.eye(3))])
    with pytest.raises(InvalidModel, match="nothing to share out"):
        Segments().solver(bodies_of(still), 1)
