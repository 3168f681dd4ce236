"""Plans for a hundred thousand tasks on 64 processors: how long does it take to make them?

    python benchmarks/scheduling.py [--tasks 100000] [--rows 4]

A random program, rows of operations each of which reads two of the rows before, is cut into a task
for every operation. Each policy plans it for three computers; each plan is checked, and carried
out with numbers, which must be those of one processor. No step for a shared memory may take more
than ten seconds of this process's time, which counts no other work of the machine. `--rows` is the
width of a row in multiples of the processors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from phalanx.kernel.graph.graph import Builder, Element, Graph, Port
from phalanx.multiprocessor import (
    MessagePassing,
    SharedMemory,
    TaskGraph,
    Topology,
    earliest_finish,
    highest_level_first,
    layered,
    lower_bound,
)
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values
from phalanx.multiprocessor.tasks.cut import cut_finely

PROMISE = 10.0
PROCESSORS = 64
COMPUTERS = {
    "shared memory": SharedMemory(PROCESSORS),
    "…, seen after 2 operations": SharedMemory(PROCESSORS, synchronization=2.0),
    "mesh, messages of 0.2": MessagePassing(PROCESSORS, topology=Topology.mesh(8, 8), start_up=0.2),
}
OPERATIONS = ("mul", "fmax", "sub", "mul")


def program(tasks: int, width: int) -> Graph:
    """Random operations in rows; a value of an unread row is a result."""
    rng = np.random.default_rng(1)
    builder = Builder()
    rows = [[builder.add("input", element=Element(0, k)) for k in range(width)]]
    while len(builder.nodes) < tasks + width:
        known = rows[-3:]
        row = []
        for _ in range(min(width, tasks + width - len(builder.nodes))):
            a = known[-1][rng.integers(len(known[-1]))]
            b = (some := known[rng.integers(len(known))])[rng.integers(len(some))]
            row.append(builder.add(OPERATIONS[rng.integers(len(OPERATIONS))], a, b))
        rows.append(row)
    read = {a for node in builder.nodes for a in node.args}
    unread = tuple(n for n in range(width, len(builder.nodes)) if n not in read)
    port = Port("x", width, 1, (width,))
    result = Port("y", len(unread), 1, (len(unread),))
    return Graph("random", (port,), (result,), tuple(builder.nodes), (unread,))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the processor time it took [s]."""
    start = process_time()
    result = work()
    return result, process_time() - start


def on_one_processor(graph: TaskGraph, x: np.ndarray) -> np.ndarray:
    """The results by evaluating one operation after the other."""
    assert graph.program is not None
    values = given_values(graph.program, [x], graph.owner)
    evaluate_nodes(graph.program, sorted(graph.owner), values)
    return np.array([values[n] for n in graph.program.results[0]])


def main() -> int:
    """Plan, check, execute, print; 1 when the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=4, help="width of a row / processors")
    options = parser.parse_args()
    width = PROCESSORS * options.rows
    graph, building = timed(lambda: cut_finely(program(options.tasks, width)))
    bound, bounding = timed(lambda: lower_bound(graph, COMPUTERS["shared memory"]))
    x = np.random.default_rng(2).uniform(-1, 1, width)
    expected, serial = timed(lambda: on_one_processor(graph, x))
    table = Table(
        title=f"{len(graph)} tasks on {PROCESSORS} processors",
        caption=f"building the graph {building:.1f} s, bound {bound:g} in {bounding:.1f} s, "
        f"one processor {serial:.1f} s",
    )
    for column in ("computer", "policy", "plan [s]", "check [s]", "execute [s]", "speed-up"):
        right = "[s]" in column or "-" in column
        table.add_column(escape(column), justify="right" if right else "left")
    slowest = building
    for name, computer in COMPUTERS.items():
        for policy in (layered, highest_level_first, earliest_finish):
            plan, planning = timed(lambda: policy(graph, computer))  # noqa: B023
            faults, checking = timed(lambda: plan.violations)  # noqa: B023
            found, executing = timed(lambda: plan.execute(x))  # noqa: B023
            assert not faults, faults[0].text
            np.testing.assert_array_equal(found, expected)
            seconds = (planning, checking, executing)
            if not computer.is_wired:
                slowest = max(slowest, *seconds)
            table.add_row(name, plan.policy, *(f"{s:.1f}" for s in seconds), f"{plan.speedup:.1f}")
    Console().print(table)
    return int(slowest > PROMISE)


if __name__ == "__main__":
    sys.exit(main())
