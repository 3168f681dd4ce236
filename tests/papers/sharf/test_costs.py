"""Checks 13 and 15: costs against the number of bodies, and the time of a processor for each."""

from functools import cache

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.work import SolutionCost, work_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.studies.sharf import parallel_time as timed
from phalanx.studies.sharf.comparison import compare_chains
from phalanx.studies.sharf.machines import scaling_chain
from phalanx.studies.sharf.parallel_model import (
    COMPUTERS,
    ChainComputer,
    ParallelWork,
    crossover,
    parallel_work,
)
from phalanx.studies.sharf.parallel_time import OVERHEAD, parallel_time, parallel_times
from phalanx.studies.sharf.scaling import (
    exponents,
    moving_chain,
    recursion_operations,
    scale,
    scaling,
    slope,
)


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


def preconditioned(A, b, D, f, tolerance):
    """Steps of textbook conjugate gradients with D as preconditioner, and where they end."""
    r = b - A @ f
    z = np.linalg.solve(D, r)
    p, rho, steps = z, r @ z, 0
    while True:
        Ap = A @ p
        step = rho / (p @ Ap) * p
        f, steps = f + step, steps + 1
        if np.linalg.norm(step) <= tolerance * np.linalg.norm(f):
            return f, steps
        r = r - rho / (p @ Ap) * Ap
        z = np.linalg.solve(D, r)
        rho, before = r @ z, rho
        p = z + rho / before * p


@pytest.mark.parametrize("freedoms", [1, 2])
def test_iterations_of_figure_2_are_those_of_textbook_conjugate_gradients(freedoms):
    """With full matrices, and each begun where a cubic through the last four solutions leads."""
    motion = moving_chain(6, freedoms, 7)
    equations = ConstraintEquations(jointed_bodies(bodies_of(motion.mechanism)))
    root = still_root(motion.mechanism, len(motion.t))
    system = equations.pose(motion.q, motion.v, motion.tau, root).system
    joint = np.repeat(np.arange(6), 6 - freedoms)
    past, counts = [], []
    for A, b in zip(*system.dense(), strict=True):
        last = past[-4:]
        f = np.zeros_like(b)
        if last:
            samples = np.array(last)
            x = np.arange(len(last), dtype=float)
            f = np.array([np.polyval(np.polyfit(x, y, len(x) - 1), len(x)) for y in samples.T])
        D = np.where(joint[:, None] == joint, A, 0.0)
        f, steps = preconditioned(A, b, D, f, 1e-7)
        past.append(f)
        counts.append(steps)
    found = scale(motion, freedoms)
    assert found.dimension == len(b) == 6 * (6 - freedoms)
    assert found.iterations == pytest.approx(np.mean(counts), abs=0.3)
    assert counts[-1] < counts[0]  # a cubic pays


def test_operations_are_linear_in_bodies_but_for_iterations():
    rows = [(n, scaling_chain(n, 2)) for n in (16, 32, 64)]
    work = [work_of(jointed_bodies(bodies_of(chain))) for _, chain in rows]
    recursion = [recursion_operations(bodies_of(chain)) for _, chain in rows]
    for costs in ([w.once for w in work], [w.step for w in work], recursion):
        assert slope([n for n, _ in rows], costs) == pytest.approx(1, abs=0.03)
    assert work[0].serial < 0.1 * work[0].once


def test_recursion_is_counted_in_code_that_all_bodies_share():
    """As the iteration is: no link has code of its own, however many are alike."""
    five, forty = (recursion_operations(bodies_of(scaling_chain(n, 1))) for n in (5, 40))
    assert forty == 8 * five > 0


def test_each_length_is_told_before_it_is_measured():
    told: list[str] = []
    compare_chains(("figure2",), solutions=1, longest=3, progress=told.append)
    assert told == [f"figure2: {n} bodies with joints of {kind}" for kind in (1, 2) for n in (2, 3)]
    assert compare_chains(()).figure2 is None


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


def test_t_serial_is_the_sums_of_all_steps_and_the_velocities_from_body_to_body(monkeypatch):
    """Measured times replaced by others, in the order in which they are measured."""
    times = iter((9.0, 5.0, 0.01, 0.5, 2.0))
    monkeypatch.setattr(timed, "_best", lambda work: (work(), next(times))[1])
    (row,) = parallel_times((4,), threads=2)
    assert (row.cpu, row.measured, row.recursion) == (9.0, 5.0, 2.0)
    # (z, Dz), (z, Az), |f| and |f - f_before| in each step
    assert row.serial == pytest.approx(0.5 + 4 * row.iterations * 0.01)
    assert row.iterations > 1


def test_the_best_of_seven_times_counts_and_the_first_may_compile(monkeypatch):
    """By a clock that each piece of work moves on by so much."""
    now, pieces = [1000.0], iter((50.0, 3.0, 2.0, 5.0, 4.0, 2.5, 9.0, 3.0))
    monkeypatch.setattr(timed.time, "perf_counter", lambda: now[0])

    def work():
        now[0] += next(pieces)

    assert timed._best(work) == 2.0
    assert next(pieces, None) is None


