"""Feedback from step to step: results that are inputs of the next step, and who sends them.

Nothing of it is in a schedule, which ends with its results; these messages travel between two
steps, from the rank that has a number to those that read it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.programs.plans.rank_script import RankScript
from phalanx.kernel.graph.graph import Graph, Port


class CarriedValue(NamedTuple):
    """A number that is carried over: a node of a processor to a place of an input."""

    node: int
    processor: int
    port: int
    place: int


# by sender and receiver
Carriage = dict[tuple[int, int], list[CarriedValue]]


def carried_over(
    program: Graph, scripts: Sequence[RankScript], back: Mapping[str, str]
) -> Carriage:
    """Find what ranks send to each other, and keep for themselves, between two steps.

    Args:
        program: What is computed.
        scripts: Those of all ranks.
        back: For inputs the outputs they are next, by name.

    Raises:
        UnknownName: There is no such input or output.
        InvalidInput: They differ in size.
    """
    has = {node: (rank, p) for rank, one in enumerate(scripts) for node, p in one.results}
    reads = [_elements(program, script) for script in scripts]
    messages: Carriage = defaultdict(list)
    for name, source in back.items():
        target, origin = (
            _number(program, "input", name, program.inputs),
            _number(program, "output", source, program.outputs),
        )
        sizes = program.inputs[target].size, program.outputs[origin].size
        if sizes[0] != sizes[1]:
            raise InvalidInput(
                f"output '{source}' has {sizes[1]} numbers, input '{name}', which is to be it in "
                f"the next step, {sizes[0]}."
            )
        for place, node in enumerate(program.results[origin]):
            rank, processor = has[node]
            for reader, elements in enumerate(reads):
                if (target, place) in elements:
                    messages[rank, reader].append(CarriedValue(node, processor, target, place))
    return dict(messages)


def _elements(program: Graph, script: RankScript) -> set[tuple[int, int]]:
    """Return the elements of inputs that a rank reads."""
    nodes = (program.nodes[n] for given in script.given.values() for n in given)
    return {(at.port, at.place) for at in (node.element for node in nodes) if at is not None}


def _number(program: Graph, kind: str, name: str, ports: Sequence[Port]) -> int:
    names = [port.name for port in ports]
    if name not in names:
        raise UnknownName(f"'{program.name}'", kind, name, names)
    return names.index(name)
