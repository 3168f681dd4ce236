"""Hardware budget of an array: operators, vector processors, buses, packages, operation time.

Two kinds of numbers. Functions with ``published`` in their name give what the source counts, as
functions of the number of joints; the others count what a plan really has. They differ where the
source leaves something out: the product with the joint's axis that gives the torque (``readout``),
and in a tree the moment of each link's own force about its joint (``sF``).

Reference:
    Lathrop (1983), sec. VI and VII.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import PrefixNetwork
from phalanx.hardware.arrays.array import OperatorArray, processors_of
from phalanx.hardware.arrays.published import (
    PUBLISHED_NODES,
    Processors,
    input_words,
    published_array,
    published_device,
    published_for,
    published_latency,
    published_node,
)
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.tasks.vector_operators import Kind, VectorTasks

__all__ = [
    "PUBLISHED_NODES",
    "Processors",
    "allowed_flop_time",
    "buses",
    "input_words",
    "node_operators",
    "operand_words",
    "packages",
    "pins",
    "processors_of",
    "published_array",
    "published_device",
    "published_for",
    "published_latency",
    "published_node",
    "scalar_units",
    "side_by_side",
    "temporaries",
    "words_alive",
]

SUPPLY_PINS = 5  # power, ground, two clocks, reset
SHARED_PINS = 4  # the same of a package whose processors share them; it makes two clocks of one
PORTS = 3  # two operands and a result
PACKAGE_PINS = 40

RATE = 60.0  # [Hz] at which an arm with a resonance of 10 Hz is to be driven


@checked
def node_operators(tasks: VectorTasks) -> dict[str, Counter[str]]:
    """Operators of one node by direction: of the node that has most of them.

    Of a tree these are the nodes that combine segments; leaves have fewer.
    """
    combined = tasks.network is not None
    nodes: dict[tuple[str, int, int], Counter[str]] = defaultdict(Counter)
    for place, task in zip(tasks.places, tasks.graph.tasks, strict=True):
        if place.level or not combined or place.direction not in ("outward", "inward"):
            nodes[place.direction, place.level, place.index][task.kind] += 1
    largest: dict[str, Counter[str]] = {}
    for (direction, _, _), kinds in nodes.items():
        if direction not in largest or kinds.total() > largest[direction].total():
            largest[direction] = kinds
    return largest


@checked
def scalar_units(array: OperatorArray) -> Operations:
    """Multipliers and adders for single numbers that all operators have together.

    An operator that is not pipelined adds and multiplies level after level with the same units; a
    pipelined one has an adder for each sum and a multiplier for each product, of all levels. One
    that does several kinds has what the largest of them needs.
    """
    pipelined, tasks = array.plan.computer.is_pipelined, array.tasks.graph.tasks
    largest: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for placed in array.plan.placements:
        units = Kind(tasks[placed.task].kind).units(pipelined=pipelined)
        adders, multipliers = largest[placed.processor]
        largest[placed.processor] = max(adders, units.add), max(multipliers, units.multiply)
    adders, multipliers = (sum(counts) for counts in zip(*largest.values(), strict=True))
    return Operations(add=adders, multiply=multipliers)


@checked
def pins(wires: int = 1) -> int:
    """Pins of a vector processor: its supply, and the wires of two operands and a result.

    Args:
        wires: Of each of the three ports. One where a vector comes bit after bit, as in the source;
            three times the bits of a word where it comes all at once.

    Raises:
        InvalidInput: There is no wire.
    """
    if wires < 1:
        raise InvalidInput(f"ports of {wires} wires; each has at least one.")
    return SUPPLY_PINS + PORTS * wires


@checked
def packages(
    processors: int, *, shared: bool = True, wires: int = 1, size: int = PACKAGE_PINS
) -> int:
    """Packages for so many vector processors.

    Args:
        processors: How many.
        shared: Whether those of a package share power, ground, clock and reset: twelve fit in one
            of forty pins; else each has all its pins, and five do.
        wires: Of each port, as for :func:`pins`.
        size: Pins of a package.

    Raises:
        InvalidInput: Not one fits.
    """
    own = pins(wires)
    each = (size - SHARED_PINS) // (PORTS * wires) if shared else size // own
    if each < 1:
        raise InvalidInput(
            f"a package of {size} pins holds no vector processor with {wires} wires a port, which "
            f"has {own} pins. Take fewer wires or larger packages."
        )
    return -(-processors // each)


@checked
def buses(operators: int) -> int:
    """Vector buses that some operators need at most: one for each operand."""
    return 2 * operators


@checked
def allowed_flop_time(flops: float, rate: float = RATE) -> float:
    """How long an operation may take [s] where so many of them, in a row, are done at a rate [Hz].

    Raises:
        InvalidInput: A number that is not positive.
    """
    if not (flops > 0 and rate > 0):
        raise InvalidInput(f"{flops} operations at {rate} Hz; both must be positive.")
    return 1.0 / (flops * rate)


@checked
def operand_words(tasks: VectorTasks, direction: str = "outward") -> int:
    """Numbers that a node reads from nodes of its direction: of the node that reads most.

    All of them are held while a node of a tree works, which the source counts as 54 outward.

    Args:
        tasks: Of either recursion.
        direction: ``outward`` or ``inward``.
    """
    graph = tasks.graph
    node_of = {
        n: (place.level, place.index)
        for place, task in zip(tasks.places, graph.tasks, strict=True)
        if place.direction == direction
        for n in task.nodes
    }
    read: dict[tuple[int, int], set[int]] = defaultdict(set)
    for i, place in enumerate(tasks.places):
        if place.direction == direction:
            node = place.level, place.index
            read[node].update(n for n in graph.reads(i) if node_of.get(n, node) != node)
    return max((len(words) for words in read.values()), default=0)


@checked
def side_by_side(network: PrefixNetwork, count: int) -> int:
    """Operands that pass a column of a tree side by side, at most, its own among them.

    A tree is laid out with a column for each joint and a row for each tier. What is combined goes
    down its own column; what it is combined with comes along the row, once for all who read it.
    The source's network has two whatever its size, so that buses take a constant part of it.
    """
    widest = 1
    for level in network.levels(count):
        reach: dict[int, int] = {}
        for left, right in level:
            reach[left] = max(right, reach.get(left, right))
        for column in range(count):
            passing = sum(left < column <= right for left, right in reach.items())
            widest = max(widest, 1 + passing)
    return widest


@checked
def words_alive(array: OperatorArray) -> int:
    """Results that wait at a time, at most, in an array that is full of samples, as numbers.

    An array has to store these where a place is free for the next result as soon as the last who
    reads has begun. :attr:`Periodic.words_stored` counts places that are each for one result.
    Inputs are not among them.
    """
    graph, interval = array.tasks.graph, array.interval
    placed = {placement.task: placement for placement in array.plan.placements}
    waiting = [
        (placed[task].end, max(placed[reader].start for reader in readers), graph.tasks[task].words)
        for task, readers in enumerate(graph.successors)
        if readers
    ]

    def begun(moment: float, now: float) -> int:
        """Samples for which a moment of sample 0 is over."""
        return math.floor((now - moment) / interval + 1e-9)

    # the most wait when a result has just come
    return max(
        (
            sum(words * (begun(end, now) - begun(last, now)) for end, last, words in waiting)
            for now in {end % interval for end, _, _ in waiting}
        ),
        default=0,
    )


@checked
def temporaries(array: OperatorArray) -> dict[tuple[int, int], frozenset[str]]:
    """Results that wait within a node for others of the same node, by tier and joint.

    A node here is what works on one joint's motion: outward, and for its link by itself. Each of
    the results is a vector, three numbers; the source counts five vectors for the linear recursion
    and one for the logarithmic.
    """
    places, numbers = array.tasks.places, array.tasks.graph.numbers
    at_work = ("outward", "own")
    waiting: dict[tuple[int, int], set[str]] = {
        (place.level, place.index): set() for place in places if place.direction == "outward"
    }
    for buffer in array.periodic.buffers_there:
        source = places[numbers[buffer.task]]
        node = source.level, source.index
        if buffer.depth and source.direction in at_work:
            for reader in array.readers(buffer):
                if reader.direction in at_work and (reader.level, reader.index) == node:
                    waiting[node].add(source.role)
    return {node: frozenset(roles) for node, roles in waiting.items()}
