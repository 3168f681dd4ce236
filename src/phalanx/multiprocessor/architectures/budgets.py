"""What an array is built of: operators, vector processors, buses, packages, time for an operation.

Two kinds of numbers. Functions with ``published`` in their name give what the source counts, as
functions of the number of joints; the others count what a plan really has. They differ where the
source leaves something out: the product with the joint's axis that gives the torque (``readout``),
the moment of each link's own force about its joint (``sF``), and gravity in the first leaf of a
tree that begins at the base.

Reference:
    Lathrop (1983), sec. VI and VII.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.architectures.array import PRODUCTS, OperatorArray
from phalanx.multiprocessor.tasks.vector_operators import VectorTasks
from phalanx.scans import sklansky

LINEAR, LOGARITHMIC = "linear", "logarithmic"

PINS = 8  # power, ground, two clocks, reset, two operands, result
PACKAGE_PINS = 40
SHARED_PINS = 4  # of a package whose processors share power, ground, clock and reset
OWN_PINS = 3  # two operands and a result

RATE = 60.0  # [Hz] at which an arm with a resonance of 10 Hz is to be driven

# unnumbered table of sec. VI: operators of a node
PUBLISHED_NODES: Mapping[tuple[str, str], Mapping[str, int]] = MappingProxyType(
    {
        (LINEAR, "outward"): {"MV": 3, "VA": 5, "VC": 4},
        (LINEAR, "own"): {"MV": 2, "VA": 3, "VC": 4, "SV": 1},
        (LINEAR, "inward"): {"MV": 2, "VA": 4, "VC": 2},
        (LOGARITHMIC, "outward"): {"MV": 6, "VA": 12, "VC": 4, "SV": 1, "MM": 1},
        (LOGARITHMIC, "own"): {"MV": 2, "VA": 3, "VC": 4, "SV": 1},
        (LOGARITHMIC, "inward"): {"MV": 5, "VA": 4, "VC": 1, "MM": 1},
    }
)


@dataclass(frozen=True)
class Processors:
    """Vector processors of a device, by what they work for.

    Attributes:
        outward: Motion from the base to the tip.
        own: What each link needs by itself.
        inward: Forces from the tip to the base.
    """

    outward: int
    own: int
    inward: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.outward + self.own + self.inward


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


def processors_of(operators: Mapping[str, int]) -> int:
    """Vector processors for some operators; a product of matrices takes three."""
    return sum(PRODUCTS.get(kind, 1) * count for kind, count in operators.items())


def published_node(form: str) -> Processors:
    """Vector processors of a node, by the source's table of operators.

    Args:
        form: ``linear`` or ``logarithmic``.
    """
    _check_form(form)
    return Processors(
        *(processors_of(PUBLISHED_NODES[form, of]) for of in ("outward", "own", "inward"))
    )


def published_device(form: str, joints: int) -> Processors:
    """Vector processors of the device that works on one set at a time.

    One node for each direction, or one tier of nodes; of those that work for a link by itself, as
    many as links end their outward recursion in one tier.
    """
    _check_joints(joints)
    node = published_node(form)
    if form == LINEAR:
        return node
    width = (joints + 1) // 2
    return Processors(node.outward * width, node.own * _most_at_a_time(joints), node.inward * width)


def published_array(form: str, joints: int) -> Processors:
    """Vector processors of the systolic array."""
    _check_joints(joints)
    node = published_node(form)
    nodes = joints if form == LINEAR else sklansky.nodes(joints) + joints
    return Processors(node.outward * nodes, node.own * joints, node.inward * nodes)


def published_latency(form: str, joints: int) -> tuple[int, int]:
    """Multiplications and additions, one after the other, from inputs to forces in joints.

    Linear 2 n + 3 and 6 n + 7; logarithmic 2 L + 5 and 6 L + 10 with L = ceil(log2(n + 1)).
    """
    _check_joints(joints)
    _check_form(form)
    if form == LINEAR:
        return 2 * joints + 3, 6 * joints + 7
    tiers = joints.bit_length()
    return 2 * tiers + 5, 6 * tiers + 10


def packages(processors: int, *, shared: bool = True) -> int:
    """Packages of forty pins for so many vector processors.

    Args:
        processors: How many.
        shared: Whether those of a package share power, ground, clock and reset: twelve fit in one;
            else each has all its pins, and five do.
    """
    each = (PACKAGE_PINS - SHARED_PINS) // OWN_PINS if shared else PACKAGE_PINS // PINS
    return -(-processors // each)


def buses(operators: int) -> int:
    """Vector buses that some operators need at most: one for each operand."""
    return 2 * operators


def allowed_flop_time(flops: float, rate: float = RATE) -> float:
    """How long an operation may take [s] where so many of them, in a row, are done at a rate [Hz].

    Raises:
        InvalidInput: A number that is not positive.
    """
    if not (flops > 0 and rate > 0):
        raise InvalidInput(f"{flops} operations at {rate} Hz; both must be positive.")
    return 1.0 / (flops * rate)


def input_words(joints: int) -> int:
    """Numbers that the source stores as inputs of an array: about 37 n + 15.

    What it lists is 36 n + 15; one more for each joint says whether it turns or slides.
    """
    return 37 * joints + 15


def operand_words(tasks: VectorTasks) -> int:
    """Numbers that a node reads from nodes before it, outward: of the node that reads most.

    All of them are held while a node of a tree works, which the source counts as 54.
    """
    graph = tasks.graph
    assert graph.program is not None
    own: dict[tuple[int, int], set[int]] = defaultdict(set)
    read: dict[tuple[int, int], set[int]] = defaultdict(set)
    for i, place in enumerate(tasks.places):
        if place.direction == "outward":
            node = place.level, place.index
            own[node].update(graph.tasks[i].nodes)
            read[node].update(n for n in graph.reads(i) if n in graph.owner)
    return max((len(read[node] - own[node]) for node in read), default=0)


def temporaries(array: OperatorArray) -> dict[tuple[int, int], frozenset[str]]:
    """Results that wait within a node for others of the same node, by tier and joint.

    A node here is what works on one joint's motion: outward, and for its link by itself. Each of
    the results is a vector, three numbers; the source counts five vectors for the linear recursion
    and one for the logarithmic.
    """
    places = array.tasks.places
    numbers = array.tasks.graph.numbers
    readers = {placed.processor: places[placed.task] for placed in array.plan.placements}
    waiting: dict[tuple[int, int], set[str]] = defaultdict(set)
    for place in places:
        if place.direction == "outward":
            waiting[place.level, place.index]  # a node where nothing waits is one too
    for buffer in array.periodic.buffers_there:
        source, reader = places[numbers[buffer.task]], readers[buffer.destination]
        at_work = {source.direction, reader.direction} <= {"outward", "own"}
        same = (source.level, source.index) == (reader.level, reader.index)
        if buffer.depth and at_work and same:
            waiting[source.level, source.index].add(source.role)
    return {node: frozenset(roles) for node, roles in waiting.items()}


def _most_at_a_time(joints: int) -> int:
    """How many joints end their outward recursion in one tier, at most; the first needs none."""
    last: dict[int, int] = {}
    for tier, level in enumerate(sklansky.levels(joints)):
        last |= {right: tier for _, right in level}
    return max(Counter(last.values()).values(), default=1)


def _check_joints(joints: int) -> None:
    if joints < 1:
        raise InvalidInput(f"an array for {joints} joints; there must be at least one.")


def _check_form(form: str) -> None:
    if form not in (LINEAR, LOGARITHMIC):
        raise InvalidInput(f"no recursion is called '{form}'; take '{LINEAR}' or '{LOGARITHMIC}'.")
