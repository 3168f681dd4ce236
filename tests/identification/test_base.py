"""Base parameters: as many as published, the same torques, and Pinocchio's regressor agrees."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import phalanx as px
from phalanx.identification.parameters import OF_JOINTS, columns, values_of

BASE = px.identification.base_parameters


@pytest.mark.parametrize(
    ("machine", "terms", "count"),
    [
        # Gautier and Khalil (1990): 36, and 40 with rotors, as those of joints 1 and 2 join Izz
        ("puma560", (), 36),
        ("puma560", ("rotor_inertia",), 40),
        ("puma560", ("rotor_inertia", "damping", "friction"), 52),
        # two hinges in a vertical plane: I, hx and hy of both links
        ("double_pendulum", (), 6),
    ],
)
def test_as_many_as_published(machine, terms, count):
    assert len(BASE(px.library.by_name(machine), terms=terms)) == count


@pytest.mark.parametrize("name", ["puma560", "stanford", "double_pendulum", "torso"])
def test_torques_need_no_other_parameters(name):
    machine = px.library.by_name(name)
    d = px.Dynamics(machine, threads=1)
    base = BASE(d, terms=OF_JOINTS)
    rng = np.random.default_rng(3)
    q, (v, a) = machine.random_positions(50, seed=3), rng.normal(size=(2, 50, machine.nv))
    W = columns(d, q, v, a, OF_JOINTS)
    values = rng.normal(size=len(base.names))
    near = 1e-9 * np.abs(W).max() * np.abs(values).max()
    np.testing.assert_allclose(W @ values, W[..., base.independent] @ base.of(values), atol=near)
    own = values_of(machine, OF_JOINTS)
    tau = d.inverse_dynamics(q, v, a)
    known = W[..., base.independent] @ base.of(own)
    damping = np.concatenate([joint.damping for joint in machine.moving_joints])
    friction = np.concatenate([joint.friction for joint in machine.moving_joints])
    np.testing.assert_allclose(known, tau + damping * v + friction * np.sign(v), atol=1e-9)


def test_no_combination_can_be_left_out():
    machine = px.library.puma560()
    d = px.Dynamics(machine, threads=1)
    base = BASE(d)
    rng = np.random.default_rng(4)
    q, (v, a) = machine.random_positions(200, seed=4), rng.normal(size=(2, 200, 6))
    W = d.regressor(q, v, a).reshape(1200, -1)
    assert np.linalg.matrix_rank(W, tol=1e-9 * np.linalg.norm(W)) == len(base) == 36


def test_the_choice_does_not_depend_on_the_random_states():
    one, other = (BASE(px.library.stanford(), seed=seed) for seed in (1, 2))
    assert one.leaders == other.leaders
    assert one.expressions == other.expressions
    np.testing.assert_allclose(one.combination, other.combination, atol=1e-9)


def test_names_of_a_double_pendulum():
    """Links of length l hang on the first hinge: the second mass is felt as l m and l² m."""
    base = BASE(px.library.double_pendulum())
    text = str(base)
    assert text.startswith("6 base parameters of 20:")
    (first,) = [one for one in base.expressions if one.startswith("upper.Iyy")]
    assert "lower.m" in first
    assert "without effect" in text and len(base.unseen) >= 8
    assert all(name in base.names for name in base.unseen)
    with pytest.raises(px.InvalidInput, match="expected 20, one of each"):
        base.of([1.0, 2.0])


@pytest.mark.parametrize("name", ["ur5_robot", "xarm7", "z1"])
def test_pinocchios_regressor_has_the_same_rank(name):
    pin = pytest.importorskip("pinocchio")
    from phalanx.cli.models import robot_files

    files = robot_files()
    if name not in files:
        pytest.skip(f"no {name} here")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of meshes that are not there
        mechanism = px.load(files[name])
    model = pin.buildModelFromUrdf(str(files[name]))
    data, rng = model.createData(), np.random.default_rng(0)
    rows = [
        pin.computeJointTorqueRegressor(
            model, data, rng.uniform(-1, 1, model.nq), *rng.normal(size=(2, model.nv))
        )
        for _ in range(200)
    ]
    W = np.vstack(rows)
    size = np.linalg.norm(W, axis=0)
    felt = size > 1e-9 * size.max()
    values = np.linalg.svd(W[:, felt] / size[felt], compute_uv=False)
    assert (values > 1e-8).sum() == len(BASE(mechanism))


def test_what_is_refused():
    with pytest.raises(px.InvalidInput, match="called 'viscous'; choose among rotor_inertia"):
        BASE(px.library.puma560(), terms=["viscous"])
    with pytest.raises(px.InvalidModel, match="closed loops"):
        BASE(px.library.four_bar())
    with pytest.raises(px.InvalidModel, match="floating"):
        BASE(px.with_floating_base(px.library.puma560()))
