"""Forward dynamics by passes is that of the unrolled equations, for every joint and every tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
import strategies
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.equations import forward_dynamics


def agree(m: px.Mechanism, samples: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    q = m.random_positions(samples, seed)
    v, tau = rng.standard_normal((2, samples, m.nv))
    unrolled = px.Dynamics(m, forward=forward_dynamics.articulated_body, cache=False)
    expected = unrolled.forward_dynamics(q, v, tau)
    a = Serial().solver(bodies_of(m), 1).accelerations(q, v, tau, still_root(m))
    # forces that accelerations ask for differ by rounding, whatever the condition of M
    asked = unrolled.inverse_dynamics(q, v, a) - unrolled.inverse_dynamics(q, v, expected)
    scale = 1 + np.abs(unrolled.mass_matrix(q)).max() * np.abs(expected).max()
    assert np.abs(asked).max() < 1e-11 * scale


@given(strategies.mechanisms(), st.sampled_from([1, 3, 4, 5]))
@settings(max_examples=6, deadline=None)
def test_any_tree(m: px.Mechanism, samples: int) -> None:
    if m.nv and not any(joint.mimic for joint in m.joints):
        agree(m, samples)


@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
@pytest.mark.parametrize("samples", [1, 7, 8, 9])
def test_chains(joint: str, samples: int) -> None:
    agree(px.library.chain(6, joint), samples)


def test_samples_do_not_depend_on_their_batch() -> None:
    """To the bit: lanes compute what scalars do."""
    m = px.library.chain(40, alternate=True)
    q = m.random_positions(9)
    v, tau = np.random.default_rng(0).standard_normal((2, 9, m.nv))
    solver = Serial().solver(bodies_of(m), 2)
    together = solver.accelerations(q, v, tau, still_root(m))
    for k in range(9):
        one = slice(k, k + 1)
        alone = solver.accelerations(q[one], v[one], tau[one], still_root(m))
        np.testing.assert_array_equal(alone[0], together[k])


def test_depth_is_three_passes_along_the_longest_branch() -> None:
    assert Serial().solver(bodies_of(px.library.chain(8)), 1).depth == 24
    torso = bodies_of(px.library.torso())
    assert Serial().solver(torso, 1).depth < 3 * len(torso) or torso.is_chain
