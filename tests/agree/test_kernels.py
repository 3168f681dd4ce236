"""Compiled kernels equal CasADi's interpreter: batch edges, threads, precision, shapes."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import batch
from phalanx.mechanism import Mechanism
from strategies import menagerie

# around the widths of SIMD registers (2, 4, 8 lanes) and of two of them
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1000)
LARGEST = max(SIZES)
QUANTITIES = [
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "coriolis_matrix",
    "inverse_dynamics_derivatives",
    "energy",
    "center_of_mass",
    "integrate",
]
MACHINES = {
    "puma560": px.library.puma560,
    "torso": px.library.torso,
    "spherical_chain": lambda: px.library.chain(3, "spherical"),
}
# Both evaluate one expression, but the kernel fuses multiplication and addition and has its own
# sine and cosine (1 ulp): a few hundred rounding errors, against the largest entry. For forward
# dynamics the condition of M multiplies them, 1e4 for a chain of thin rods on ball joints.
DOUBLE = 1e-12
DOUBLE_FORWARD = 1e-10
# 2⁻²⁴ = 6e-8 a rounding error; some hundred of them add up, and M's condition multiplies them
SINGLE = {"forward_dynamics": 2e-2}
SINGLE_ELSE = 1e-4


def arguments(mechanism: Mechanism, function: ca.Function, rows: int) -> list[np.ndarray]:
    rng = np.random.default_rng(11)
    values = {"q": mechanism.random_positions(LARGEST, seed=rng)}
    for name in ("v", "a", "tau"):
        values[name] = rng.standard_normal((LARGEST, mechanism.nv))
    return [values[name][:rows] for name in function.name_in()]


@cache
def reference(machine: str, quantity: str) -> tuple[tuple[np.ndarray, ...], list[np.ndarray]]:
    mechanism = MACHINES[machine]()
    function = px.Dynamics(mechanism).expression(quantity)
    inputs = arguments(mechanism, function, LARGEST)
    return tuple(inputs), batch(function, *inputs)


def double(quantity: str) -> float:
    return DOUBLE_FORWARD if quantity == "forward_dynamics" else DOUBLE


def as_tuple(result: object) -> tuple[np.ndarray, ...]:
    return tuple(result) if isinstance(result, tuple) else (result,)


def compare(results: object, wanted: list[np.ndarray], rows: int, tolerance: float) -> None:
    for found, w in zip(as_tuple(results), wanted, strict=True):
        expected = w[:rows].reshape(found.shape)
        scale = np.abs(w).reshape(LARGEST, -1).max(axis=1)[:rows]
        error = np.abs(found.astype(float) - expected).reshape(rows, -1).max(axis=1)
        assert (error <= tolerance * np.maximum(scale, 1.0)).all(), error.max()


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_batch_size(machine, quantity, threads):
    inputs, wanted = reference(machine, quantity)
    d = px.Dynamics(MACHINES[machine](), threads=threads)
    whole = None
    for rows in reversed(SIZES):
        results = as_tuple(getattr(d, quantity)(*(x[:rows] for x in inputs)))
        compare(results, wanted, rows, double(quantity))
        # a sample's result does not depend on its neighbours, not even in the last digit
        whole = whole or results
        for part, all_of_it in zip(results, whole, strict=True):
            np.testing.assert_array_equal(part, all_of_it[:rows])


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("machine", MACHINES)
def test_one_sample_without_a_batch_axis(machine, quantity):
    inputs, wanted = reference(machine, quantity)
    d = px.Dynamics(MACHINES[machine]())
    results = as_tuple(getattr(d, quantity)(*(x[0] for x in inputs)))
    for found, w in zip(results, wanted, strict=True):
        assert np.shape(found) == {"energy": ()}.get(quantity, np.squeeze(w[0]).shape)
        scale = max(np.abs(w[0]).max(), 1.0)
        np.testing.assert_allclose(found, np.squeeze(w[0]), rtol=0, atol=double(quantity) * scale)


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("machine", MACHINES)
def test_single_precision(machine, quantity):
    inputs, wanted = reference(machine, quantity)
    d = px.Dynamics(MACHINES[machine](), dtype="float32")
    for rows in SIZES:
        results = as_tuple(getattr(d, quantity)(*(x[:rows].astype(np.float32) for x in inputs)))
        assert all(found.dtype == np.float32 for found in results)
        compare(results, wanted, rows, SINGLE.get(quantity, SINGLE_ELSE))


def test_frames():
    mechanism = px.library.puma560()
    d = px.Dynamics(mechanism)
    rng = np.random.default_rng(12)
    q, v, a = rng.standard_normal((3, 33, 6))
    for name, inputs in (
        ("forward_kinematics", (q,)),
        ("jacobian", (q,)),
        ("jacobian_rate", (q, v)),
        ("frame_velocity", (q, v)),
        ("frame_acceleration", (q, v, a)),
    ):
        wanted = batch(d.expression(name, "tool"), *inputs)[0]
        found = getattr(d, name)(*inputs, frame="tool")
        np.testing.assert_allclose(found, wanted.reshape(found.shape), rtol=0, atol=DOUBLE * 10)


def test_parameters_wrenches_and_base_together():
    mechanism = menagerie()
    d = px.Dynamics(
        mechanism,
        parameters=["b2.mass", "b3.com", "gravity"],
        wrenches=["tool"],
        moving_base=True,
    )
    rng = np.random.default_rng(13)
    rows = 9
    q = mechanism.random_positions(rows, seed=rng)
    v, a = rng.standard_normal((2, rows, mechanism.nv))
    mass, com, fall = rng.uniform(1, 2, rows), *rng.standard_normal((2, rows, 3))
    wrench, base, dbase = rng.standard_normal((3, rows, 6))
    found = d.inverse_dynamics(q, v, a, mass, com, fall, wrench, base, dbase)
    function = d.expression("inverse_dynamics")
    assert function.name_in()[3:] == [
        *("b2_mass", "b3_com", "gravity", "wrench_tool", "base_velocity", "base_acceleration")
    ]
    wanted = batch(function, q, v, a, mass[:, None], com, fall, wrench, base, dbase)[0][..., 0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=DOUBLE * np.abs(wanted).max())


def test_every_joint_at_once():
    mechanism = menagerie()
    d = px.Dynamics(mechanism)
    for quantity in ("inverse_dynamics", "forward_dynamics", "integrate"):
        function = d.expression(quantity)
        inputs = arguments(mechanism, function, 9)
        wanted = batch(function, *inputs)[0][..., 0]
        found = getattr(d, quantity)(*inputs)
        # this machine's M has a condition near 1e4
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
