"""Checks 3 to 8 and 17: the logarithmic form is the linear one, in whatever order it joins."""

from __future__ import annotations

import math
from dataclasses import fields

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from papers.lathrop.golden import (
    TIP,
    on_six_joints,
    random_chain,
    random_seat,
    random_state,
)
from papers.lathrop.numbers import (
    Arrays,
    NumberChain,
    cross,
    number_chain,
    off,
    torques,
    values,
    wide,
)
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.scans import (
    PrefixNetwork,
    brent_kung,
    from_levels,
    kogge_stone,
    prefix,
    serial,
    sklansky,
)
from phalanx.equations import inverse_dynamics
from phalanx.equations.inverse_dynamics.vector_forms.linear import (
    Hung,
    JointLoad,
    carry,
    linear_form,
    linear_motions,
    move,
)
from phalanx.equations.inverse_dynamics.vector_forms.loads import (
    LoadSegment,
    combine_loads,
    load_leaf,
    unified_load_leaf,
)
from phalanx.equations.inverse_dynamics.vector_forms.logarithmic import (
    load_leaves,
    logarithmic_form,
)
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench, own_wrenches
from phalanx.equations.inverse_dynamics.vector_forms.segments import (
    SegmentMotion,
    base_leaf,
    combine,
    leaf,
    unified_leaf,
)
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.motion import BaseMotion

WORK = Arrays()
E3 = np.array([0.0, 0.0, 1.0])


def loaded_chain(n, rng, dtype=np.float64, **options) -> NumberChain:
    arm, state = random_chain(n, rng), random_state(n, rng)
    wrench = wide(rng.uniform(-1, 1, 6))
    return number_chain(arm, state, dtype=dtype, tip=TIP, wrench=wrench, **options)


def moving_base(rng) -> BaseMotion:
    return BaseMotion(*(Twist.of(SX(ca.DM(rng.uniform(-1, 1, 6)))) for _ in range(2)))


def random_tree(count: int, rng: np.random.Generator) -> PrefixNetwork:
    """Joined by halves of random sizes."""

    def levels(first: int, last: int) -> list[list[tuple[int, int]]]:
        if first == last:
            return []
        k = int(rng.integers(first, last))
        left, right = levels(first, k), levels(k + 1, last)
        both = [
            (left[i] if i < len(left) else []) + (right[i] if i < len(right) else [])
            for i in range(max(len(left), len(right)))
        ]
        return [*both, [(k, b) for b in range(k + 1, last + 1)]]

    return from_levels("random", levels(0, count - 1))


@pytest.mark.parametrize("n", [*range(1, 34), 64, 100])
def test_the_logarithmic_form_is_the_linear_one_in_double_precision(n):
    chain = loaded_chain(n, np.random.default_rng(n))
    wanted = torques(chain, linear_form(WORK, chain))
    assert off(torques(chain, logarithmic_form(WORK, chain, sklansky)), wanted) <= 1e-12


def test_single_precision_costs_no_more_than_five_digits_of_64_joints():
    rng = np.random.default_rng(64)
    arm, state = random_chain(64, rng), random_state(64, rng)
    exact = number_chain(arm, state)
    single = number_chain(arm, state, dtype=np.float32)
    loads = logarithmic_form(Arrays(np.float32), single, sklansky)
    assert loads[0].f.dtype == np.float32
    wanted = torques(exact, linear_form(WORK, exact))
    assert off(torques(single, loads), wanted) <= 1e-5


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
def test_a_base_that_turns_and_accelerates_is_a_leaf_like_others(n):
    rng = np.random.default_rng(n)
    chain = loaded_chain(n, rng, base=moving_base(rng))
    assert np.abs(chain.base.motion.w).max() > 0.1
    wanted = torques(chain, linear_form(WORK, chain))
    assert off(torques(chain, logarithmic_form(WORK, chain, sklansky)), wanted) <= 1e-12


