"""Pass: shared reciprocals; several divisions by one number become one, and multiplications.

A division takes as long as five multiplications and cannot overlap with the next one. A product
with a reciprocal is rounded twice, so this is for code that asks for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from phalanx.kernel.graph.graph import Builder, Graph, verify


def share_reciprocals(graph: Graph) -> Graph:
    """The same graph with one division for each divisor that comes at least twice."""
    divisors = Counter(node.args[1] for node in graph.nodes if node.op == "div")
    builder = Builder()
    number: list[int] = []
    for node in graph.nodes:
        args = [number[a] for a in node.args]
        if node.op == "div" and divisors[node.args[1]] > 1:
            reciprocal = builder.add("div", builder.constant(1.0), args[1])
            number.append(builder.add("mul", args[0], reciprocal))
        else:
            number.append(builder.add(node.op, *args, value=node.value, element=node.element))
    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return verify(replace(graph, nodes=tuple(builder.nodes), results=results))
