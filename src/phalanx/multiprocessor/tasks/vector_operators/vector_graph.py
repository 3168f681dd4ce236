"""Tasks of vector operators with their places, and how a written program becomes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from phalanx.base.errors import InvalidModel
from phalanx.base.scans import PrefixNetwork
from phalanx.base.short_repr import short_repr
from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.equations.tree.model import Model
from phalanx.kernel.graph.graph import Graph, Port, verify
from phalanx.multiprocessor.tasks.cut import cut
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.tasks.vector_operators.given import Given, NodeChain
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine
from phalanx.multiprocessor.tasks.vector_operators.writer import VectorTaskWriter


@short_repr
@dataclass(frozen=True)
class VectorTasks:
    """Tasks of vector operators and where each belongs.

    Attributes:
        graph: The tasks; :attr:`Task.kind` is the operator's kind, a :class:`Kind`.
        places: Where each task belongs in the source's arrays.
        network: How segments are joined; None for the linear form.
        parents: For each joint, from joint 1, the joint whose link carries it; 0 is the base.
        quantity: What they compute, by its name in ``Dynamics``.
    """

    graph: TaskGraph
    places: tuple[TaskPlace, ...]
    network: PrefixNetwork | None
    parents: tuple[int, ...]
    quantity: str

    @property
    def depths(self) -> tuple[int, ...]:
        """How many joints lead to each joint, itself counted; first comes the base with none."""
        return depths_of(self.parents)

    @property
    def is_chain(self) -> bool:
        """Whether each joint carries the next."""
        return self.parents == tuple(range(len(self.parents)))

    @property
    def further_sums(self) -> int:
        """Sums that a step of the recursion takes beside the source's, where joints branch."""
        further = [place.role for place in self.places if place.role.startswith("B8")]
        levers = any(place.role == "B5" for place in self.places)
        return max((int(role.rpartition(".")[2]) - 1 for role in further), default=int(levers))


class Output(NamedTuple):
    """A result of a program: the node of each element by rows, and its shape."""

    nodes: tuple[int, ...]
    shape: tuple[int, ...]

    @staticmethod
    def column(nodes: Iterable[int]) -> Output:
        """A vector."""
        row = tuple(nodes)
        return Output(row, (len(row),))


def depths_of(parents: Sequence[int]) -> tuple[int, ...]:
    """How many joints lead to each joint, itself counted; first comes the base with none."""
    depths = [0]
    for parent in parents:
        depths.append(depths[parent] + 1)
    return tuple(depths)


def check_tree(model: Model, owner: str) -> None:
    """Fail for a machine with loops.

    Raises:
        InvalidModel: With their names, and what to do.
    """
    if model.mechanism.loops:
        names = ", ".join(f"'{loop.name}'" for loop in model.mechanism.loops)
        raise InvalidModel(
            f"{owner}: loop {names} closes it; vector tasks are of trees. Take the tree alone, "
            "dataclasses.replace(mechanism, loops=()), or --no-closures for those of a YAML file."
        )


def writer_of(
    model: Model, given: Given, *, joined: bool = False, matrix_products: bool = True
) -> VectorTaskWriter:
    """A writer that begins with what is given."""
    bodies = {joint.name: joint.child for joint in model.mechanism.joints}
    links = tuple(bodies[node.joint] for node in model.nodes)
    return VectorTaskWriter(list(given.program.nodes), joined, matrix_products, links)


def with_matrices(
    writer: VectorTaskWriter, given: Given, sine: Sine | None, only: Iterable[int] | None = None
) -> NodeChain:
    """The chain with matrices A_i that tasks make of angles, of some links only where not all."""
    if sine is None:
        return given.chain
    links, chosen = list(given.chain.links), range(1, len(given.turns) + 1)
    for i in chosen if only is None else only:
        turn = given.turns[i - 1]
        if turn is not None:
            o = writer.at(PassDirection.JOINT, 0, i, i)
            A = o.turn("sincos", sine, turn.angle)
            if turn.before is not None:
                A = o.product("A0", turn.before, A)
            links[i - 1] = replace(links[i - 1], A=o.product("A", A, turn.after))
    return replace(given.chain, links=links)


def finished(
    name: str,
    quantity: str,
    given: Given,
    writer: VectorTaskWriter,
    results: Mapping[str, Output],
    network: PrefixNetwork | None = None,
) -> VectorTasks:
    """The tasks that were written."""
    ports = []
    for key, (_, shape) in results.items():
        columns = shape[1] if len(shape) > 1 else 1
        ports.append(Port(key, math.prod(shape) // columns, columns, shape))
    program = Graph(
        re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "tasks",
        given.program.inputs,
        tuple(ports),
        tuple(writer.nodes),
        tuple(output.nodes for output in results.values()),
    )
    graph = cut(verify(program), writer.groups, describe=writer.described, name=name)
    parents = tuple(link.parent for link in given.chain.links)
    return VectorTasks(graph, tuple(writer.places), network, parents, quantity)
