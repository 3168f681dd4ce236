"""Partition of a scalar program into tasks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import expression
from phalanx.equations.tree.model import Model
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations, operations
from phalanx.kernel.graph.passes.simplify import drop_unused, simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

_LEAVES = ("const", "input")
_ANGLES = ("sin", "cos")


@repeated_interrupts()
def task_graph(
    equation: Callable[..., Any] | ca.Function,
    mechanism: Mechanism | Model | None = None,
    *,
    angles_given: bool = False,
    **options: Any,
) -> TaskGraph:
    """Every scalar operation of an equation as a task of its own.

    Negations cost nothing and belong to the task whose result they change. The sine and the cosine
    of one angle are one task.

    Args:
        equation: A function such as ``inverse_dynamics.modified``, or any ``casadi.Function``.
        mechanism: The machine, when ``equation`` is not a ``casadi.Function`` already.
        angles_given: Whether sines and cosines of the inputs are there before the work starts, as
            sources that count operations assume, instead of being tasks.
        options: Further keywords of :func:`phalanx.expression`, ``frame="tool0"``.

    Returns:
        Tasks named after their operation and number, ``mul12``.
    """
    if isinstance(equation, ca.Function):
        if mechanism is not None or options:
            raise InvalidInput("a casadi.Function already has its machine and options.")
        function = equation
    elif mechanism is None:
        raise InvalidInput(f"task_graph({equation.__name__}, …) needs a mechanism.")
    else:
        function = expression(equation, mechanism, **options)
    return cut_finely(simplify(read_casadi(scalar_function(function))), angles_given=angles_given)


def cut_finely(program: Graph, *, angles_given: bool = False) -> TaskGraph:
    """A task for every operation of a simplified program."""
    nodes = program.nodes
    groups: dict[str, list[int]] = {}
    owner: dict[int, str] = {}  # nodes that are in no task are there before the work starts
    for n, node in enumerate(nodes):
        if node.op in _LEAVES:
            continue
        if node.op == "neg":
            name = owner.get(node.args[0])
            if name is None:
                continue
        elif node.op in _ANGLES:
            angle = node.args[0]
            if angles_given and angle not in owner:
                continue
            name = f"sincos{angle}"
        else:
            name = f"{node.op}{n}"
        owner[n] = name
        groups.setdefault(name, []).append(n)
    return cut(program, groups)


def cut(
    program: Graph,
    groups: Mapping[str, Sequence[int]],
    *,
    describe: Mapping[str, Task] | None = None,
    name: str | None = None,
) -> TaskGraph:
    """Tasks from groups of a program's nodes; precedence follows from what each reads.

    Args:
        program: Scalar operations.
        groups: Nodes of every task, by the task's name. Nodes in no group are there before the
            work starts, so they may read only each other.
        describe: Label, link and layer of tasks by name.
        name: Of the graph; the program's when not given.
    """
    nodes = program.nodes
    owner: dict[int, int] = {}
    for i, (task, members) in enumerate(groups.items()):
        for n in members:
            if n in owner:
                raise InvalidInput(f"operation {n} belongs to '{task}' and to another task.")
            owner[n] = i
    given = [n for n in range(len(nodes)) if n not in owner]
    for n in given:
        if any(a in owner for a in nodes[n].args):
            raise InvalidInput(
                f"operation {n} ({nodes[n].op}) reads a task's result but is in no task."
            )

    handed_on = {n for result in program.results for n in result}
    before: list[set[int]] = [set() for _ in groups]
    for n, i in owner.items():
        for a in nodes[n].args:
            if a in owner and owner[a] != i:
                before[i].add(owner[a])
                handed_on.add(a)
    known = describe or {}
    tasks = []
    for task, members in groups.items():
        nodes_in_order = tuple(sorted(members))
        tasks.append(
            replace(
                known.get(task) or Task(task, label=nodes[nodes_in_order[-1]].op),
                operations=_operations(program, nodes_in_order),
                nodes=nodes_in_order,
                words=sum(n in handed_on for n in nodes_in_order),
            )
        )
    return TaskGraph(
        name or program.name, tuple(tasks), tuple(tuple(sorted(b)) for b in before), program
    )


def needed(program: Graph, groups: dict[str, list[int]]) -> tuple[Graph, dict[str, list[int]]]:
    """The operations that results need, in groups that are left of some; see :func:`cut`."""
    used = set(itertools.chain.from_iterable(program.results))
    for n in reversed(range(len(program.nodes))):
        if n in used:
            used.update(program.nodes[n].args)
    number = {old: new for new, old in enumerate(sorted(used))}
    left = {name: [number[n] for n in members if n in used] for name, members in groups.items()}
    return drop_unused(program), {name: members for name, members in left.items() if members}


def _operations(program: Graph, members: Sequence[int]) -> Operations:
    return operations(program.nodes[n] for n in members)