class CarriedArm:
    """An arm whose base moves in all ways, and its torques by joints that carry the base."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(n)
        self.arm = random_chain(n, rng, seat=random_seat(rng))
        self.state = random_state(n, rng)
        v, a = rng.uniform(-1, 1, (2, 6))
        x, y, z = np.eye(3)
        # joints that turn after each other turn the axes of those that follow
        turning = cross(x * v[3], y * v[4] + z * v[5]) + cross(y * v[4], z * v[5])
        self.velocity, self.acceleration = v, a + np.concatenate([np.zeros(3), turning])
        both = [np.concatenate(pair) for pair in zip((np.zeros(6), v, a), self.state, strict=True)]
        carried = on_six_joints(self.arm)
        self.torques = values(inverse_dynamics.recursive, carried, tuple(both))[6:]

    @property
    def base(self) -> BaseMotion:
        return BaseMotion(*(Twist.of(SX(ca.DM(x))) for x in (self.velocity, self.acceleration)))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_a_base_that_moves_may_have_its_first_joint_anywhere(n):
    """F16: the lever from the base's origin to O_0 makes accelerations that no test above has."""
    carried = CarriedArm(n)
    chain = number_chain(carried.arm, carried.state, base=carried.base)
    assert np.abs(chain.base.p).min() > 0
    assert off(torques(chain, linear_form(WORK, chain)), carried.torques) <= 1e-11
    for network in (sklansky, serial):
        for unified in (False, True):
            loads = logarithmic_form(WORK, chain, network, unified=unified)
            assert off(torques(chain, loads), carried.torques) <= 1e-11


@pytest.mark.parametrize("network", [None, sklansky, kogge_stone])
@pytest.mark.parametrize("systolic", [True, False])
def test_motions_of_the_base_are_inputs_of_arrays(network, systolic):
    """F16: a satellite's base velocity and acceleration enter with every sample."""
    carried = CarriedArm(5)
    tasks = mp.vector_tasks(carried.arm, network, moving_base=True)
    make = {
        (True, True): hardware.linear_array,
        (True, False): hardware.wrapped_node,
        (False, True): hardware.prefix_tree,
        (False, False): hardware.wrapped_tier,
    }[network is None, systolic]
    array = make(tasks)
    assert array.periodic.violations == ()
    inputs = (*carried.state, carried.velocity, carried.acceleration)
    still = (*carried.state, np.zeros(6), np.zeros(6))
    # a sample with a base that moves between two with one that does not
    found = array.execute(*(np.array(rows) for rows in zip(still, inputs, still, strict=True)))
    assert off(found[1], carried.torques) <= 1e-11
    at_rest = values(inverse_dynamics.recursive, carried.arm, carried.state)
    assert off(found[0], at_rest) <= 1e-11 and off(found[2], at_rest) <= 1e-11


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
@pytest.mark.parametrize("unified", [False, True])
def test_a_chain_on_the_ground_may_begin_with_its_first_joint(n, unified):
    chain = loaded_chain(n, np.random.default_rng(n))
    wanted = torques(chain, linear_form(WORK, chain))
    grounded = logarithmic_form(WORK, chain, sklansky, grounded=True, unified=unified)
    assert len(grounded) == n
    assert off(torques(chain, grounded), wanted) <= 1e-12


def test_what_the_ground_carries_is_what_the_first_joint_does():
    chain = loaded_chain(7, np.random.default_rng(3))
    ground, first, *_ = logarithmic_form(WORK, chain, sklansky)
    A = chain.links[0].A  # from the axes of O_1 to those of O_0
    np.testing.assert_allclose(ground.f, A @ first.f, rtol=1e-12)
    np.testing.assert_allclose(ground.n, A @ first.n, rtol=1e-12)


def _leaves(n: int, rng: np.random.Generator):
    chain = loaded_chain(n, rng, base=moving_base(rng))
    motions = [leaf(WORK, i, link) for i, link in enumerate(chain.links, start=1)]
    own = own_wrenches(WORK, chain, linear_motions(WORK, chain))
    return [base_leaf(WORK, chain.base), *motions], load_leaves(WORK, chain, own)


def _assert_equal(one, other, tolerance=1e-12):
    for field in fields(one):
        x, y = getattr(one, field.name), getattr(other, field.name)
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerance, err_msg=field.name)