def test_t_serial_in_operations_is_what_the_pass_over_the_velocities_runs():
    for freedoms in (1, 2):
        jointed = jointed_bodies(bodies_of(scaling_chain(9, freedoms)))
        kernel = ConstraintEquations(jointed)._turning._kernel(1)
        members = [len(kind.members) for kind in jointed.kinds]
        passed = zip(kernel.operations, members, strict=True)
        assert work_of(jointed).serial == sum(own.total * count for own, count in passed) > 0


# 4 bodies, 10 steps; a step of 200 operations, 1000 before and after, 100 of them in a row
SMALL = ParallelWork(4, 1, 10.0, SolutionCost(1000, 100, 200), 2000)


def test_the_machine_model_by_hand():
    assert (SMALL.total, SMALL.levels) == (3000, 2)
    assert SMALL.serial == 100 + 10 * 4 * 2  # four sums a step, up a tree of two levels
    assert SMALL.ideal == 2820 / 4 + 180
    assert SMALL.real == pytest.approx(1.3 * 2820 / 4 + 180)
    assert SMALL.gain == pytest.approx(2000 / 1096.5)
    # velocities to three bodies, or one exchange; a step: an exchange, two sums up and down
    assert SMALL.messages(passed=True) == 3 + 10 * (1 + 2 * 2 * 2)
    assert SMALL.messages(passed=False) == 1 + 10 * (1 + 2 * 2 * 2)
    computer = ChainComputer("by hand", 2.0, 5.0, 1.0)
    step = (5 + 5) + 4 * (5 + 1) + 4 * (5 + 3)
    assert SMALL.seconds(computer) == pytest.approx(2 * (705 + 180) + 3 * (5 + 6) + 10 * step)
    own = 2 * (705 + 100 / 4 + 80) + (5 + 6) + 10 * step
    assert SMALL.seconds(computer, passed=False) == pytest.approx(own)
    assert SMALL.alone(computer) == 4000
    alone = ParallelWork(1, 1, 1.0, SolutionCost(1000, 100, 200), 2000)
    assert alone.messages(passed=True) == alone.messages(passed=False) == 0
    with pytest.raises(InvalidInput, match="a positive time of an operation"):
        ChainComputer("none", 0.0, 1.0)


def test_ready_made_computers_have_the_times_of_their_data():
    """Means of an addition and a product; a T800 takes 7 and 20 cycles of 50 ns for them."""
    transputers, cores, cluster = COMPUTERS
    assert transputers.operation == pytest.approx(13.5 * 50e-9)
    assert transputers.message(2) == pytest.approx(5e-6 + 2 * 8 / 1.75e6)
    assert (cores.operation, cores.message(9)) == (3e-10, 1e-7)
    assert cluster.operation == 3e-10
    assert cluster.message(10) == pytest.approx(20e-6 + 10 * 6.4e-9)


@pytest.mark.parametrize("passed", [True, False])
def test_at_the_break_even_latency_both_take_the_same_time(passed):
    at = ChainComputer("break even", 3.0, 3.0 * SMALL.break_even(passed=passed))
    assert SMALL.seconds(at, passed=passed) == pytest.approx(SMALL.alone(at))


def test_where_gains_cross():
    rows = [ParallelWork(n, 1, 1.0, SolutionCost(1, 0, 0), 1) for n in (10, 40, 80)]
    for gains, expected in (
        ((0.5, 2.0, 3.0), 20.0),
        ((2.0, 0.5, 2.0), np.sqrt(40 * 80)),  # the last time
        ((1.5, 2.0, 3.0), 10.0),
        ((0.5, 2.0, 0.9), None),
    ):
        by_links = dict(zip((10, 40, 80), gains, strict=True))
        found = crossover(rows, lambda row, gain=by_links: gain[row.links])
        assert found == (expected if expected is None else pytest.approx(expected))


def test_15_parallel_iteration_falls_below_serial_recursion():
    """Figure 3, the main result, in operations: later with one freedom a joint than with two."""
    lengths = (5, 20, 40, 100)
    rows = {(row.freedoms, row.links): row for row in parallel_work(lengths, solutions=6)}
    single, double = ([rows[kind, n].gain for n in (5, 20, 100)] for kind in (1, 2))
    assert single[0] < single[1] < 1 < single[2]
    assert double[0] < 1 < double[1] < double[2]
    assert all(two > one for one, two in zip(single, double, strict=True))
    for row in rows.values():
        # only marginally with N, as the paper says: recursion takes N times as long
        assert row.total / row.links < row.ideal < row.real
    assert rows[2, 100].real < 4 * rows[2, 5].real < rows[2, 100].recursion
    # unrolled code of the recursion has half the operations, and is above from 40 bodies on
    unrolled = px.expression(px.forward_dynamics.articulated_body, scaling_chain(40, 2))
    assert px.count_operations(unrolled).total > rows[2, 40].real


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
