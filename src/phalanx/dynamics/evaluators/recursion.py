"""Recursions over a tree: outward and inward passes, a step for one node each.

A pass goes outward, from the root to the tips, or inward. Its step sees one node over symbols, what
the neighbour hands on (outward: the parent; inward: the sum of what all children hand on), and the
ports that it names as parameters: numbers of the node out of arrays of the machine (`PORTS`), or
what an earlier pass has kept for it. So an algorithm is written once, for a node; `Recursion`
traces it for every kind of node that a machine has, and machine code takes it over arrays of any
length.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, final

import casadi as ca
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.dynamics.evaluators.node_types import NodeType
from phalanx.equations.tree.node import Freedom, Node

# arrays that steps read or write, by name: so many numbers a node, or "nq" or "nv" of its joint
PORTS: dict[str, int | Literal["nq", "nv"]] = {
    "q": "nq",  # positions
    "q_next": "nq",
    "q_end": "nq",
    "v": "nv",  # velocities
    "a": "nv",  # accelerations
    "tau": "nv",  # joint forces
    "external": 6,  # wrench on a node: force, then moment about its origin, node axes
    "pose": 12,  # of a node in the root: rotation row by row, then translation
    "velocity": 6,  # of a node: linear, then angular, node axes
    "acceleration": 9,  # of a node: angular velocity and acceleration, that of the origin; its axes
    "row_0": "nv",  # of a Jacobian: linear x, y, z, angular x, y, z, world axes
    "row_1": "nv",
    "row_2": "nv",
    "row_3": "nv",
    "row_4": "nv",
    "row_5": "nv",
    "least": "nv",  # inertia that counts as none
    "pivot": "nv",  # inertia of a joint with all beyond it free to move
}


def port_size(name: str, freedom: Freedom) -> int:
    """How many numbers a node has in an array."""
    size = PORTS[name]
    if size == "nq":
        return freedom.nq
    return freedom.nv if size == "nv" else size


@final
@dataclass(frozen=True)
class StepResult:
    """Result of a step.

    Attributes:
        on: To the next nodes, a column; inward, what several children hand on is added up.
        kept: For later passes at the same node, by name.
        results: For arrays of the machine, by the names of `PORTS`.
    """

    on: SX
    kept: Mapping[str, SX] = field(default_factory=dict)
    results: Mapping[str, SX] = field(default_factory=dict)


# step(node, carried, port, port, ...): ports by the names of its parameters
Step = Callable[..., StepResult]


@final
@dataclass(frozen=True)
class Pass:
    """One way over all nodes.

    Attributes:
        direction: ``outward`` or ``inward``.
        carried: How many numbers are handed on.
        step: What happens at a node.
    """

    direction: Literal["outward", "inward"]
    carried: int
    step: Step


@final
@dataclass(frozen=True)
class Recursion:
    """An algorithm: passes that follow each other.

    Attributes:
        name: Of its code.
        passes: Outward and inward ones.
        absent: Ports that are zero at every node: they are no inputs and cost nothing.
    """

    name: str
    passes: tuple[Pass, ...]
    absent: frozenset[str] = frozenset()

    def without(self, *ports: str, name: str) -> Recursion:
        """The same algorithm where these ports are zero."""
        return Recursion(name, self.passes, self.absent | set(ports))

    def traced(self, kind: NodeType) -> list[ca.Function]:
        """The step of each pass for a kind of nodes, as a function over symbols.

        Inputs are ``carried``, ``numbers`` (those that differ within the kind), ports and kept
        values by name; outputs ``on``, then kept values and results.
        """
        kept: dict[str, int] = {}
        functions = []
        for number, one in enumerate(self.passes):
            function = _traced(f"{self.name}_{number}", one, kind, kept, self.absent)
            functions.append(function)
            known = set(PORTS) | {"on"}
            kept |= {n: function.numel_out(n) for n in function.name_out() if n not in known}
        return functions


def ports_of(step: Step) -> list[str]:
    """Names of what a step reads beside the node and what is handed on."""
    return list(inspect.signature(step).parameters)[2:]


@quick_operators()
def _traced(
    name: str, one: Pass, kind: NodeType, kept: Mapping[str, int], absent: Set[str]
) -> ca.Function:
    carried = SX.sym("carried", one.carried)
    node: Node = kind.node
    sizes = {
        port: port_size(port, kind.freedom) if port in PORTS else kept[port]
        for port in ports_of(one.step)
    }
    ports = {port: SX.sym(port, size) for port, size in sizes.items() if port not in absent}
    nothing = {port: SX(sizes[port], 1) for port in sizes if port in absent}
    handed = one.step(node, carried, **ports, **nothing)
    if handed.on.numel() != one.carried:
        raise ValueError(f"{name} hands on {handed.on.numel()} numbers, expected {one.carried}.")
    outputs = {"on": handed.on, **handed.kept, **handed.results}
    return ca.Function(
        name,
        [carried, kind.arguments, *ports.values()],
        ca.cse([ca.densify(x) for x in outputs.values()]),
        ["carried", "numbers", *ports],
        list(outputs),
        {"allow_duplicate_io_names": True},  # what is handed on comes in and goes out
    )


def kept_sizes(functions: Sequence[ca.Function]) -> dict[str, int]:
    """Sizes of what the steps of a program keep for later passes, by name, in order."""
    sizes: dict[str, int] = {}
    for function in functions:
        for name in function.name_out():
            if name not in PORTS and name != "on":
                sizes[name] = function.numel_out(name)
    return sizes