@pytest.mark.parametrize("lean", [False, True])
def test_combining_is_associative_in_both_directions(lean):
    rng = np.random.default_rng(5)

    def join(x, y):
        return combine(WORK, 1, x, y)

    def join_loads(x, y):
        return combine_loads(WORK, 1, x, y, lean=lean)

    for _ in range(20):
        motions, loads = _leaves(3, rng)
        for (_, x, y, z), op in ((motions, join), (loads, join_loads)):
            _assert_equal(op(op(x, y), z), op(x, op(y, z)))


def test_any_shape_of_the_tree_gives_the_same_torques():
    rng = np.random.default_rng(11)
    n = 13
    chain = loaded_chain(n, rng, base=moving_base(rng))
    wanted = torques(chain, linear_form(WORK, chain))
    shapes = [serial, sklansky, kogge_stone, brent_kung]
    shapes += [random_tree(n + 1, rng) for _ in range(5)]
    for network in shapes:
        for unified in (False, True):
            for lean in (False, True):
                loads = logarithmic_form(WORK, chain, network, unified=unified, lean=lean)
                assert off(torques(chain, loads), wanted) <= 1e-12


def _joined(chain: NumberChain, a: int, b: int) -> SegmentMotion:
    """[a, b], combined from leaves by halves."""
    if a == b:
        return leaf(WORK, a, chain.links[a - 1])
    k = (a + b) // 2
    return combine(WORK, 1, _joined(chain, a, k), _joined(chain, k + 1, b))


def _rotation(chain: NumberChain, a: int, b: int) -> np.ndarray:
    """W[a, b] = A_a … A_b."""
    W = np.eye(3)
    for link in chain.links[a - 1 : b]:
        W = W @ link.A
    return W


def test_every_motion_of_a_segment_is_its_sum_in_closed_form():
    chain = loaded_chain(7, np.random.default_rng(17))
    for a in range(1, 8):
        w, dw = np.zeros(3), np.zeros(3)  # of [a, j-1], in O_{j-1}
        for b in range(a, 8):
            w, dw = _angular_sums(chain, a, b)
            joined = _joined(chain, a, b)
            Q, R, swing, acceleration = np.zeros((4, 3))
            for j in range(a, b + 1):
                link = chain.links[j - 1]
                w_j, dw_j = _angular_sums(chain, a, j)
                V = _rotation(chain, j + 1, b).T
                slides = not link.turns
                rate, acc = link.axis * link.rate[2], link.axis * link.acceleration[2]
                Q = Q + V @ rate * slides
                R = R + V @ link.p
                swing = swing + V @ cross(w_j, link.p)
                acceleration = acceleration + V @ (
                    cross(dw_j, link.p)
                    + cross(w_j, cross(w_j, link.p))
                    + (acc + 2 * cross(w_j, rate)) * slides
                )
            wanted = SegmentMotion(a, b, _rotation(chain, a, b), w, dw, Q, R, swing, acceleration)
            _assert_equal(joined, wanted)


