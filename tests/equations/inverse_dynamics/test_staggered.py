"""The linear form from axis to axis, against the recursion in node frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from papers.lathrop.golden import GOLDEN_STATE, GOLDEN_TAU_FREE, golden_chain
from phalanx.base.errors import InvalidModel
from phalanx.equations import inverse_dynamics
from phalanx.mechanism import Body, Mechanism
from phalanx.multiprocessor import task_graph
from strategies import moving, state_of

ROUNDING = 1e-11


@given(moving())
def test_every_tree_of_any_joints_agrees_with_the_recursion(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(inverse_dynamics.staggered, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), ROUNDING)


@given(moving())
def test_wrenches_anywhere_and_a_moving_base_too(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    acting = np.random.default_rng(1).uniform(-5, 5, (4, 6))
    options = {"wrenches": ["tool", "b0"], "moving_base": True}
    wanted = n(inverse_dynamics.recursive, x.q, x.v, x.a, *acting, **options)
    close(n(inverse_dynamics.staggered, x.q, x.v, x.a, *acting, **options), wanted, ROUNDING)


def test_dynamics_compiles_it():
    tau = px.Dynamics(golden_chain(), inverse=inverse_dynamics.staggered).inverse_dynamics(
        *GOLDEN_STATE
    )
    np.testing.assert_allclose(tau, GOLDEN_TAU_FREE, rtol=1e-9)


def test_its_scalar_operations_are_tasks_as_of_any_method():
    assert len(task_graph(inverse_dynamics.staggered, px.library.puma560())) > 100


def test_a_machine_that_does_not_move_is_refused():
    with pytest.raises(InvalidModel, match="no joint that moves"):
        px.expression(inverse_dynamics.staggered, Mechanism("rock", [Body("base")], []))


def test_wrenches_on_the_root_load_no_joint():
    arm = golden_chain()
    n, x = Numbers(arm), state_of(arm, 1)
    free = n(inverse_dynamics.staggered, x.q, x.v, x.a)
    held = n(inverse_dynamics.staggered, x.q, x.v, x.a, np.ones(6), wrenches=["base"])
    np.testing.assert_array_equal(free, held)
