"""Parallel prefixes of any tree and any joint, against the recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from papers.lathrop.golden import GOLDEN_STATE, GOLDEN_TAU_FREE, golden_chain, random_chain
from phalanx.base import scans
from phalanx.base.errors import InvalidInput
from phalanx.equations import inverse_dynamics
from phalanx.multiprocessor import SharedMemory, critical_path, task_graph
from strategies import mechanisms, menagerie, moving, state_of

# Two ways through some hundred operations that cancel at most a few digits.
ROUNDING = 1e-11


@given(moving())
def test_every_tree_and_joint_agrees_with_the_recursion(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(inverse_dynamics.prefix, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), ROUNDING)


@pytest.mark.parametrize(
    "network", [scans.sklansky, scans.kogge_stone, scans.brent_kung, scans.serial]
)
def test_all_joints_at_once_with_wrenches_on_a_moving_base(network):
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 2)
    rng = np.random.default_rng(3)
    acting = rng.uniform(-5, 5, (4, 6))
    options = {"wrenches": ["tool", "b4"], "moving_base": True}
    wanted = n(inverse_dynamics.recursive, x.q, x.v, x.a, *acting, **options)
    method = inverse_dynamics.prefix_by(network)
    close(n(method, x.q, x.v, x.a, *acting, **options), wanted, ROUNDING)


def test_dynamics_compiles_it_and_takes_any_network():
    arm = golden_chain()
    for method in (inverse_dynamics.prefix, inverse_dynamics.prefix_by(scans.kogge_stone)):
        tau = px.Dynamics(arm, inverse=method).inverse_dynamics(*GOLDEN_STATE)
        np.testing.assert_allclose(tau, GOLDEN_TAU_FREE, rtol=1e-9)


def test_a_method_bears_the_name_of_its_network():
    assert inverse_dynamics.prefix_by(scans.kogge_stone).__name__ == "prefix_kogge_stone"


def test_a_network_is_asked_for_by_value_and_not_by_name():
    with pytest.raises(InvalidInput, match="network='sklansky'; expected a PrefixNetwork"):
        inverse_dynamics.prefix_by("sklansky")


def test_of_a_machine_with_loops_it_is_that_of_the_tree():
    linkage = px.library.four_bar()
    n, x = Numbers(linkage), state_of(linkage, 1)
    close(n(inverse_dynamics.prefix, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), ROUNDING)


def _depth(method, mechanism) -> float:
    """The longest way through the arithmetic, an operation each."""
    tasks = task_graph(method, mechanism, angles_given=True)
    return critical_path(tasks, SharedMemory(1)).length


def test_depth_grows_with_the_logarithm_of_a_chain_and_linearly_in_the_recursion():
    chains = {n: random_chain(n, np.random.default_rng(n), turning=1.0) for n in (4, 8, 16, 32)}
    depth = {n: _depth(inverse_dynamics.prefix, chain) for n, chain in chains.items()}
    linear = {n: _depth(inverse_dynamics.recursive, chain) for n, chain in chains.items()}
    growth = [depth[2 * n] - depth[n] for n in (4, 8, 16)]
    # a level outward and one inward, each a few products and sums
    assert max(growth) <= 30
    assert linear[32] - linear[16] > 3 * growth[-1]
    assert depth[32] < linear[32] / 2


def test_depth_of_a_tree_is_that_of_its_rows():
    """A comb: a spine with a tooth at each joint has two rows between root and any end."""
    spine = random_chain(16, np.random.default_rng(1), turning=1.0)
    teeth = [
        (
            px.Body(f"tooth_{i}", 1.0),
            px.Joint(f"t_{i}", f"link_{i}", f"tooth_{i}", spine.joints[0].motion),
        )
        for i in range(1, 17)
    ]
    comb = px.Mechanism(
        "comb",
        [*spine.bodies, *(body for body, _ in teeth)],
        [*spine.joints, *(joint for _, joint in teeth)],
    )
    alone, with_teeth = (_depth(inverse_dynamics.prefix, m) for m in (spine, comb))
    assert with_teeth - alone <= 40
    n, x = Numbers(comb), state_of(comb, 4)
    close(n(inverse_dynamics.prefix, x.q, x.v, x.a), n.inverse(x.q, x.v, x.a), ROUNDING)


def test_what_is_no_network_is_refused_when_its_shape_does_not_fit():
    wrong = scans.from_levels("too short", [[(0, 1)]])
    with pytest.raises(InvalidInput, match="'too short' leaves item 2 of 7 without its prefix"):
        px.expression(inverse_dynamics.prefix, golden_chain(), network=wrong)


@given(mechanisms(chain=True))
def test_parameters_stay_open(mechanism):
    """Masses as symbols, as identification has them."""
    body = next(b for b in mechanism.bodies[1:] if b.mass)
    name = f"{body.name}.mass"
    function = px.expression(inverse_dynamics.prefix, mechanism, parameters=[name])
    x = state_of(mechanism, 5)
    tau = np.array(function(x.q, x.v, x.a, body.mass)).ravel()
    close(tau, Numbers(mechanism).inverse(x.q, x.v, x.a), ROUNDING)
