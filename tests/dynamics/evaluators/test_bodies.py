"""Nodes as arrays are the nodes of the symbolic tree."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings

import phalanx as px
import strategies
from phalanx.base.errors import InvalidModel
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies, bodies_of, runs
from phalanx.dynamics.evaluators.traversed.inertia import joints_without_inertia_by_traversal
from phalanx.equations.tree.build import build


def number(x: ca.SX) -> np.ndarray:
    return np.array(ca.DM(x))


def assert_same_nodes(bodies: Bodies, m: px.Mechanism) -> None:
    model = build(m)
    assert len(bodies) == len(model.nodes)
    for i, node in enumerate(model.nodes):
        assert FREEDOMS[bodies.freedom[i]] is node.freedom
        assert (bodies.parent[i], bodies.q[i], bodies.v[i]) == (node.parent, node.q, node.v)
        assert m.joints[bodies.joint[i]].name == node.joint
        R, p = node.placement.rotation.matrix, node.placement.translation
        np.testing.assert_allclose(bodies.rotation[i], number(R), atol=2e-15)
        np.testing.assert_allclose(bodies.translation[i], number(p)[:, 0], atol=1e-13)
        axes = node.freedom.axes(bodies.slide[i])
        np.testing.assert_allclose(number(axes.linear), number(node.axes.linear), atol=2e-15)
        np.testing.assert_allclose(bodies.mass[i], float(node.mass.m), rtol=1e-14)
        scale = 1e-10 + np.abs(number(node.mass.J)).max()
        np.testing.assert_allclose(bodies.first[i], number(node.mass.h)[:, 0], atol=1e-10)
        np.testing.assert_allclose(bodies.second[i], number(node.mass.J), atol=1e-10 * scale)
        own = slice(node.v, node.v + node.freedom.nv)
        np.testing.assert_allclose(bodies.armature[own], number(node.armature)[:, 0], rtol=1e-14)
    for name in m.frame_names:
        where, turned, shift = bodies.place(name)
        place = model.places[name]
        assert where == place.node
        np.testing.assert_allclose(turned, number(place.pose.rotation.full()), atol=1e-13)
        np.testing.assert_allclose(shift, number(place.pose.translation)[:, 0], atol=1e-12)


@given(strategies.mechanisms())
@settings(max_examples=40, deadline=None)
def test_same_nodes_as_the_symbolic_tree(m: px.Mechanism) -> None:
    if any(joint.mimic for joint in m.joints):
        with pytest.raises(InvalidModel, match="follows another"):
            bodies_of(m)
    else:
        assert_same_nodes(bodies_of(m), m)


def test_a_loop_is_refused_by_name() -> None:
    with pytest.raises(InvalidModel, match="closes on itself by the loop"):
        bodies_of(px.library.four_bar())


def test_runs_end_at_branches() -> None:
    bodies = bodies_of(px.library.chain(5, "universal"))
    assert bodies.is_chain
    assert runs(bodies) == [range(10)]
    torso = bodies_of(px.library.torso())
    covered = [i for run in runs(torso) for i in run]
    assert covered == list(range(len(torso)))
    for run in runs(torso):
        for i in run[1:]:
            assert torso.parent[i] == i - 1
            assert torso.children[i - 1] == 1


@pytest.mark.parametrize("joint", ["revolute", "universal"])
def test_links_of_a_very_long_chain_have_inertia(joint: str) -> None:
    """However little a link is against all that hangs on it."""
    assert joints_without_inertia_by_traversal(bodies_of(px.library.chain(30_000, joint))) == ()


def test_a_tip_on_its_own_axis_is_found_at_the_end_of_a_long_chain() -> None:
    """A point mass in the joint that carries it."""
    chain = px.library.chain(400, alternate=True)
    bodies = [*chain.bodies[:-1], px.Body(chain.bodies[-1].name, mass=1.0)]
    m = px.Mechanism("chain", bodies, chain.joints)
    assert joints_without_inertia_by_traversal(bodies_of(m)) == ("joint_400",)
