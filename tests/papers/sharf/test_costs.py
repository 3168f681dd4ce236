"""Checks 13 and 15: costs against the number of bodies, and the time of a processor for each."""

from functools import cache

import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.work import work_of
from phalanx.studies.sharf.comparison import compare_chains
from phalanx.studies.sharf.machines import scaling_chain
from phalanx.studies.sharf.parallel_time import OVERHEAD, parallel_time, parallel_times
from phalanx.studies.sharf.scaling import exponents, recursion_operations, scaling, slope


@cache
def found():
    return scaling((2, 5, 10, 20), solutions=10)


def test_13_exponents_of_conjugate_gradients_and_of_recursion():
    """Of operations. The paper's 1.12 and 1.17 are of times, of chains that it does not give."""
    single, double = exponents(found())
    assert 0.9 <= single.recursion <= 1.1 and 0.9 <= double.recursion <= 1.1
    assert 1.1 <= single.operations <= 1.6 and 1.1 <= double.operations <= 1.6
    assert double.operations < single.operations
    assert single.operations == pytest.approx(1 + single.iterations, abs=0.3)


def test_iterations_stay_below_the_dimension_of_the_system():
    for row in found():
        assert row.dimension == row.links * (6 - row.freedoms)
        assert row.iterations < row.dimension


def test_operations_are_linear_in_bodies_but_for_iterations():
    rows = [(n, scaling_chain(n, 2)) for n in (16, 32, 64)]
    work = [work_of(jointed_bodies(bodies_of(chain))) for _, chain in rows]
    recursion = [recursion_operations(bodies_of(chain)) for _, chain in rows]
    for costs in ([w.once for w in work], [w.step for w in work], recursion):
        assert slope([n for n, _ in rows], costs) == pytest.approx(1, abs=0.03)
    assert work[0].serial < 0.1 * work[0].once


def test_recursion_costs_what_its_unrolled_code_does_or_more():
    chain = px.library.chain(12)
    unrolled = px.count_operations(px.expression(px.forward_dynamics.articulated_body, chain)).total
    assert unrolled <= recursion_operations(bodies_of(chain)) < 12 * 1000


def test_15_the_time_model_on_measured_times():
    for row in parallel_times((3, 12), threads=2):
        assert 0 < row.serial <= row.cpu and row.measured > 0 and row.recursion > 0
        assert 1 <= row.real / row.ideal <= OVERHEAD
        assert row.ideal == pytest.approx((row.cpu - row.serial) / row.links + row.serial)
        assert row.real == pytest.approx(1.3 * (row.cpu - row.serial) / row.links + row.serial)
        assert row.expected == parallel_time(row.cpu, row.serial, 2, OVERHEAD)


def test_the_time_model_at_its_ends():
    assert parallel_time(5.0, 1.0, 1) == 5.0
    assert parallel_time(5.0, 1.0, 4, 1.3) == pytest.approx(2.3)
    assert parallel_time(5.0, 5.0, 100, 1.3) == 5.0  # nothing can be shared
    for wrong in ((1.0, 2.0, 1), (1.0, -1.0, 1), (1.0, 0.5, 0), (1.0, 0.5, 1, 0.5)):
        with pytest.raises(InvalidInput, match="expected 0 <= serial <= cpu"):
            parallel_time(*wrong)


def test_what_cannot_be_compared():
    with pytest.raises(InvalidInput, match="two lengths or more"):
        scaling((5, 5))
    with pytest.raises(InvalidInput, match="0 solutions"):
        scaling((2, 3), solutions=0)
    with pytest.raises(InvalidInput, match="3 freedoms a joint"):
        scaling_chain(2, 3)
    with pytest.raises(UnknownName, match="Did you mean 'figure2'"):
        compare_chains(("figur2",))
