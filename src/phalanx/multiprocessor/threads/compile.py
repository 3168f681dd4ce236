"""Compile a plan to machine code for threads."""

from __future__ import annotations

from phalanx.base.errors import InvalidInput
from phalanx.kernel.call.threads import processors as usable_processors
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.threads.parallel_program import ParallelProgram

_MOST_THREADS = 64


def compile_plan(plan: Schedule) -> ParallelProgram:
    """Machine code that carries a plan out on threads of this machine.

    Args:
        plan: For a computer with shared memory, without violations, of a graph with a program.

    Returns:
        A callable: ``compile_plan(plan)(q, v, a)``. Its results are, to the last bit, those of one
        processor that does the same tasks.
    """
    graph = plan.graph
    computer = plan.computer
    if not computer.shares_memory:
        raise InvalidInput(
            f"threads share a memory, but the plan is for '{computer.name}'. "
            f"Schedule '{graph.name}' for SharedMemory({computer.processors}) instead."
        )
    if plan.violations:
        raise InvalidInput(
            f"the plan for '{graph.name}' cannot be carried out: {plan.violations[0].text} "
            f"({len(plan.violations)} violations in all)"
        )
    if computer.processors > _MOST_THREADS:
        raise InvalidInput(
            f"a plan for {computer.processors} processors; at most {_MOST_THREADS} threads are "
            f"started, and this process may use {usable_processors()} processors."
        )
    steps = [
        [graph.tasks[placement.task].nodes for placement in plan.on_processor(p)]
        for p in range(computer.processors)
    ]
    return ParallelProgram(graph, steps)


def compile_serial(graph: TaskGraph) -> ParallelProgram:
    """The same machine code for one processor, in the order of the graph's program."""
    return ParallelProgram(graph, [[sorted(n for task in graph.tasks for n in task.nodes)]])
