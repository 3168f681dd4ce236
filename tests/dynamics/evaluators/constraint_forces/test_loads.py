"""Loads in joints are those that inverse dynamics finds, split into what is held and driven."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
import strategies
from dynamics.evaluators.constraint_forces import machines
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.methods import BlockTridiagonal
from phalanx.dynamics.evaluators.method import still_root
from phalanx.equations.quantities.reactions import reactions
from phalanx.view.plots.load_plots import joint_loads


def test_loads_of_every_joint_type_are_its_reactions() -> None:
    m = px.release_mimics(strategies.menagerie())
    q, v, tau = machines.states(m, 2)
    root = still_root(m, 2)
    solver = BlockTridiagonal().solver(bodies_of(m), 1)
    loads = solver.joint_loads(q, v, tau, root)
    a = solver.accelerations(q, v, tau, root)
    symbols = [ca.SX.sym(name, size) for name, size in (("q", m.nq), ("v", m.nv), ("a", m.nv))]
    expected = ca.Function("reactions", symbols, list(reactions(m, *symbols)))
    for k in range(2):
        force, moment = (np.array(x) for x in expected(q[k], v[k], a[k]))
        scale = max(np.abs(force).max(), np.abs(moment).max())
        np.testing.assert_allclose(loads.force[k], force, atol=1e-10 * scale)
        np.testing.assert_allclose(loads.moment[k], moment, atol=1e-10 * scale)
    # what bearings hold does no work on what the drive moves
    work = np.einsum("snk,snk->sn", loads.constraint, loads.drive)
    sizes = np.linalg.norm(loads.constraint, axis=-1) * np.linalg.norm(loads.drive, axis=-1)
    assert (np.abs(work) <= 1e-12 * sizes.max()).all()


def test_a_brake_holds_what_the_drive_would() -> None:
    """Locked joints carry the moment that keeps a machine still."""
    m = px.library.chain(3)
    q, still = np.array([0.4, -0.2, 0.9]), np.zeros(3)
    held = px.evaluators.joint_loads(m, q, still, still, locked=[joint.name for joint in m.joints])
    tau = px.Dynamics(m).inverse_dynamics(q, still, still)
    driven = px.evaluators.joint_loads(m, q, still, tau)
    np.testing.assert_allclose(held.force, driven.force, atol=1e-10)
    np.testing.assert_allclose(held.moment, driven.moment, atol=1e-10)
    assert not held.drive.any()
    both = px.evaluators.joint_loads(m, np.array([q, q]), still, [tau, tau])
    np.testing.assert_array_equal(both.moment[1], driven.moment[0])


def test_states_of_loads_are_checked() -> None:
    m = px.library.chain(3)
    q = np.zeros(3)
    with pytest.raises(InvalidInput, match=r"'v' .* has shape \(4,\); expected \(3,\)"):
        px.evaluators.joint_loads(m, q, np.zeros(4), q)
    with pytest.raises(InvalidInput, match="have 2, 1, 3 samples"):
        px.evaluators.joint_loads(m, np.zeros((2, 3)), q, np.zeros((3, 3)))
    with pytest.raises(InvalidInput, match="nan at"):
        px.evaluators.joint_loads(m, q, q, np.full(3, np.nan))
    with pytest.raises(UnknownName, match="no moving joint 'elbow'"):
        px.evaluators.joint_loads(m, q, q, q, locked=["elbow"])


def test_a_hanging_chain_carries_what_is_below() -> None:
    m = px.library.chain(40, mass=2.0, gravity=(0.0, 0.0, -10.0))
    still = np.zeros((1, m.nv))
    loads = px.evaluators.joint_loads(m, m.neutral(), still, still)
    np.testing.assert_allclose(loads.force[0, :, 2], 20.0 * np.arange(40, 0, -1), rtol=1e-12)
    force, moment = loads.of("joint_40")
    np.testing.assert_allclose(force, [[0, 0, 20.0]], atol=1e-12)
    np.testing.assert_allclose(moment, 0.0, atol=1e-12)
    with pytest.raises(UnknownName, match="no moving joint 'joint_41'"):
        loads.of("joint_41")
    figure = joint_loads(loads)
    assert [axes.get_ylabel() for axes in figure.axes] == ["force [N]", "moment [N·m]"]
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), loads.force[0, :, 2])
    with pytest.raises(InvalidInput, match="sample 1 of joint loads"):
        joint_loads(loads, 1)
