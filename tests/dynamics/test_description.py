"""Dynamics are what they were asked to be: compared and pickled without machine code."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import phalanx as px

OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "methods": {
        "inverse": px.inverse_dynamics.modified,
        "forward": px.forward_dynamics.articulated_body,
        "mass_matrix": px.mass_matrix.orthogonal_complement,
    },
    "open": {"parameters": ["lower.mass"], "wrenches": ["tip"], "moving_base": True},
    "code": {"threads": 1, "dtype": "float32", "cache": False},
}


def own_inverse(mechanism: Any, q: Any, v: Any, a: Any) -> Any:
    """A method of a user's own, with the outputs that it has."""
    return px.inverse_dynamics.recursive(mechanism, q, v, a)


def again(*values: Any) -> Any:
    return pickle.loads(pickle.dumps(values))


@pytest.mark.parametrize("name", OPTIONS)
def test_a_pickle_is_the_description(name: str) -> None:
    arm = px.library.double_pendulum()
    d = px.Dynamics(arm, **OPTIONS[name])
    d.kernel("gravity")
    other_arm, other = again(arm, d)
    assert other.mechanism is other_arm and other.options == d.options
    assert "nothing yet" in repr(other)
    assert len(pickle.dumps(d)) < len(pickle.dumps(arm)) + 1000
    # two machines are one to their Dynamics just when they are equal
    assert (other == d) == (other_arm == arm)
    q = np.full((3, 2), 0.3)
    more = [1.0] * len(d.parameters)
    np.testing.assert_array_equal(other.gravity(q, *more), d.gravity(q, *more))


def test_machines_with_loops_and_long_ones() -> None:
    linkage = px.Dynamics(px.library.four_bar(), actuated=["crank"], independent=["crank"])
    (other,) = again(linkage)
    assert other.options == linkage.options and other.free_velocities == linkage.free_velocities
    chain = px.Dynamics(px.library.chain(600), forward=px.evaluators.Serial())
    (other,) = again(chain)
    assert other.forward == chain.forward and other.forward_name == chain.forward_name


@pytest.mark.parametrize("one", OPTIONS)
@pytest.mark.parametrize("two", OPTIONS)
def test_equal_are_those_of_one_machine_with_equal_options(one: str, two: str) -> None:
    arm = px.library.double_pendulum()
    a, b = px.Dynamics(arm, **OPTIONS[one]), px.Dynamics(arm, **OPTIONS[two])
    a.kernel("gravity")  # what is compiled does not count
    assert (a == b) == (one == two)
    assert (hash(a) == hash(b)) == (one == two)
    assert a != px.Dynamics(px.library.puma560())
    assert a != arm and a != "Dynamics"


def test_copies_are_equal_and_compile_for_themselves() -> None:
    d = px.Dynamics(px.library.double_pendulum(), threads=1)
    d.kernel("gravity")
    other = copy.copy(d)
    assert other == d and other is not d
    assert other.kernel("gravity") is not d.kernel("gravity")
    assert copy.deepcopy(d).options == d.options


def test_functions_go_by_reference() -> None:
    d = px.Dynamics(px.library.double_pendulum(), inverse=own_inverse)
    assert again(d)[0].inverse is own_inverse
    nobody_finds_it = px.Dynamics(
        px.library.double_pendulum(), inverse=lambda *given: own_inverse(*given)
    )
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(nobody_finds_it)


def test_cloudpickle_takes_functions_along() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    d = px.Dynamics(
        px.library.double_pendulum(),
        inverse=lambda mechanism, q, v, a: px.inverse_dynamics.recursive(mechanism, q, v, a),
    )
    state = np.random.default_rng(2).standard_normal((3, 2))
    other = pickle.loads(cloudpickle.dumps(d))
    np.testing.assert_array_equal(other.inverse_dynamics(*state), d.inverse_dynamics(*state))


def test_other_processes_compile_for_themselves() -> None:
    d = px.Dynamics(px.library.double_pendulum(), threads=1)
    q = np.full((3, 2), 0.3)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(px.Dynamics.gravity, d, q).result()
    np.testing.assert_array_equal(found, d.gravity(q))
