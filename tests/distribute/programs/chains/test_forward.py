"""Chains divided among processes: their blocks, their accelerations, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import phalanx as px
from distribute.programs.chains.machines import mixed
from phalanx.distribute.processes import run, run_together
from phalanx.distribute.programs.chains.chain import chain_of
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.distribute.programs.chains.forward import ForwardDynamicsJob, Solving
from phalanx.distribute.programs.chains.segments import branches, runs, segments_of, step_cost
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.relaxation import GaussSeidel
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.spectrum import spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.method import still_root

CHAIN = px.library.chain(7, alternate=True)


def state(machine, seed=0):
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=machine.nv), rng.normal(size=machine.nv)
    return px.Dynamics(machine).integrate(machine.neutral(), rng.normal(size=machine.nv)), v, tau


def chain_structure(sizes):
    parent = np.arange(-1, len(sizes) - 1, dtype=np.int32)
    return Structure(parent, np.array(sizes, np.int32), max(sizes))


def test_bodies_are_segments_of_in_order_and_evenly():
    segments = segments_of(chain_structure([5] * 10), 4)
    assert [one.spans for one in segments] == ["1-3", "4-6", "7-8", "9-10"]
    reach = [(0, 4), (2, 7), (5, 9), (7, 10)]
    assert [one.reach.tolist() for one in segments] == [list(range(a, z)) for a, z in reach]
    alone = segments_of(chain_structure([5] * 3), 3)
    assert [one.joints.tolist() for one in alone] == [[0], [1], [2]]
    assert [(one.inboard, one.outboard, one.collector) for one in alone] == [
        (None, (1,), None),
        (0, (2,), 0),
        (1, (), 1),
    ]
    assert all(one.in_row for one in alone)
    with pytest.raises(px.InvalidInput, match="3 bodies cannot be divided among 4 processes"):
        segments_of(chain_structure([5] * 3), 4)
    with pytest.raises(px.InvalidInput, match="on 0 processes"):
        segments_of(chain_structure([5] * 3), 0)


def work(sizes, ends):
    """Of the busiest process: all blocks of a run are as wide as its widest."""
    begins = [0, *ends[:-1]]
    return max((z - a) * step_cost(max(sizes[a:z])) for a, z in zip(begins, ends, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_runs_of_a_chain_have_the_least_work_for_the_busiest(seed):
    """Against all ways to cut it."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 9).tolist()
    for processes in (1, 2, 3, 4, 9):
        ends = runs(sizes, processes)
        assert len(ends) == processes and ends == sorted(set(ends)) and ends[-1] == 9
        every = itertools.combinations(range(1, 9), processes - 1)
        assert work(sizes, ends) == min(work(sizes, [*cut, 9]) for cut in every)


def test_a_process_has_more_ball_joints_than_hinges():
    """A third of a chain has hinges, the rest balls; by count each process would have eight."""
    ends = runs([5] * 8 + [3] * 16, 3)
    counts = np.diff([0, *ends])
    assert counts[0] < counts[-1]
    assert work([5] * 8 + [3] * 16, ends) < work([5] * 8 + [3] * 16, [8, 16, 24])


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_a_tree_hang_together_and_the_busiest_has_the_least(seed):
    """Against all ways to cut as many joints; parts that begin at the root may be one."""
    rng = np.random.default_rng(seed)
    parent = [-1, *(int(rng.integers(-1, k)) for k in range(1, 9))]
    costs = rng.integers(1, 20, 9).tolist()

    def parts(cut):
        head = []
        for joint, on in enumerate(parent):
            head.append(joint if joint in cut else (head[on] if on >= 0 else -1))
        return head

    def busiest(head):
        return max(
            sum(c for c, h in zip(costs, head, strict=True) if h == one) for one in set(head)
        )

    for processes in (1, 2, 3, 5, 9):
        owner = branches(parent, costs, processes).tolist()
        assert set(owner) == set(range(processes))
        every = itertools.chain(
            itertools.combinations(range(9), processes - 1),
            itertools.combinations(range(9), processes),
        )
        heads = [head for cut in every if len(set(head := parts(cut))) == processes]
        assert busiest(owner) == min(busiest(head) for head in heads)
        for joint, on in enumerate(parent):
            # a part has one joint that begins it, or several on the root
            same = [k for k in range(joint) if owner[k] == owner[joint]]
            assert not same or owner[joint] == (owner[on] if on >= 0 else owner[joint]) or on < 0


