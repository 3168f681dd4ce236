"""Equations as CasADi functions: names, order of inputs, identifiers."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import equations as eq
from phalanx.equations.expression import identifier


def test_inputs_are_those_of_the_equation_then_what_was_opened():
    f = px.expression(
        px.inverse_dynamics.recursive,
        px.library.puma560(),
        parameters=["link_3.mass", "joint_2.position", "gravity"],
        wrenches=["tool"],
        moving_base=True,
    )
    assert f.name_in() == [
        *("q", "v", "a", "link_3_mass", "joint_2_position", "gravity"),
        *("wrench_tool", "base_velocity", "base_acceleration"),
    ]
    assert [f.size1_in(k) for k in range(f.n_in())] == [6, 6, 6, 1, 3, 3, 6, 6, 6]
    assert f.name_out() == ["tau"]
    assert f.name() == "puma560_recursive"


def test_an_equation_of_one_s_own():
    def height(mechanism, q):
        return eq.center_of_mass(mechanism, q)[2]

    f = px.expression(height, px.library.chain(2))
    assert f.name_in() == ["q"]
    np.testing.assert_allclose(float(f([0.0, 0.0])), -1.0)


def test_functions_are_scalar_expressions_that_differentiate():
    f = px.expression(eq.potential_energy, px.library.puma560())
    q = ca.SX.sym("q", 6)
    slope = ca.Function("slope", [q], [ca.gradient(f(q), q)])
    g = px.expression(eq.gravity, px.library.puma560())
    at = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(np.array(slope(at)), np.array(g(at)), atol=1e-13)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("forearm.mass", "forearm_mass"),
        ("a--b", "a_b"),
        ("_x_", "x"),
        ("3rrr", "f_3rrr"),
        ("ünïcode", "ufcnuefcode"),
    ],
)
def test_identifiers(name, wanted):
    assert identifier(name) == wanted


def test_names_that_casadi_refuses_still_make_a_function():
    bodies = [px.Body("base link"), px.Body("2nd/link", 1.0, np.ones(3), np.eye(3))]
    joint = px.Joint("j 1", "base link", "2nd/link", px.mechanism.Revolute())
    machine = px.Mechanism("my robot v1.0", bodies, [joint])
    f = px.expression(
        px.inverse_dynamics.recursive, machine, parameters=["2nd/link.mass"], wrenches=["2nd/link"]
    )
    assert f.n_in() == 5


def test_frames_listed_twice_and_names_that_fall_together_are_refused():
    chain = px.library.chain(2)
    frames = [px.Frame("a b", "link_1"), px.Frame("a_b", "link_2")]
    machine = px.Mechanism("m", chain.bodies, chain.joints, frames)
    inverse = px.inverse_dynamics.recursive
    with pytest.raises(px.InvalidInput, match="listed twice"):
        px.expression(inverse, machine, wrenches=["a b", "a b"])
    with pytest.raises(px.InvalidInput, match="both called 'wrench_a_b'"):
        px.expression(inverse, machine, wrenches=["a b", "a_b"])
