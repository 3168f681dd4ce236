"""Programs of passes, evaluated node after node by CasADi: slow, and independent of any engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.node_types import NodeType
from phalanx.dynamics.evaluators.recursion import PORTS, Recursion, port_size

Array = np.ndarray


def run(
    program: Recursion,
    bodies: Bodies,
    kinds: Sequence[NodeType],
    begin: Sequence[Array | None],
    arrays: Mapping[str, Array],
) -> tuple[dict[str, Array], list[Array | None]]:
    """Results of a program, and what its inward passes hand to the root.

    Args:
        program: The passes.
        bodies: The machine.
        kinds: Its kinds of nodes.
        begin: Of each pass what the root hands to its children, shape (samples, carried); None for
            zeros. Inward passes begin with zeros at the leaves, whatever is given.
        arrays: By the name of a port, shape (samples, numbers of all nodes).

    Returns:
        By the name of a port, the same shape; and of each pass the sum that reaches the root,
        shape (samples, carried), or None for outward ones.
    """
    samples = len(next(iter(arrays.values())))
    kind_of = {int(i): (k, n) for k, kind in enumerate(kinds) for n, i in enumerate(kind.members)}
    functions = [program.traced(kind) for kind in kinds]
    kept: list[dict[str, Array]] = [{} for _ in range(len(bodies))]
    results: dict[str, Array] = {}
    ends: list[Array | None] = []
    for number, (each, root) in enumerate(zip(program.passes, begin, strict=True)):
        inward = each.direction == "inward"
        start = np.zeros((samples, each.carried))
        if not inward and root is not None:
            start = np.array(np.broadcast_to(root, start.shape))
        handed = [np.zeros_like(start) for _ in range(len(bodies))]  # inward: by the children
        end = np.zeros_like(start)
        for i in reversed(range(len(bodies))) if inward else range(len(bodies)):
            k, member = kind_of[i]
            kind, function = kinds[k], functions[k][number]
            parent = int(bodies.parent[i])
            carried = handed[i] if inward else start if parent < 0 else handed[parent]
            given = {"carried": carried, "numbers": np.tile(kind.numbers[member], (samples, 1))}
            for name in function.name_in():
                if name in kept[i]:
                    given[name] = kept[i][name]
                elif name in PORTS:
                    given[name] = arrays[name][:, _slice(bodies, kind, i, name)]
            for name, value in _evaluate(function, given, samples).items():
                if name == "on" and not inward:
                    handed[i] = value
                elif name == "on" and parent < 0:
                    end += value
                elif name == "on":
                    handed[parent] = handed[parent] + value
                elif name in PORTS:
                    whole = results.setdefault(name, np.full((samples, _total(bodies, name)), 0.0))
                    whole[:, _slice(bodies, kind, i, name)] = value
                else:
                    kept[i][name] = value
        ends.append(end if inward else None)
    return results, ends


def _evaluate(function: ca.Function, given: dict[str, Array], samples: int) -> dict[str, Array]:
    mapped = function.map(samples)
    found = mapped.call({name: ca.DM(given[name].T) for name in function.name_in()})
    return {name: np.array(value).T for name, value in found.items()}


def _slice(bodies: Bodies, kind: NodeType, i: int, name: str) -> slice:
    size = port_size(name, kind.freedom)
    starts = {"nq": bodies.q, "nv": bodies.v}.get(PORTS[name])  # type: ignore[call-overload]
    start = i * size if starts is None else int(starts[i])
    return slice(start, start + size)


def _total(bodies: Bodies, name: str) -> int:
    size = PORTS[name]
    if size == "nq":
        return int(bodies.nq.sum())
    return int(bodies.nv.sum()) if size == "nv" else size * len(bodies)
