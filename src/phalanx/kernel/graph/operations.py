"""Operation counts of a kernel (multiplications, additions, …), counted as the literature does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import casadi as ca

from phalanx.kernel.graph.graph import Node
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function


@dataclass(frozen=True)
class Operations:
    """Operations of one evaluation, before multiplications and additions are fused.

    Negations, constants and moves are free. A sine and cosine of the same angle count as one
    ``sincos``, as does either alone.
    """

    add: int = 0
    multiply: int = 0
    divide: int = 0
    sqrt: int = 0
    sincos: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(asdict(self).values())

    def __add__(self, other: Operations) -> Operations:
        """Those of two pieces of work together."""
        mine, theirs = asdict(self), asdict(other)
        return Operations(**{kind: mine[kind] + theirs[kind] for kind in mine})

    def times(self, count: int) -> Operations:
        """Those of the same work done so many times."""
        return Operations(**{kind: count * number for kind, number in asdict(self).items()})

    def __repr__(self) -> str:
        """Like ``Operations(437 = 210 multiply + 221 add + 6 sincos)``."""
        counts = sorted(asdict(self).items(), key=lambda item: -item[1])
        parts = " + ".join(f"{count} {name}" for name, count in counts if count)
        return f"Operations({self.total}{' = ' + parts if parts else ''})"


_FREE = frozenset(["const", "input", "neg"])
_FIELD = {"add": "add", "sub": "add", "mul": "multiply", "div": "divide", "sqrt": "sqrt"}


def operations(nodes: Iterable[Node]) -> Operations:
    """Count the nodes of a simplified graph."""
    counts = dict.fromkeys(("add", "multiply", "divide", "sqrt", "sincos", "other"), 0)
    angles = set()
    for node in nodes:
        if node.op in ("sin", "cos"):
            angles.add(node.args[0])
        elif node.op not in _FREE:
            counts[_FIELD.get(node.op, "other")] += 1
    counts["sincos"] = len(angles)
    return Operations(**counts)


def count_operations(function: ca.Function) -> Operations:
    """The operations of a CasADi function, without compiling it."""
    return operations(simplify(read_casadi(scalar_function(function))).nodes)


def count_expanded(function: ca.Function) -> Operations:
    """The operations of a CasADi function written out as formulas: every use of a value again.

    What closed-form expressions without named intermediates cost; a square names its base once.
    Numbers may be astronomical: they double wherever a value is used twice.
    """
    graph = read_casadi(scalar_function(function))
    costs: list[Operations] = []
    for node in graph.nodes:
        own = {} if node.op in _FREE else {_EXPANDED.get(node.op, "other"): 1}
        costs.append(sum((costs[k] for k in set(node.args)), Operations(**own)))
    return sum((costs[k] for result in graph.results for k in result), Operations())


_EXPANDED = _FIELD | {"sin": "sincos", "cos": "sincos"}
