"""M⁻¹ by the sparse factorization."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq
from strategies import moving


@given(moving())
def test_times_the_mass_matrix_it_is_one(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    M = n.mass_matrix(x.q)
    if not M.size or np.linalg.cond(M) > 1e10:
        return
    inverse = n(eq.mass_matrix_inverse, x.q).reshape(M.shape)
    np.testing.assert_array_equal(inverse, inverse.T)
    # rounding grows with the condition of M
    assert np.abs(inverse @ M - np.eye(len(M))).max() < 1e-14 * max(10.0, np.linalg.cond(M))


def test_branches_that_nothing_ties_stay_apart():
    """Two arms on one table: forces at one do not accelerate the other."""
    arm = px.library.double_pendulum()
    bodies = [arm.bodies[0]]
    joints = []
    for side in "ab":
        for body, joint in zip(arm.bodies[1:], arm.joints, strict=True):
            parent = "base" if joint.parent == "base" else f"{joint.parent}_{side}"
            bodies.append(px.Body(f"{body.name}_{side}", body.mass, body.com, body.inertia))
            joints.append(
                px.Joint(
                    f"{joint.name}_{side}", parent, f"{body.name}_{side}", joint.motion, joint.pose
                )
            )
    f = px.expression(eq.mass_matrix_inverse, px.Mechanism("two arms", bodies, joints))
    assert f.nnz_out(0) == 8


def test_fewer_operations_than_solving_for_every_column():
    d = px.Dynamics(px.library.puma560())
    whole = d.operations("mass_matrix_inverse").total
    assert whole < 3 * d.operations("mass_solve").total
    assert whole < d.operations("forward_dynamics_derivatives").total


def test_a_machine_without_inertia_has_none():
    """A point mass on the axis of its own hinge."""
    shaft = px.Joint("shaft", "base", "bob", px.library.double_pendulum().joints[0].motion)
    d = px.Dynamics(px.Mechanism("light", [px.Body("base"), px.Body("bob", 1.0)], [shaft]))
    with pytest.raises(px.InvalidModel, match="shaft"):
        d.mass_matrix_inverse([0.0])


def test_of_a_machine_with_loops_it_is_that_of_the_tree():
    d = px.Dynamics(px.library.four_bar())
    q = px.assemble(d.mechanism).q
    assert d.full_name("mass_matrix_inverse") == "tree_mass_matrix_inverse"
    product = d.tree_mass_matrix_inverse(q) @ d.tree_mass_matrix(q)
    np.testing.assert_allclose(product, np.eye(d.mechanism.nv), atol=1e-12)
