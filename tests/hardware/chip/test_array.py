"""Arms on chips: torques, times and counts for any chain, and what words cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import random_chain, random_state
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.base.scans import sklansky
from phalanx.hardware.arrays.networks import NETWORKS
from phalanx.hardware.chip import TooNarrow, chip_array, precision
from strategies import menagerie, state_of

PUMA = px.library.puma560()
RNG = np.random.default_rng(8)
MOTION = [RNG.uniform(-1, 1, (3, 6)) for _ in range(3)]
TAU = px.Dynamics(PUMA).inverse_dynamics(*MOTION)


@pytest.mark.parametrize("network", [None, *NETWORKS.values()], ids=["linear", *NETWORKS])
@pytest.mark.parametrize("bus", [False, True], ids=["wires", "bus"])
def test_a_puma_on_chips(network, bus):
    array = chip_array(PUMA, network, bus=bus)
    np.testing.assert_allclose(array.inverse_dynamics(*MOTION), TAU, atol=1e-12)


@pytest.mark.parametrize("joints", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("network", [None, sklansky], ids=["linear", "logarithmic"])
def test_chains_of_any_length_turning_and_sliding(joints, network):
    rng = np.random.default_rng(joints)
    chain = random_chain(joints, rng)
    motion = [row[None] for row in random_state(joints, rng)]
    expected = px.Dynamics(chain).inverse_dynamics(*motion)
    for grounded in (True, False):
        found = chip_array(chain, network, grounded=grounded).inverse_dynamics(*motion)
        np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


READOUT = 3  # Flops of the dot product with the joint's axis, which the source leaves out


@pytest.mark.parametrize("joints", [1, 2, 3, 4, 6, 7])
def test_emulated_times_are_the_source_s(joints):
    chain = random_chain(joints, np.random.default_rng(1), turning=1.0)
    linear = chip_array(chain)
    assert linear.board.latency == 8 * joints + 10 + READOUT
    tree = chip_array(chain, sklansky, grounded=False)
    # joint 0 is left out by what torques need; it ends last only where it adds a tier
    tiers = math.ceil(math.log2(joints + 1))
    assert tree.board.latency <= 8 * tiers + 15 + READOUT
    assert linear.board.cycle == tree.board.cycle == 4


def test_forces_of_links_wait_as_long_as_the_source_says():
    joints = 6
    chain = random_chain(joints, np.random.default_rng(1), turning=1.0)
    board = chip_array(chain, needed_only=False).board
    duties = {duty.role: duty for duty in board.duties}
    for i in range(1, joints):
        duty = duties[f"{i}.f"]
        sources = {board.duties[w.source.place].role: w for w in duty.wires}
        assert sources[f"{i}.F"].delay == 2 * (joints - i)


def test_work_that_ends_in_its_cycle_costs_little_time():
    checked = chip_array(PUMA, spares=1).board
    free = chip_array(PUMA).board
    assert free.latency < checked.latency <= free.latency + 4
    assert checked.chips == free.chips + 1


@pytest.mark.parametrize(
    ("network", "latency", "most"), [(None, 58, 30), (sklansky, 39, 137)], ids=["linear", "tree"]
)
def test_one_device_for_all_joints_gives_the_same_torques_as_late(network, latency, most):
    """Section 5.3 of the specification: 30 and 137 chips for six joints, one set at a time."""
    chain = random_chain(6, np.random.default_rng(2), turning=1.0)
    motion = [row[None] for row in random_state(6, np.random.default_rng(3))]
    systolic, single = chip_array(chain, network), chip_array(chain, network, period=None)
    expected = systolic.inverse_dynamics(*motion)
    np.testing.assert_array_equal(single.inverse_dynamics(*motion), expected)
    assert single.board.latency == systolic.board.latency == latency + READOUT
    # some duties of different roles are alike and share a chip, so there are not even as many
    assert single.board.chips <= most < systolic.board.chips


def test_operators_without_readers_get_no_chip():
    needed = chip_array(PUMA, sklansky).board
    alike = chip_array(PUMA, sklansky, needed_only=False).board
    assert needed.chips < alike.chips and needed.latency == alike.latency


def test_lean_trees_need_fewer_chips_and_give_the_same():
    lean = chip_array(PUMA, sklansky, lean=True)
    assert lean.board.chips < chip_array(PUMA, sklansky).board.chips
    np.testing.assert_allclose(lean.inverse_dynamics(*MOTION), TAU, atol=1e-12)


@pytest.mark.parametrize("network", [None, sklansky], ids=["linear", "logarithmic"])
@pytest.mark.parametrize("bus", [False, True])
def test_a_tree_of_every_joint_on_chips(bus, network):
    """Branches, balls, a floating body, mimics: positions are more numbers than velocities."""
    machine = menagerie()
    states = [state_of(machine, seed) for seed in range(3)]
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in "qva")
    tau = chip_array(machine, network, bus=bus).inverse_dynamics(q, v, a)
    wanted = px.Dynamics(machine).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_errors_shrink_with_every_bit():
    array = chip_array(PUMA)
    rows = {row.words: row for row in precision(array, *MOTION, TAU)}
    assert rows["double"].relative < 1e-14 and rows["single"].relative < 1e-5
    fixed = [row for row in rows.values() if row.words.startswith("fixed")]
    assert [row.bits for row in fixed] == [16, 20, 24, 28, 32, 36, 40]
    assert fixed[-1].relative < 1e-7
    for narrow, wide in zip(fixed[:-2], fixed[2:], strict=True):
        # eight bits are 256; errors are a matter of luck within a few times that
        assert wide.error < narrow.error / 30


def test_a_format_too_narrow_says_what_and_where():
    array = chip_array(PUMA)
    with pytest.raises(TooNarrow, match=r"\(.*set \d\) does not fit into fixed:16.12"):
        array.inverse_dynamics(*MOTION, words="fixed:16.12")
    (row,) = precision(array, *MOTION, TAU, ["fixed:16.12"])
    assert row.error is None and "does not fit into fixed:16.12" in row.refused


def test_machines_and_motions_that_do_not_fit():
    with pytest.raises(InvalidModel, match="loop 'pin' closes it; vector tasks are of trees"):
        chip_array(px.library.four_bar())
    with pytest.raises(InvalidInput, match=r"v has shape \(3, 5\); expected \(sets, 6\)"):
        chip_array(PUMA).host_values(MOTION[0], MOTION[1][:, :5], MOTION[2])
    with pytest.raises(InvalidInput, match=r"q has shape \(6,\)"):
        chip_array(PUMA).inverse_dynamics(*(x[0] for x in MOTION))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: chip_array("puma560"), "mechanism"),
        (lambda: chip_array(PUMA, "sklansky"), "network"),
        (lambda: chip_array(PUMA, period=1.5), "period"),
        (lambda: chip_array(PUMA, spares=None), "spares"),
        (lambda: chip_array(PUMA).inverse_dynamics("x", MOTION[1], MOTION[2]), "q"),
        (lambda: chip_array(PUMA).inverse_dynamics(*MOTION, words=24), "words"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()
