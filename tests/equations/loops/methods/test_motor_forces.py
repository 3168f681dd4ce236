"""Forces of motors: with them, forward dynamics gives the accelerations that were asked for."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.methods.elimination import solve_by_loops
from phalanx.equations.loops.methods.motor_forces import motor_forces

MACHINES = ("four_bar", "slider_crank", "five_bar", "planar_3rrr", "delta", "bucket_linkage")


def state(mechanism, seed):
    """A closed state near zero, and accelerations for its motors."""
    rng = np.random.default_rng(seed)
    guess = mechanism.neutral() + 0.03 * rng.standard_normal(mechanism.nq)
    found = px.assemble(mechanism, guess, rng.standard_normal(mechanism.nv))
    return found.q, found.v, rng.standard_normal(len(mechanism.actuated_joints))


@pytest.mark.parametrize("name", MACHINES)
def test_motors_accelerate_as_wanted_and_nothing_else_is_driven(name):
    m = px.library.by_name(name)
    motors = [joint.name for joint in m.actuated_joints]
    rates = [m.v_slices[name].start for name in motors]
    q, v, w = (ca.SX.sym(s, n) for s, n in (("q", m.nq), ("v", m.nv), ("w", len(motors))))
    forces = ca.Function("forces", [q, v, w], [motor_forces(m, q, v, w, motors=motors)])
    accelerations = px.expression(px.equations.loops.multipliers, m)
    for seed in range(3):
        at_q, at_v, wanted = state(m, seed)
        tau = forces(at_q, at_v, wanted)
        assert not np.delete(np.asarray(tau).ravel(), rates).any()
        a = np.asarray(accelerations(at_q, at_v, tau)).ravel()
        np.testing.assert_allclose(a[rates], wanted, rtol=0, atol=1e-9)


def test_too_many_motors_are_refused():
    m = px.library.four_bar()
    q, v, w = (ca.SX.sym(s, n) for s, n in (("q", 3), ("v", 3), ("w", 2)))
    with pytest.raises(px.InvalidInput, match=r"1 degrees of freedom .* have 2"):
        motor_forces(m, q, v, w, motors=["crank", "rocker"])


@pytest.mark.parametrize("seed", range(4))
def test_equations_are_solved_loop_by_loop(seed):
    """Against LAPACK: three loops of three, two and one equations, two joints in all of them."""
    rng = np.random.default_rng(seed)
    loops = ["a", "a", "a", "b", "b", "c"]
    A = np.zeros((6, 6))
    A[:3, :2] = rng.standard_normal((3, 2))
    A[3:5, 2:4] = rng.standard_normal((2, 2))
    A[:, 4:] = rng.standard_normal((6, 2))
    A[0, 0] = 0.0  # a zero where elimination without exchange of rows would divide by it
    right = rng.standard_normal((6, 3))
    symbols = ca.SX.sym("A", ca.sparsify(ca.DM(A)).sparsity().unite(ca.Sparsity.diag(6)))
    f = ca.Function("f", [symbols], [solve_by_loops(symbols, ca.SX(ca.DM(right)), loops)])
    np.testing.assert_allclose(f(ca.DM(A)), np.linalg.solve(A, right), rtol=1e-10, atol=1e-10)
