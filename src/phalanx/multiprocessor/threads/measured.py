"""Measurements on this computer: time of an operation, of a synchronization, of a plan.

Policy: everything runs as plans do, as emitted code on pinned threads. Turns are short and there
are many; the best is the time without disturbance. What is compared takes turns, and is compared
to the last bit before it is timed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Element, Graph, Node, Port
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.earliest_finish import earliest_finish
from phalanx.multiprocessor.tasks.coarsen import coarsen
from phalanx.multiprocessor.tasks.cut import cut
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.threads.compile import compile_plan, compile_serial
from phalanx.multiprocessor.threads.parallel_program import ParallelProgram

_TURNS = 40
_TURN = 2e-4  # [s]
_STREAM = 1000
_SLOW_STREAM = 100  # of operations that are many instructions
_HOPS = 200
# of how many parts tasks are tried
_PARTS = (3, 8, 24, 72, 200)
# a stream reads what is so far back: as many operations are under way at a time, about as in the
# dynamics of an arm
_LAG = 4


@dataclass(frozen=True)
class Measurement:
    """A plan on threads of this machine, beside what the plan says.

    Attributes:
        plan: What was carried out.
        waits: How often a processor waits for another in one evaluation.
        serial: Best time of one processor that runs the same operations as one program [s].
        parallel: Best time of all threads together, a barrier included [s].
    """

    plan: Schedule
    waits: int
    serial: float
    parallel: float

    @property
    def predicted(self) -> float:
        """Speed-up that the plan promises on its computer."""
        return self.plan.speedup

    @property
    def speedup(self) -> float:
        """How many times as fast as one thread."""
        return self.serial / self.parallel


def measure(plan: Schedule, *inputs: Any, turns: int = _TURNS) -> Measurement:
    """Carry a plan out on threads and time it.

    Args:
        plan: See :func:`phalanx.multiprocessor.compile_plan`.
        inputs: An array for each input of the graph's program; random numbers when there are none.
        turns: How many turns each of the two gets.
    """
    program = compile_plan(plan)
    alone = compile_serial(plan.graph)
    arguments = inputs or _numbers(plan)
    for found, true in zip(_outputs(program, arguments), _outputs(alone, arguments), strict=True):
        assert found.tobytes() == true.tobytes(), "threads compute what one processor computes"
    serial, parallel = take_turns((alone, program), arguments, turns)
    return Measurement(plan, program.waits, serial, parallel)


def fastest_plan(
    graph: TaskGraph, computer: Computer, *inputs: Any, turns: int = _TURNS
) -> Measurement:
    """Join tasks to several sizes, plan each and measure; returns the fastest on this machine.

    A plan counts how often processors signal each other, not how much, nor what the code
    and the caches of a machine make of it. So the clock decides, between tasks of a third of all
    operations and of a two hundredth. Plans that leave all but one processor idle are left out.

    Args:
        graph: Tasks with a program, as fine as they come.
        computer: What to plan for, such as ``measured_multicore(2)``.
        inputs: As for :func:`measure`.
        turns: As for :func:`measure`.

    Raises:
        InvalidInput: No size of task gives more than one processor anything to do.
    """
    total = graph.operations.total
    plans = (earliest_finish(coarsen(graph, max(1, total // parts)), computer) for parts in _PARTS)
    shared = [plan for plan in plans if len({p.processor for p in plan.placements}) > 1]
    if not shared:
        raise InvalidInput(
            f"'{graph.name}' with its {total} operations is too small for a second processor of "
            f"'{computer.name}', whatever the size of its tasks."
        )
    return min((measure(plan, *inputs, turns=turns) for plan in shared), key=lambda m: m.parallel)


def measured_multicore(processors: int) -> SharedMemory:
    """This machine as a computer to schedule for: operations and synchronisation, measured.

    The time of an operation is that in a stream of 1000 of its kind, in which each reads results of
    four and eight operations ago. Synchronisation is what it takes longer to add to a number when
    two threads on two processors take turns at it; where there is one processor, that is the time
    to change from one thread to the other.

    Args:
        processors: How many the computer shall have; all pairs are taken to be as the first two.
    """
    speed = Speed(
        add=_operation_time("add"),
        multiply=_operation_time("mul"),
        divide=_operation_time("div"),
        sqrt=_operation_time("sqrt"),
        sincos=_operation_time("sin"),
        other=_operation_time("exp"),
    )
    return SharedMemory(
        processors,
        speed,
        "s",
        synchronization=synchronization_time() if processors > 1 else 0.0,
        name="measured multicore",
    )


def synchronization_time() -> float:
    """From a result on one processor until another one goes on with it [s]."""
    nodes = [Node("input", element=Element(0, 0)), Node("const", value=1.0)]
    nodes += [Node("add", (n - 1 if n > 2 else 0, 1)) for n in range(2, 2 + _HOPS)]
    graph = cut(_graph("ping_pong", 1, nodes), {f"add{n}": (n,) for n in range(2, 2 + _HOPS)})
    own = [[(n,) for n in range(first, 2 + _HOPS, 2)] for first in (2, 3)]
    both = ParallelProgram(graph, own)
    alone, together = take_turns((compile_serial(graph), both), (np.ones(1),), 4 * _TURNS)
    return max(0.0, (together - alone) / _HOPS)


def take_turns(
    programs: Sequence[ParallelProgram], inputs: Sequence[Any], turns: int = _TURNS
) -> tuple[float, ...]:
    """Best time of one evaluation of each program, measured in turns [s]."""
    if turns < 1:
        raise InvalidInput(f"{turns} turns; there must be at least one.")
    counts = [
        max(1, min(100_000, int(_TURN / min(p.repeat(10, *inputs) for _ in range(5)))))
        for p in programs
    ]
    best = [float("inf")] * len(programs)
    for _, (k, program) in itertools.product(range(turns), enumerate(programs)):
        best[k] = min(best[k], program.repeat(counts[k], *inputs))
    return tuple(best)


def _operation_time(op: str) -> float:
    """Of one operation in a stream of them [s]."""
    start = 2 * _LAG
    count = _SLOW_STREAM if op in ("sin", "exp") else _STREAM
    nodes = [Node("input", element=Element(0, k)) for k in range(start)]
    for n in range(start, start + count):
        near, far = n - _LAG, n - 2 * _LAG
        args = (near, far) if op in ("add", "mul") else (far, near) if op == "div" else (near,)
        nodes.append(Node(op, args))
    graph = cut(_graph(op, start, nodes), {"stream": range(start, start + count)})
    (best,) = take_turns([compile_serial(graph)], [np.ones(start)])
    return best / count


def _graph(name: str, inputs: int, nodes: Sequence[Node]) -> Graph:
    """A program that reads some numbers and gives the last few it computes."""
    results = tuple(range(len(nodes) - inputs, len(nodes)))
    ports = (Port(port, inputs, 1, (inputs,)) for port in ("x", "y"))
    return Graph(name, (next(ports),), (next(ports),), tuple(nodes), (results,))


def _outputs(program: ParallelProgram, inputs: Sequence[Any]) -> tuple[Any, ...]:
    results = program(*inputs)
    return results if isinstance(results, tuple) else (results,)


def _numbers(plan: Schedule) -> list[Any]:
    program = plan.graph.program
    assert program is not None, "a program was compiled"
    random = np.random.default_rng(1)
    return [random.uniform(-1.0, 1.0, port.shape) for port in program.inputs]
