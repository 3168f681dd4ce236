"""Compile expressions of a leg or the centre; pack symmetric matrices for messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.kernel import compile as compile_kernel

Call = Callable[..., Any]


def compiled_for_leg(
    legs: Legs,
    leg: int,
    name: str,
    state: Mapping[str, SX],
    inputs: Mapping[str, SX],
    outputs: Mapping[str, SX],
) -> Call:
    """Compile expressions in q and rate, which come as what the leg integrates."""
    part = legs.branch(leg)
    y = SX.sym("y", legs.size(leg))
    q = SX(legs.machine.mechanism.nq, 1)
    q[list(part.q)] = y[: len(part.q)]
    q[list(legs.platform.q)] = y[len(part.q) + 1 :]
    inner = ca.Function("inner", [*state.values(), *inputs.values()], list(outputs.values()))
    results = inner.call([q, y[len(part.q)], *inputs.values()])
    function = ca.Function(
        f"leg_{leg}_{name}",
        [y, *inputs.values()],
        ca.cse([ca.densify(result) for result in results]),
        ["y", *inputs],
        list(outputs),
    )
    return compile_kernel(function).call


def compiled_for_centre(name: str, inputs: Mapping[str, SX], outputs: Mapping[str, SX]) -> Call:
    """Compile expressions in what legs send."""
    results = ca.cse([ca.densify(value) for value in outputs.values()])
    function = ca.Function(
        f"centre_{name}", list(inputs.values()), results, list(inputs), list(outputs)
    )
    return compile_kernel(function).call


def lower_triangle(A: SX) -> SX:
    """Return the entries of a symmetric matrix on and below the diagonal, row by row."""
    return ca.vertcat(*(A[i, j] for i in range(A.shape[0]) for j in range(i + 1)))


def symmetric(entries: SX, n: int) -> SX:
    """Return the symmetric matrix of such entries."""
    A = SX(n, n)
    for i in range(n):
        for j in range(i + 1):
            A[i, j] = A[j, i] = entries[i * (i + 1) // 2 + j]
    return A
