"""Given values (such as sines) that each thread computes for itself.

Policy: sines and other numbers that are there before the work starts are computed by every
processor that reads them: to wait for another's would take longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.kernel.graph.graph import LEAVES, Graph


def with_given(
    program: Graph, steps: Sequence[Sequence[Sequence[int]]]
) -> list[list[Sequence[int]]]:
    """The same steps, before them those nodes of no task that a processor reads."""
    owned = {n for mine in steps for nodes in mine for n in nodes}
    kept = {n for result in program.results for n in result} - owned
    complete = []
    for p, mine in enumerate(steps):
        needed = set(kept) if p == 0 else set()
        needed |= {a for nodes in mine for n in nodes for a in program.nodes[n].args} - owned
        for n in sorted(needed, reverse=True):
            _add_arguments(program, n, needed)
        given = [n for n in sorted(needed) if program.nodes[n].op not in LEAVES]
        complete.append([*([given] if given else []), *mine])
    return complete


def _add_arguments(program: Graph, n: int, needed: set[int]) -> None:
    for a in program.nodes[n].args:
        if a not in needed:
            needed.add(a)
            _add_arguments(program, a, needed)
