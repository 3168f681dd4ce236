"""What this machine takes: for an operation, for two threads to agree, for a plan.

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

from phalanx.errors import InvalidInput
from phalanx.kernel.graph import Element, Graph, Node, Port
from phalanx.multiprocessor.computers import SharedMemory, Speed
from phalanx.multiprocessor.cut import cut
from phalanx.multiprocessor.schedule import Schedule
from phalanx.multiprocessor.threads import ParallelProgram, compile, compile_serial

_TURNS = 40
_TURN = 2e-4  # [s]
_STREAM = 1000
_SLOW_STREAM = 100  # of operations that are many instructions
_HOPS = 200
# a stream reads what is so far back: as many operations are under way at a time, about as in the
# dynamics of an arm
_LAG = 4


@dataclass(frozen=True)
class Measurement:
    """A plan on threads of this machine, beside what the plan says.

    Attributes:
        processors: How many threads.
        tasks: How many tasks.
        operations: Of all of them.
        waits: How often a processor waits for another in one evaluation.
        predicted: Speed-up of the plan on its computer.
        serial: Best time of one processor that runs the same operations as one program [s].
        parallel: Best time of all threads together, a barrier included [s].
    """

    processors: int
    tasks: int
    operations: int
    waits: int
    predicted: float
    serial: float
    parallel: float

    @property
    def speedup(self) -> float:
        """How many times as fast as one thread."""
        return self.serial / self.parallel


def measure(plan: Schedule, *inputs: Any, turns: int = _TURNS) -> Measurement:
    """Carry a plan out on threads and time it.

    Args:
        plan: See :func:`phalanx.multiprocessor.compile`.
        inputs: An array for each input of the graph's program; random numbers when there are none.
        turns: How many turns each of the two gets.
    """
    program = compile(plan)
    alone = compile_serial(plan.graph)
    arguments = inputs or _numbers(plan)
    results, expected = program(*arguments), alone(*arguments)
    same = results if isinstance(results, tuple) else (results,)
    truth = expected if isinstance(expected, tuple) else (expected,)
    for result, true in zip(same, truth, strict=True):
        assert result.tobytes() == true.tobytes(), "threads compute what one processor computes"
    serial, parallel = take_turns((alone, program), arguments, turns)
    return Measurement(
        program.processors,
        len(plan.graph),
        plan.graph.operations.total,
        program.waits,
        plan.speedup,
        serial,
        parallel,
    )


def measured_multicore(processors: int) -> SharedMemory:
    """This machine as a computer to schedule for: operations and synchronisation, measured.

    The time of an operation is that in a stream of 1000 of its kind, in which each reads results of
    four and eight operations ago. Synchronisation is what it takes longer to add to a number when
    two threads on two processors take turns at it. On a machine of one processor it cannot be
    measured.

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


def _numbers(plan: Schedule) -> list[Any]:
    program = plan.graph.program
    assert program is not None, "a program was compiled"
    random = np.random.default_rng(1)
    return [random.uniform(-1.0, 1.0, port.shape) for port in program.inputs]
