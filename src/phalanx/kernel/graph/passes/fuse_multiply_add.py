"""Pass: fused multiply-add (FMA), a*b + c with one rounding, where the processor has it.

LLVM could do this too, but not the same way for every width; here one graph decides for all of
them, so results do not depend on width, batch or thread. A product is fused only when every
reader absorbs it, since otherwise it is computed anyway and its operands stay alive longer.
"""

from __future__ import annotations

from dataclasses import replace

from phalanx.kernel.graph.graph import Builder, Graph, Node
from phalanx.kernel.graph.passes.simplify import drop_unused


def fuse_multiply_add(graph: Graph) -> Graph:
    """An equal graph, up to rounding, with ``fma`` nodes."""
    nodes = graph.nodes
    depth = _depths(nodes)
    absorbable = _products_read_by_sums_only(graph)

    builder = Builder()
    number: list[int] = []

    def negated(a: int) -> int:
        node = builder.nodes[a]
        if node.op == "const":
            return builder.constant(-node.value)
        return node.args[0] if node.op == "neg" else builder.add("neg", a)

    for node in nodes:
        product = _product_to_absorb(node, nodes, absorbable, depth)
        if product is None:
            args = tuple(number[a] for a in node.args)
            number.append(builder.add(node.op, *args, value=node.value, element=node.element))
            continue
        a, b = (number[n] for n in nodes[node.args[product]].args)
        other = number[node.args[1 - product]]
        if node.op == "sub" and product == 0:
            other = negated(other)
        elif node.op == "sub":
            # a constant takes the sign for free
            a, b = (a, negated(b)) if builder.nodes[b].op == "const" else (negated(a), b)
        number.append(builder.add("fma", a, b, other))

    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return drop_unused(replace(graph, nodes=tuple(builder.nodes), results=results))


def _product_to_absorb(
    node: Node, nodes: tuple[Node, ...], absorbable: bytearray, depth: list[int]
) -> int | None:
    """Which argument of a sum to fuse: of two products the one that is ready last."""
    if node.op not in ("add", "sub"):
        return None
    candidates = [i for i, a in enumerate(node.args) if absorbable[a]]
    if not candidates or node.args[0] == node.args[1]:
        return None
    return max(candidates, key=lambda i: depth[node.args[i]])


def _products_read_by_sums_only(graph: Graph) -> bytearray:
    absorbable = bytearray(node.op == "mul" for node in graph.nodes)
    for node in graph.nodes:
        if node.op not in ("add", "sub") or node.args[0] == node.args[1]:
            for a in node.args:
                absorbable[a] = False
    for result in graph.results:
        for n in result:
            absorbable[n] = False
    return absorbable


def _depths(nodes: tuple[Node, ...]) -> list[int]:
    depth: list[int] = []
    for node in nodes:
        depth.append(1 + max((depth[a] for a in node.args), default=-1))
    return depth
