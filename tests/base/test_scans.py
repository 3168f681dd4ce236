"""Prefix networks: every shape gives the serial scan, for operators that do not commute."""

from __future__ import annotations

import functools
import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidInput
from phalanx.base.scans import (
    PrefixNetwork,
    brent_kung,
    from_levels,
    kogge_stone,
    prefix,
    prefix_by_level,
    serial,
    sklansky,
    suffix,
    suffix_by_level,
)

NETWORKS = (sklansky, kogge_stone, brent_kung, serial)
each_network = pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)


@each_network
@given(items=st.lists(st.text("ab", max_size=3), min_size=1, max_size=70))
def test_prefixes_and_suffixes_of_words_are_those_of_a_serial_scan(network, items):
    assert prefix(network, items, operator.add) == list(itertools.accumulate(items))
    wanted = ["".join(items[i:]) for i in range(len(items))]
    assert suffix(network, items, operator.add) == wanted


@each_network
def test_products_of_matrices_keep_their_order(network):
    rng = np.random.default_rng(0)
    matrices = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(37)]
    wanted = list(itertools.accumulate(matrices, operator.matmul))
    for one, other in zip(prefix(network, matrices, operator.matmul), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)


@each_network
def test_a_first_order_recurrence_is_a_prefix_of_its_maps(network):
    """x_i = a_i x_{i-1} + b_i as pairs (a, b), combined to (a_R a_L, a_R b_L + b_R)."""
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-1, 1, (2, 50))
    x, wanted = 0.7, []
    for a_i, b_i in zip(a, b, strict=True):
        x = a_i * x + b_i
        wanted.append(x)

    def after(left, right):
        return right[0] * left[0], right[0] * left[1] + right[1]

    maps = prefix(network, list(zip(a, b, strict=True)), after)
    np.testing.assert_allclose([m * 0.7 + c for m, c in maps], wanted, rtol=1e-13)


@each_network
def test_the_source_s_nonlinear_operator_gives_reciprocals_of_sums(network):
    """With x = 1/A and y = 1/B, x y / (x + y) is 1/(A + B): associative, and not linear."""
    A = np.random.default_rng(2).uniform(0.5, 2.0, 40)

    def parallel(x, y):
        return x * y / (x + y)

    found = prefix(network, list(1 / A), parallel)
    np.testing.assert_allclose(found, 1 / np.cumsum(A), rtol=1e-13)


@given(count=st.integers(1, 300))
def test_depths_widths_and_work_are_those_of_the_literature(count):
    lowest = math.ceil(math.log2(count))
    assert sklansky.depth(count) == kogge_stone.depth(count) == lowest
    assert sklansky.width(count) <= count // 2
    assert sklansky.nodes(count) == sum(i.bit_count() for i in range(count))
    assert kogge_stone.nodes(count) == sum(max(count - 2**k, 0) for k in range(lowest))
    assert brent_kung.nodes(count) <= max(2 * count - 2, 0)
    assert brent_kung.depth(count) <= max(2 * lowest - 1, 0)
    assert serial.depth(count) == serial.nodes(count) == count - 1


@pytest.mark.parametrize("power", range(1, 8))
def test_fan_out_is_what_a_shallow_tree_pays_for_few_nodes(power):
    count = 2**power
    assert sklansky.fan_out(count) == count // 2
    assert kogge_stone.fan_out(count) == brent_kung.fan_out(count) == 1
    assert kogge_stone.nodes(count) >= sklansky.nodes(count) >= brent_kung.nodes(count)


def test_one_item_is_its_own_prefix_and_no_item_has_none():
    for network in NETWORKS:
        assert network.levels(1) == ()
        assert (network.depth(1), network.width(1), network.fan_out(1)) == (0, 0, 0)
        assert prefix(network, ["x"], operator.add) == ["x"]
        with pytest.raises(InvalidInput, match="prefixes of 0 items"):
            prefix(network, [], operator.add)


def test_levels_are_told_from_one_and_in_order():
    told: list[int] = []

    def join(level, x, y):
        told.append(level)
        return x + y

    items = list("abcdefg")
    assert prefix_by_level(sklansky, items, join)[-1] == "abcdefg"
    assert sorted(told) == told and set(told) == {1, 2, 3}
    told.clear()
    assert suffix_by_level(sklansky, items, join)[0] == "abcdefg"
    assert sorted(told) == told and set(told) == {1, 2, 3}


def test_a_shape_of_one_s_own_joins_what_it_says():
    network = from_levels("mine", [[(0, 1), (2, 3)], [(1, 2), (1, 3)], [(3, 4)]])
    assert prefix(network, list("abcde"), operator.add) == ["a", "ab", "abc", "abcd", "abcde"]
    assert suffix(network, list("abcde"), operator.add) == ["abcde", "bcde", "cde", "de", "e"]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([[(0, 1)]], "leaves item 2 of 3 without its prefix: it has only items 2 to 2"),
        ([[(0, 2)]], "joins 0 to 2, which begins at 2: only what begins at 1 follows 0"),
        ([[(0, 1), (0, 1)]], "writes item 1 twice"),
        ([[(1, 1)]], "joins 1 and 1; expected 0 <= left < right < n"),
        ([[(0, 3)]], "joins 0 and 3"),
        ([[(0, 1)], [(1, 2)], [(1, 2)]], "level 3.*which begins at 0"),
    ],
)
def test_a_shape_that_gives_no_prefixes_is_refused(levels, message):
    with pytest.raises(InvalidInput, match=message):
        prefix(from_levels("wrong", levels), list("abc"), operator.add)


def test_a_network_is_a_function_of_the_number_of_items():
    halves = PrefixNetwork("halves", lambda n: [[(i - 1, i)] for i in range(1, n)])
    assert halves.levels(3) == serial.levels(3)
    assert functools.reduce(operator.add, "abc") == prefix(halves, list("abc"), operator.add)[-1]
