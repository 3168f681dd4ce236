"""Operations are shared out whole, in order, in tasks no larger than allowed."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX
from hypothesis import given
from hypothesis import strategies as st

from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.multiprocessor.tasks.sharing import fitted, shared_out


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_shared_out_operations_are_whole_in_order_and_no_larger_than_allowed(size, seed):
    rng = np.random.default_rng(seed)
    symbols = SX.sym("x", 3)
    values = [symbols[k] for k in range(3)]
    for _ in range(25):
        a, b = rng.choice(len(values), 2)
        values.append(values[a] - values[b] * values[a] if rng.random() < 0.5 else -values[a] / 3)
    program = simplify(read_casadi(ca.Function("f", [symbols], [ca.vertcat(*values[-4:])])))
    tasks = shared_out(program, size)

    owner = {n: t for t, members in enumerate(tasks) for n in members}
    work = {n for n, node in enumerate(program.nodes) if node.op not in ("const", "input", "neg")}
    assert work <= set(owner)
    assert sum(map(len, tasks)) == len(owner)
    assert all(1 <= len(work & set(members)) <= size for members in tasks)
    # a task reads only of tasks before it
    for n, t in owner.items():
        assert all(owner.get(a, t) <= t for a in program.nodes[n].args)


def test_tasks_of_one_operation_are_the_operations():
    x = SX.sym("x", 8)
    program = simplify(read_casadi(ca.Function("f", [x], [ca.sum1(x * x)])))
    assert sorted(len(task) for task in shared_out(program, 1)) == [1] * 15


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 6))
def test_lots_stay_whole_and_fit(lots, size):
    tasks = fitted(lots, size)
    assert sorted(k for task in tasks for k in task) == [k for k, n in enumerate(lots) if n]
    assert all(len(task) == 1 or sum(lots[k] for k in task) <= size for task in tasks)
    # no task could have gone into an earlier one
    for later, task in enumerate(tasks):
        for earlier in tasks[:later]:
            assert sum(lots[k] for k in earlier) + lots[task[0]] > size
