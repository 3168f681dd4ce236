"""Graph with names for intermediate values, in reading order (for generated source code).

Names come as outputs of a function, one scalar each, listed as intermediates. They are taken away
from the outputs here and stay as names. Policy of the order: sines and cosines first; then the
named values in the order in which they were listed, each after what it needs; last the results.
Values that no result needs are dropped, and a name for what costs nothing (an input, a constant, a
value that has a name already) is not used.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Graph, Node, verify
from phalanx.kernel.graph.operations import Operations, operations
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function


@dataclass(frozen=True)
class Name:
    """A name for a value, or for its negative: ``-(a + b)`` is the sum with its sign changed."""

    text: str
    negative: bool = False


@dataclass(frozen=True)
class NamedGraph:
    """A graph in reading order, and the names of some of its nodes."""

    graph: Graph
    names: dict[int, Name]

    @property
    def operations(self) -> Operations:
        """Its arithmetic."""
        return operations(self.graph.nodes)

    @property
    def operations_by_name(self) -> dict[str, Operations]:
        """The arithmetic of each named value beyond what is named before it.

        What results need beyond all names stands under the empty name.
        """
        shares: dict[str, list[Node]] = {}
        waiting: list[Node] = []
        for n, node in enumerate(self.graph.nodes):
            waiting.append(node)
            if n in self.names:
                shares[self.names[n].text] = waiting
                waiting = []
        shares[""] = waiting
        return {name: operations(nodes) for name, nodes in shares.items()}


def named_graph(graph: Graph, intermediates: Sequence[str]) -> NamedGraph:
    """A simplified graph whose outputs ``intermediates`` become names.

    Raises:
        InvalidInput: When an intermediate is no scalar output, or nothing else is left.
    """
    ports = {port.name: k for k, port in enumerate(graph.outputs)}
    for name in intermediates:
        if name not in ports or graph.outputs[ports[name]].size != 1:
            raise InvalidInput(
                f"intermediate '{name}' is not an output of one number of '{graph.name}'. "
                f"Outputs: {', '.join(list(ports)[:12])}{', …' if len(ports) > 12 else ''}."
            )
    hidden = {ports[name] for name in intermediates}
    kept = [k for k in range(len(graph.outputs)) if k not in hidden]
    if not kept:
        raise InvalidInput(f"all outputs of '{graph.name}' are intermediates; what is its result?")

    names: dict[int, Name] = {}
    for name in intermediates:
        n = graph.results[ports[name]][0]
        node = graph.nodes[n]
        if node.op == "neg":
            n, negative = node.args[0], True
        else:
            negative = False
        if graph.nodes[n].op not in ("const", "input"):
            names.setdefault(n, Name(name, negative))

    results = tuple(graph.results[k] for k in kept)
    order = _reading_order(graph.nodes, names, [n for result in results for n in result])
    number = {old: new for new, old in enumerate(order)}
    read = replace(
        graph,
        outputs=tuple(graph.outputs[k] for k in kept),
        nodes=tuple(
            graph.nodes[old]._replace(args=tuple(number[a] for a in graph.nodes[old].args))
            for old in order
        ),
        results=tuple(tuple(number[n] for n in result) for result in results),
    )
    return NamedGraph(verify(read), {number[n]: name for n, name in names.items() if n in number})


def operations_by_name(
    function: ca.Function, intermediates: Sequence[str]
) -> dict[str, Operations]:
    """The operations of each named value of a function beyond what is named before it.

    Args:
        function: An SX function, or an MX function that expands to one.
        intermediates: Its outputs that are names, of one number each.

    Returns:
        Name to operations, in reading order; what results need beyond all names stands under "".
    """
    graph = simplify(read_casadi(scalar_function(function)))
    return named_graph(graph, intermediates).operations_by_name


def _reading_order(
    nodes: Sequence[Node], named: Collection[int], results: Sequence[int]
) -> list[int]:
    """Numbers of the nodes that ``results`` need, in the order they are to be written."""
    alive: set[int] = set()
    stack = list(results)
    while stack:
        n = stack.pop()
        if n not in alive:
            alive.add(n)
            stack.extend(nodes[n].args)

    wanted = [n for n in named if n in alive]
    turns = [n for n in (*wanted, *sorted(alive)) if nodes[n].op in ("sin", "cos")]
    order: dict[int, None] = {}
    for goal in (*turns, *wanted, *results):
        stack = [goal]
        while stack:
            n = stack[-1]
            missing = [a for a in nodes[n].args if a not in order]
            if missing and n not in order:
                stack.extend(reversed(missing))
            else:
                order.setdefault(n)
                stack.pop()
    return list(order)