def _angular_sums(chain: NumberChain, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and acceleration of [a, b] in O_b, as sums over its joints."""
    w, dw = np.zeros(3), np.zeros(3)
    for j in range(a, b + 1):
        link = chain.links[j - 1]
        if not link.turns:
            continue
        V = _rotation(chain, j, b).T
        before = _angular_sums(chain, a, j - 1)[0] if j > a else np.zeros(3)
        w = w + V @ link.rate
        dw = dw + V @ (link.acceleration + cross(before, link.rate))
    return w, dw


def test_every_load_of_a_segment_is_its_sum_in_closed_form():
    chain = loaded_chain(7, np.random.default_rng(19))
    own = own_wrenches(WORK, chain, linear_motions(WORK, chain))
    leaves = load_leaves(WORK, chain, own)  # the base is number 0, the tip's load is in the last
    after = chain.A_after

    def joined(a: int, b: int) -> LoadSegment:
        if a == b:
            return leaves[a]
        k = (a + b) // 2
        return combine_loads(WORK, 1, joined(a, k), joined(k + 1, b))

    def force(a: int, b: int) -> np.ndarray:
        terms = (_rotation(chain, a + 1, j) @ leaves[j].f for j in range(a, b + 1))
        return sum(terms, np.zeros(3))

    for a in range(1, 8):
        for b in range(a, 8):
            f, n = force(a, b), np.zeros(3)
            for j in range(a, b + 1):
                carried = after[j - 1] @ force(j + 1, b) if j < b else np.zeros(3)
                term = leaves[j].n + cross(chain.links[j - 1].p, carried)
                n = n + _rotation(chain, a + 1, j) @ term
            segment = joined(a, b)
            np.testing.assert_allclose(segment.f, f, rtol=0, atol=1e-12)
            np.testing.assert_allclose(segment.n, n, rtol=0, atol=1e-12)


def test_combining_with_one_joint_is_a_step_of_the_linear_recursion():
    rng = np.random.default_rng(23)
    chain = loaded_chain(9, rng, base=moving_base(rng))
    segment, motion = base_leaf(WORK, chain.base), chain.base.motion
    motions = []
    for i, link in enumerate(chain.links, start=1):
        segment = combine(WORK, 1, segment, leaf(WORK, i, link))
        motion = move(WORK, i, link, motion)
        motions.append(motion)
        _assert_equal(segment.motion, motion)

    own = own_wrenches(WORK, chain, motions)
    leaves = load_leaves(WORK, chain, own)[1:]
    after = chain.A_after
    load: JointLoad = chain.tip
    joined = None
    for i in reversed(range(9)):
        load = carry(WORK, i + 1, chain.links[i], own[i], [Hung(after[i], None, load)])
        joined = leaves[i] if joined is None else combine_loads(WORK, 1, leaves[i], joined)
        _assert_equal(joined.load, load)


def test_a_prefix_takes_the_fewest_levels_and_as_many_nodes_as_the_source_says():
    for n in range(1, 200):
        levels = sklansky.levels(n + 1)
        assert len(levels) == math.ceil(math.log2(n + 1))
        assert all(len(level) <= (n + 1) // 2 for level in levels)
        assert sklansky.nodes(n + 1) == sum(i.bit_count() for i in range(n + 1))
    assert (sklansky.nodes(6), sklansky.nodes(7), sklansky.nodes(8)) == (7, 9, 12)


def test_the_source_s_rule_for_the_levels_is_the_network():
    """a = 2^j m, k = a + 2^(j-1) - 1, k < b <= a + 2^j - 1; the text's 2^(j-2) is a misprint."""
    for count in range(1, 70):
        levels = sklansky.levels(count)
        for j, level in enumerate(levels, start=1):
            wanted = {
                (a + 2 ** (j - 1) - 1, b)
                for a in range(0, count, 2**j)
                for b in range(a + 2 ** (j - 1), min(a + 2**j, count))
            }
            assert set(level) == wanted


def test_a_joint_by_the_operations_of_a_combination_is_the_joint():
    rng = np.random.default_rng(29)
    chain = loaded_chain(20, rng)
    assert {link.turns for link in chain.links} == {False, True}
    for i, link in enumerate(chain.links, start=1):
        _assert_equal(unified_leaf(WORK, i, link), leaf(WORK, i, link), 1e-15)
        own = OwnWrench(*rng.uniform(-1, 1, (2, 3)))
        one = unified_load_leaf(WORK, i, link, own, link.A)
        _assert_equal(one, load_leaf(WORK, i, link, own, link.A), 1e-15)


def test_prefixes_of_motions_alone_are_those_of_segments():
    """The networks of ``scans`` know nothing of segments, and need not."""
    chain = loaded_chain(10, np.random.default_rng(31))
    leaves = [leaf(WORK, i, link) for i, link in enumerate(chain.links, start=1)]
    for network in (sklansky, kogge_stone, brent_kung, serial):
        segments = prefix(network, leaves, lambda x, y: combine(WORK, 0, x, y))
        for b, segment in enumerate(segments, start=1):
            assert (segment.first, segment.last) == (1, b)
            _assert_equal(segment, _joined(chain, 1, b))
