"""Logarithmic (tree) array: a node for each combination of segments, or one tier shared by all.

Reference:
    Lathrop (1983), sec. V and VI, figures VI.1 to VI.4.
"""

from __future__ import annotations

from collections import defaultdict

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.array import OperatorArray
from phalanx.hardware.arrays.array_mapping import (
    Pace,
    with_operators_again,
    with_own_operators,
)
from phalanx.hardware.arrays.operator_binding import Binding, BindingRule, Step
from phalanx.multiprocessor.tasks.vector_operators import TaskPlace, VectorTasks


@checked
def prefix_tree(
    tasks: VectorTasks,
    *,
    multiply: float = 1.0,
    add: float = 1.0,
    multiply_interval: float | None = None,
    add_interval: float | None = None,
    interval: float | None = None,
    padded: bool = False,
) -> OperatorArray:
    """A systolic array: operators for every combination of two segments, in every tier.

    Args:
        tasks: Of a tree of segments (``vector_tasks(mechanism, network)``).
        multiply: Time of a multiplication.
        add: Time of an addition.
        multiply_interval: Initiation interval of multipliers, which makes operators pipelined; see
            :func:`phalanx.multiprocessor.vector_operator`.
        add_interval: Initiation interval of adders; the same.
        interval: From a sample to the next; when not given, the shortest with pipelined operators,
            else that of a tier, a product of matrix and vector and an addition.
        padded: Whether all nodes of a tier work with the same offsets; else each task starts when
            it can.

    Raises:
        InvalidInput: The tasks are of the linear recursion, or the interval is not positive.
    """
    _check_tree(tasks, "prefix_tree", "linear_array", padded=padded)
    pace = Pace(multiply, add, interval, padded, multiply_interval, add_interval)
    return with_own_operators(tasks, "prefix tree", _own_binding, _step(tasks), pace)


@checked
def wrapped_tier(
    tasks: VectorTasks,
    *,
    multiply: float = 1.0,
    add: float = 1.0,
    multiply_interval: float | None = None,
    add_interval: float | None = None,
    interval: float | None = None,
    padded: bool = False,
    shared: bool = False,
) -> OperatorArray:
    """One tier of nodes for each direction, whose results go back to its inputs.

    It has as many nodes as its widest tier combines segments, and with unified leaves at least one
    for each pair of leaves. Arguments are as for :func:`prefix_tree`; a sample enters when the one
    before has left, when no interval is given and operators are not pipelined. With ``shared`` the
    same operators serve both directions.
    """
    _check_tree(tasks, "wrapped_tier", "wrapped_node", padded=padded)
    bind = _bindings_of_a_tier(tasks)
    pace = Pace(multiply, add, interval, padded, multiply_interval, add_interval)
    return with_operators_again(tasks, "wrapped tier", bind, _step(tasks), pace, shared=shared)


def finishing_tiers(tasks: VectorTasks, direction: str = "outward") -> dict[int, int]:
    """The tier after which a direction has come to its end for a joint, by joint."""
    last: dict[int, int] = {}
    for place in tasks.places:
        if place.direction == direction:
            last[place.index] = max(place.level, last.get(place.index, 0))
    return last


def _own_binding(place: TaskPlace) -> Binding:
    node = str(place.index)
    if place.level:
        node = f"tier {place.level}, {node}"
    elif place.direction in ("outward", "inward"):
        node = f"leaf {node}"
    return Binding(place.direction, node, place.role)


def _bindings_of_a_tier(tasks: VectorTasks) -> BindingRule:
    """Nodes of a tier are taken in the order of their segments, by every tier anew.

    Leaves that are made like a combination are the work of the same nodes, in two turns; so a tier
    has a node for each pair of leaves. Others have operators of their own.
    """
    ends = _ends(tasks)
    together: dict[tuple[str, int], dict[int, None]] = defaultdict(dict)

    def turn(place: TaskPlace) -> tuple[str, int]:
        """Those that are there at the same time: of one tier, or of joints that end with it."""
        return place.direction, _tier(place, ends)

    for place in sorted(tasks.places, key=lambda place: place.index):
        together[turn(place)][place.index] = None
    rank = {key: {index: k for k, index in enumerate(those)} for key, those in together.items()}
    unified = any(place.level == 0 and place.role == "T19" for place in tasks.places)
    nodes: dict[str, int] = {}  # of a tier, by direction
    for (direction, tier), those in rank.items():
        wanted = len(those) if tier else -(-len(those) // 2) if unified else 1
        nodes[direction] = max(nodes.get(direction, 1), wanted)

    def bind(place: TaskPlace) -> Binding:
        number, kind = rank[turn(place)][place.index], "node"
        if not place.level and place.direction not in ends:
            if unified:
                number %= nodes[place.direction]
            else:
                kind = "leaf"
        return Binding(place.direction, f"{kind} {number}", place.role)

    return bind


def _step(tasks: VectorTasks) -> Step:
    """How many tiers lie before a place in its direction."""
    ends = _ends(tasks)
    return lambda place: _tier(place, ends)


def _ends(tasks: VectorTasks) -> dict[str, dict[int, int]]:
    """For what is done by a joint alone: the tier after which it can be done."""
    return {"own": finishing_tiers(tasks), "readout": finishing_tiers(tasks, "inward")}


def _tier(place: TaskPlace, ends: dict[str, dict[int, int]]) -> int:
    return ends[place.direction].get(place.index, 0) if place.direction in ends else place.level


def _check_tree(tasks: VectorTasks, wanted: str, other: str, *, padded: bool) -> None:
    if tasks.network is None:
        raise InvalidInput(
            f"{wanted} takes tasks of a tree of segments; '{tasks.graph.name}' are of the linear "
            f"recursion. Take {other}, or vector_tasks with a network."
        )
    if padded and not tasks.is_chain:
        raise InvalidInput(
            f"the machine of '{tasks.graph.name}' branches: its leaves wait for branches of other "
            "lengths, so that tiers have no offsets in common. Leave out padded."
        )
