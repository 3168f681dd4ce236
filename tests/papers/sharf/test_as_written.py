"""The paper's equations as dense matrices: the values of its small chain, and recursion beside."""

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidModel
from phalanx.studies.sharf import as_written, machines


def test_1_the_small_chain_by_the_equations_as_written():
    chain = as_written.moving(machines.small_chain(), *machines.SMALL_CHAIN_STATE)
    wanted = [0.11144387, 3.20843662, 15.61229016]
    assert np.allclose(chain.joint_accelerations, wanted, rtol=0, atol=1e-7)
    forces = [
        [0.83063776, 0.51238659, 15.61103457, -0.13334064, -8.70603457],
        [3.02870261, 0.45666465, 5.01769399, 0.07386981, 0.51712828],
        [0.49467253, 0.28610911, -2.48663211, -0.00001176, 0.15358039],
    ]
    assert np.allclose(chain.constraint_forces, np.ravel(forces), rtol=0, atol=1e-7)
    A, _ = chain.system
    eigenvalues = np.linalg.eigvalsh(A)
    assert eigenvalues[[0, -1]] == pytest.approx([0.2114025, 313.28477], rel=1e-6)
    assert np.trace(A) == pytest.approx(595.357143, rel=1e-8)


@pytest.mark.parametrize(
    "mechanism",
    [machines.substitute_arm(), machines.scaling_chain(6, 1), machines.scaling_chain(6, 2)],
    ids=lambda mechanism: mechanism.name,
)
def test_accelerations_are_those_of_recursion(mechanism):
    q, v = machines.bent(mechanism.nv, seed=1)
    tau = np.linspace(-1, 2, mechanism.nv)
    chain = as_written.moving(mechanism, q, v, tau)
    expected = px.Dynamics(mechanism).forward_dynamics(q, v, tau)
    assert np.allclose(chain.joint_accelerations, expected, rtol=1e-10, atol=1e-10)
    assert np.allclose(chain.rates, v, atol=1e-14)
    assert np.abs(chain.drift).max() < 1e-14


def test_what_a_joint_frees_and_what_it_holds_are_square_to_each_other():
    mechanism = machines.substitute_arm()
    chain = as_written.moving(mechanism, *machines.bent(5, seed=2), np.zeros(5))
    for P, Q in zip(chain.P, chain.Q, strict=True):
        assert np.abs(Q.T @ P).max() < 1e-15
        assert np.allclose(Q.T @ Q, np.eye(Q.shape[1]))


def test_velocities_that_joints_do_not_allow_fade_as_told():
    """Accelerations of bodies that do not move together: the gap changes by -decay times itself."""
    mechanism, decay = machines.small_chain(), 7.0
    q, v, tau = machines.SMALL_CHAIN_STATE
    torn = as_written.moving(mechanism, q, v, tau).v_sigma + np.linspace(-0.1, 0.2, 18).reshape(
        3, 6
    )
    chain = as_written.ChainAtMoment(mechanism, q, torn, tau, decay)
    h = 1e-6
    # Q does not depend on time here; T does, through the angles
    ahead, behind = (
        as_written.ChainAtMoment(
            mechanism, q + s * chain.rates, torn + s * chain.body_accelerations, tau
        ).drift
        for s in (h, -h)
    )
    assert np.allclose((ahead - behind) / (2 * h), -decay * chain.drift, atol=1e-7)


def test_other_machines_are_refused():
    with pytest.raises(InvalidModel, match="is spherical; expected turns"):
        as_written.links_of(px.library.chain(2, "spherical"))
