"""Pass: instruction order with low register pressure, for large graphs.

Policy: of the nodes whose arguments are there, take the one that ends the most lives; of equals
the one that became possible last, so that a thread of computation is followed rather than many
begun. A kernel that is cut into pieces gains, since less crosses the cuts and less is spilled. A
small kernel is better left in the order it was written, which leaves the processor more to do at
once.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from phalanx.kernel.graph.graph import Graph, Node, verify


def order(graph: Graph) -> Graph:
    """The same nodes in another order."""
    nodes = graph.nodes
    waiting = [len(set(node.args)) for node in nodes]
    readers: list[list[int]] = [[] for _ in nodes]
    for n, node in enumerate(nodes):
        for a in set(node.args):
            readers[a].append(n)
    # readers still to come: how many, and the sum of their numbers, which names the last one
    left = [len(r) for r in readers]
    left_sum = [sum(r) for r in readers]
    ends = [0] * len(nodes)
    ready_since = [0] * len(nodes)
    number = [-1] * len(nodes)
    ordered: list[int] = []
    ready: list[tuple[int, int, int]] = []

    def offer(n: int) -> None:
        heapq.heappush(ready, (-ends[n], -ready_since[n], n))

    def take(n: int) -> None:
        number[n] = len(ordered)
        ordered.append(n)
        for a in set(nodes[n].args):
            left[a] -= 1
            left_sum[a] -= n
            if left[a] == 1 and nodes[a].op not in ("const", "input"):
                last = left_sum[a]
                ends[last] += 1
                if waiting[last] == 0:
                    offer(last)
        for reader in readers[n]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready_since[reader] = len(ordered)
                offer(reader)
        if left[n] == 1 and nodes[n].op not in ("const", "input"):
            ends[left_sum[n]] += 1
            if waiting[left_sum[n]] == 0:
                offer(left_sum[n])
        if nodes[n].op == "sincos":
            # a pair and its readers stay together
            for half in readers[n]:
                take(half)

    for n, node in enumerate(nodes):
        if not node.args:
            take(n)
    while ready:
        _, _, n = heapq.heappop(ready)
        if number[n] < 0:
            take(n)

    renumbered = tuple(
        Node(old.op, tuple(number[a] for a in old.args), old.value, old.element)
        for old in (nodes[n] for n in ordered)
    )
    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return verify(replace(graph, nodes=renumbered, results=results))