@pytest.mark.parametrize("machine", [CHAIN, mixed()], ids=["alike", "mixed"])
def test_blocks_of_a_part_are_those_of_the_whole(machine):
    """To the last bit for A; b is the same for who moves along uniformly, up to rounding."""
    equations = ConstraintEquations(jointed_bodies(bodies_of(machine)))
    q, v, tau = (x[None] for x in state(machine))
    whole = equations.pose(q, v, tau, still_root(machine)).system
    chain = chain_of(machine)
    part = equations.part(np.arange(2, 6))
    own = slice(chain.q_begins[2], chain.q_begins[6]), slice(chain.v_begins[2], chain.v_begins[6])
    root = np.zeros((1, 9))
    root[0, :3] = equations.turning(q, v, np.zeros((1, 3)))[0, 1]
    mine = part.pose(q[:, own[0]], v[:, own[1]], tau[:, own[1]], root).system
    np.testing.assert_array_equal(mine.D[:, 1:], whole.D[:, 3:6])
    np.testing.assert_array_equal(mine.L[:, 1:], whole.L[:, 3:6])
    # the last of them has the next joint's force on it, which the part knows nothing of
    atol = 1e-13 * np.abs(whole.b).max()
    np.testing.assert_allclose(mine.b[:, 1:3], whole.b[:, 3:5], rtol=0, atol=atol)


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_joints_of_every_kind(processes):
    machine = mixed()
    q, v, tau = state(machine)
    found = run(ForwardDynamicsJob(machine, q, v, tau), processes)
    expected = px.Dynamics(machine).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    assert found.residual <= 1e-9


def test_a_start_that_is_the_solution_needs_no_step():
    q, v, tau = state(CHAIN)
    found = run(ForwardDynamicsJob(CHAIN, q, v, tau), 3)
    tests = Solving(stopping=Stopping(change=None, residual=1e-8))
    again = run(ForwardDynamicsJob(CHAIN, q, v, tau, solving=tests, start=found.f), 2)
    assert found.iterations > 10 and again.iterations == 0
    np.testing.assert_array_equal(again.f, found.f)
    with pytest.raises(px.InvalidInput, match=r"start .* shape \(2,\); expected \(7, 5\)"):
        run(ForwardDynamicsJob(CHAIN, q, v, tau, start=[0.0, 0.0]), 2)


def test_nodes_find_the_spectral_radius_together():
    q, v, tau = state(CHAIN)
    chain = chain_of(CHAIN)
    posed = chain.equations.pose(q[None], v[None], tau[None], still_root(CHAIN))
    (mu,) = spectral_radius(posed.system)
    stopping = Stopping(change=1e-7)
    parts = [SegmentDynamics(chain, one, ChebyshevJacobi(), stopping) for one in chain.divided(3)]
    done = run_together([one.evaluated(*chain.cut(one.segment, q, v, tau)) for one in parts])
    for one in parts:
        assert one.prepared == pytest.approx(mu, abs=1e-4)
    serial = ChebyshevJacobi(mu).solve(posed.system, stopping=stopping)
    f = np.concatenate([one.f for one in done.results])
    np.testing.assert_allclose(f, serial.f[0], rtol=0, atol=1e-5 * np.abs(f).max())


def test_an_iteration_that_does_not_converge_says_so_at_every_node():
    q, v, tau = state(CHAIN)
    chain, stopping = chain_of(CHAIN), Stopping(change=1e-9, most=5)
    said = []

    def program(segment):
        try:
            dynamics = SegmentDynamics(chain, segment, Jacobi(), stopping)
            yield from dynamics.evaluated(*chain.cut(segment, q, v, tau))
        except DidNotConverge as failure:
            said.append(str(failure))

    run_together([program(one) for one in chain.divided(3)])
    assert len(said) == 3 and len(set(said)) == 1
    assert "Jacobi did not converge in 5 iterations" in said[0]
    with pytest.raises(DidNotConverge, match="residual is"):
        run(ForwardDynamicsJob(CHAIN, q, v, tau, solving=Solving(Jacobi(), stopping)), 2)


def test_what_cannot_be_segments_of_is_refused():
    q, v, tau = state(CHAIN)
    with pytest.raises(px.InvalidInput, match="7 bodies cannot be divided among 8 processes"):
        run(ForwardDynamicsJob(CHAIN, q, v, tau), 8)
    with pytest.raises(px.InvalidInput, match="GaussSeidel takes one joint after the other"):
        run(ForwardDynamicsJob(CHAIN, q, v, tau, solving=Solving(GaussSeidel())), 2)
    with pytest.raises(px.InvalidInput, match=r"'tau' .* shape \(6,\); expected \(7,\)"):
        run(ForwardDynamicsJob(CHAIN, q, v, tau[:6]), 2)
    wrong = tau.copy()
    wrong[4] = np.nan
    with pytest.raises(px.InvalidInput, match=r"'tau' .* is nan at the joint .* body 'link_5'"):
        run(ForwardDynamicsJob(CHAIN, q, v, wrong), 2)
    with pytest.raises(px.InvalidModel, match="closes on itself"):
        chain_of(px.library.four_bar())
