"""Pass: sine and cosine of one angle as one ``sincos``, which shares the range reduction."""

from __future__ import annotations

from dataclasses import replace

from phalanx.kernel.graph.graph import Builder, Graph
from phalanx.kernel.graph.passes.simplify import drop_unused


def pair_sin_cos(graph: Graph) -> Graph:
    """An equal graph with ``sincos`` pairs instead of ``sin``, ``cos`` and ``tan``."""
    builder = Builder()
    number: list[int] = []
    for node in graph.nodes:
        args = tuple(number[a] for a in node.args)
        if node.op not in ("sin", "cos", "tan"):
            number.append(builder.add(node.op, *args, value=node.value, element=node.element))
            continue
        pair = builder.add("sincos", *args)
        # both at once, so that nothing comes between a pair and its readers
        sine, cosine = builder.add("sin_of", pair), builder.add("cos_of", pair)
        if node.op == "tan":
            number.append(builder.add("div", sine, cosine))
        else:
            number.append(sine if node.op == "sin" else cosine)
    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return drop_unused(replace(graph, nodes=tuple(builder.nodes), results=results))
