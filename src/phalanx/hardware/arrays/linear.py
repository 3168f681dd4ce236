"""Linear systolic array: operators for each joint, or one group shared by all.

Reference:
    Lathrop (1983), sec. III, figures III.2 and III.3.
"""

from __future__ import annotations

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.array import OperatorArray
from phalanx.hardware.arrays.array_mapping import (
    Pace,
    with_operators_again,
    with_own_operators,
)
from phalanx.hardware.arrays.operator_binding import Binding, Step
from phalanx.multiprocessor.tasks.vector_operators import TaskPlace, VectorTasks


@checked
def linear_array(
    tasks: VectorTasks,
    *,
    multiply: float = 1.0,
    add: float = 1.0,
    multiply_interval: float | None = None,
    add_interval: float | None = None,
    interval: float | None = None,
    padded: bool = False,
) -> OperatorArray:
    """A systolic array: operators for every joint, outward, by itself and inward.

    Args:
        tasks: Of the linear recursion (``vector_tasks(mechanism)``).
        multiply: Time of a multiplication.
        add: Time of an addition.
        multiply_interval: Initiation interval of multipliers, which makes operators pipelined; see
            :func:`phalanx.multiprocessor.vector_operator`.
        add_interval: Initiation interval of adders; the same.
        interval: From a sample to the next; when not given, the shortest with pipelined operators,
            else that of a step of the recursion, a product of matrix and vector and an addition.
        padded: Whether all joints work with the same offsets; else each task starts when it can.

    Raises:
        InvalidInput: The tasks are of a tree of segments, or the interval is not positive.
    """
    _check_linear(tasks, "linear_array", "prefix_tree")
    pace = Pace(multiply, add, interval, padded, multiply_interval, add_interval)
    return with_own_operators(tasks, "linear array", _own_binding, _step(tasks), pace)


@checked
def wrapped_node(
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
    """One node for each direction, whose results go back to its inputs: a joint after the other.

    Arguments are as for :func:`linear_array`; a sample enters when the one before has left, when no
    interval is given and operators are not pipelined. With ``shared`` the same operators serve both
    directions.
    """
    _check_linear(tasks, "wrapped_node", "wrapped_tier")
    pace = Pace(multiply, add, interval, padded, multiply_interval, add_interval)
    return with_operators_again(
        tasks, "wrapped node", _only_binding, _step(tasks), pace, shared=shared
    )


def _own_binding(place: TaskPlace) -> Binding:
    return Binding(place.direction, str(place.index), place.role)


def _only_binding(place: TaskPlace) -> Binding:
    return Binding(place.direction, "", place.role)


def _step(tasks: VectorTasks) -> Step:
    """How many joints lie between a place and where its direction begins."""
    depths = tasks.depths
    last = max(depths)

    def step(place: TaskPlace) -> int:
        depth = depths[place.index]
        return last - depth if place.direction in ("inward", "readout") else depth

    return step


def _check_linear(tasks: VectorTasks, wanted: str, other: str) -> None:
    if tasks.network is not None:
        raise InvalidInput(
            f"{wanted} takes tasks of the linear recursion; '{tasks.graph.name}' combines segments "
            f"by the network {tasks.network.name}. Take {other}, or vector_tasks without a network."
        )
