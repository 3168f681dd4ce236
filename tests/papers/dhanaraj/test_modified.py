"""Dhanaraj (1990), sec. 2.3: the modified Newton-Euler algorithm against the conventional one.

Acceptance checks 1 and 3 of the spec. Both algorithms are also compared with ``recursive``, which
tests/physics pins by the virtual power of all bodies.
"""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.inverse_dynamics.modified import slid_matrix
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Rotation, acceleration_matrix
from phalanx.equations.tree.node import quaternion_matrix
from phalanx.mechanism.read.denavit_hartenberg import DenavitHartenbergRow, from_denavit_hartenberg
from strategies import menagerie, moving, random_body, state_of

ROUNDING = 1e-11  # sums over eight bodies of terms of one size
METHODS = [px.inverse_dynamics.modified, px.inverse_dynamics.conventional]
WRENCH = np.array([3.0, -5.0, 7.0, 0.4, -0.2, 0.9])


def chain(joints: str, *, principal: bool, seed: int) -> px.Mechanism:
    """Random links on Craig's frames, ``R`` revolute and ``P`` prismatic."""
    rng = np.random.default_rng(seed)
    rows = [
        DenavitHartenbergRow(*rng.uniform(-1, 1, 2), *rng.uniform(-1, 1, 2), prismatic=kind == "P")
        for kind in joints
    ]
    links = [random_body(rng, f"link_{i}", aligned=principal) for i in range(len(joints))]
    return from_denavit_hartenberg(joints, rows, links)


@pytest.mark.parametrize("principal", [True, False], ids=["diagonal I", "full I"])
@pytest.mark.parametrize("joints", ["RRRRRR", "RRPRRR"])
def test_modified_is_conventional(joints, principal):
    for seed in range(3):
        arm = chain(joints, principal=principal, seed=seed)
        n, x = Numbers(arm), state_of(arm, seed)
        modified, conventional = (n(method, x.q, x.v, x.a) for method in METHODS)
        assert np.abs(modified - conventional).max() < 1e-10
        assert np.abs(conventional).max() > 1.0


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
@settings(max_examples=12)
@given(machine=moving())
def test_every_kind_of_joint(method, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(method, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), ROUNDING)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_wrenches_and_a_moving_base(method):
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 3)
    base = np.arange(1.0, 7.0), np.arange(-3.0, 3.0)
    given = (x.q, x.v, x.a, WRENCH, 2 * WRENCH, *base)
    options = {"wrenches": ["tool", "b0"], "moving_base": True}
    wanted = n(px.inverse_dynamics.recursive, *given, **options)
    close(n(method, *given, **options), wanted, ROUNDING)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_open_masses_and_lengths(method):
    arm = px.library.puma560()
    parameters = ("link_3.mass", "link_4.inertia", "joint_4.position")
    x = state_of(arm, 1)
    given = (6.5, [0.02, 0.001, -0.002, 0.03, 0.003, 0.04], [0.1, -0.2, 0.3])
    n = Numbers(arm, parameters)
    wanted = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, *given)
    close(n(method, x.q, x.v, x.a, *given), wanted, ROUNDING)


def test_a_method_is_a_choice_of_dynamics():
    arm = px.library.stanford()
    q, v, a = np.random.default_rng(0).standard_normal((3, 100, 6))
    chosen = px.Dynamics(arm, inverse=px.inverse_dynamics.modified).inverse_dynamics(q, v, a)
    close(chosen, px.Dynamics(arm).inverse_dynamics(q, v, a), ROUNDING)


def rotation_and_rates(seed: int) -> tuple[ca.SX, ca.SX, ca.SX]:
    rng = np.random.default_rng(seed)
    quaternion, w, dw = (ca.SX(ca.DM(rng.standard_normal(k))) for k in (4, 3, 3))
    return quaternion_matrix(quaternion), w, dw


def lambda_of(w: ca.SX, dw: ca.SX) -> np.ndarray:
    """The definition: [dw]x + [w]x [w]x."""
    return np.array(ca.DM(ca.skew(dw) + ca.skew(w) @ ca.skew(w)))


@pytest.mark.parametrize("seed", range(5))
def test_lambda_passes_a_prismatic_joint_as_its_transpose_not_as_printed(seed):
    """Eq. 2.29, 2.37 to 2.39 and table 2.4 print R lambda Rᵀ, which is another matrix."""
    R, w, dw = rotation_and_rates(seed)
    L = acceleration_matrix(w, dw)
    rebuilt = lambda_of(R.T @ w, R.T @ dw)
    np.testing.assert_allclose(ca.DM(slid_matrix(Rotation(R), L)), rebuilt, rtol=0, atol=1e-12)
    assert np.abs(np.array(ca.DM(R @ L @ R.T)) - rebuilt).max() > 0.1


def test_lambda_through_the_stanford_boom_needs_no_operation():
    """R_3 = Rx(90°) permutes and changes signs, as the corrected eq. 2.39 says."""
    names = [[f"L{i}{j}" for j in (1, 2, 3)] for i in (1, 2, 3)]
    L = ca.vertcat(*(ca.horzcat(*(ca.SX.sym(name) for name in row)) for row in names))
    turned = slid_matrix(Rotation(ca.SX([[1, 0, 0], [0, 0, -1], [0, 1, 0]])), L)
    corrected = [
        ["L11", "L13", "(-L12)"],
        ["L31", "L33", "(-L32)"],
        ["(-L21)", "(-L23)", "L22"],
    ]
    assert [[str(turned[i, j]) for j in range(3)] for i in range(3)] == corrected


def test_named_intermediates_are_what_their_names_say():
    """Velocities and joint reactions under their names, against kinematics of other files."""
    arm = px.library.puma560_arm()
    x = state_of(arm, 2)
    f = px.expression(px.inverse_dynamics.modified, arm, named=True)
    assert f.name_out()[0] == "tau"
    value = {
        name: float(value)
        for name, value in zip(f.name_out()[1:], f(x.q, x.v, x.a)[1:], strict=True)
    }
    n = Numbers(arm)
    R = n(eq.forward_kinematics, x.q, frame="link_3")[:3, :3]
    w = R.T @ n(eq.frame_velocity, x.q, x.v, frame="link_3")[3:]
    close([value[f"AV3{axis}"] for axis in "XYZ"], w, ROUNDING)
    dw = R.T @ n(eq.frame_acceleration, x.q, x.v, x.a, frame="link_3")[3:]
    close([value[f"AA3{axis}"] for axis in "XYZ"], dw, ROUNDING)
    close(value["KX3"] + value["AA3X"], value["RXP3"], ROUNDING)
    close(-value["RY3"] - value["RZ3"], value["RSX3"], ROUNDING)
    close([value[f"JM{i}Z"] for i in (1, 2, 3)], n.inverse(x.q, x.v, x.a), ROUNDING)


def test_a_method_without_names_says_so():
    with pytest.raises(InvalidInput, match="takes no names"):
        px.expression(px.inverse_dynamics.recursive, px.library.puma560(), named=True)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_regrouped_masses_have_no_centre(method):
    regrouped = model_of(px.library.puma560()).regrouped
    with pytest.raises(InvalidModel, match="before regrouping"):
        px.expression(method, regrouped)
