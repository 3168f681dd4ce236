"""Products with the mass matrix and its inverse are those of the matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import phalanx as px
import strategies
from evaluate import Numbers
from phalanx import equations as eq
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import joints_without_inertia
from strategies import State


@given(strategies.moving())
@settings(max_examples=25, deadline=None)
def test_products_are_those_of_the_matrix(drawn: tuple[Mechanism, State]) -> None:
    mechanism, state = drawn
    n = Numbers(mechanism)
    M = np.reshape(n(px.mass_matrix.composite_body, state.q), (mechanism.nv, mechanism.nv))
    f = M @ state.a
    found = n(eq.mass_times, state.q, state.a)
    np.testing.assert_allclose(found, f, rtol=1e-10, atol=1e-11 * np.abs(f).max(initial=1.0))
    if not joints_without_inertia(mechanism):
        x = n(eq.mass_solve, state.q, f)
        tolerance = 1e-14 * np.linalg.cond(M) * np.abs(state.a).max()
        np.testing.assert_allclose(x, state.a, atol=max(tolerance, 1e-10))


def test_of_the_spanning_tree_where_there_are_loops() -> None:
    linkage = px.Dynamics(px.library.four_bar())
    q, x = px.assemble(linkage.mechanism).q, np.arange(1.0, 1.0 + linkage.mechanism.nv)
    f = linkage.mass_times(q, x)
    np.testing.assert_allclose(f, linkage.tree_mass_matrix(q) @ x, rtol=1e-12)
    np.testing.assert_allclose(linkage.tree_mass_solve(q, f), x, rtol=1e-10)
    assert linkage.full_name("mass_solve") == "tree_mass_solve"
