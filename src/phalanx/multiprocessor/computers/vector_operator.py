"""Functional units for whole vector operations."""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.base.errors import UnknownName
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.computers.speed import check_interval
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind


def vector_operator(
    name: str,
    kinds: Iterable[Kind | str] = Kind,
    *,
    multiply: float = 1.0,
    add: float = 1.0,
    multiply_interval: float | None = None,
    add_interval: float | None = None,
) -> Operator:
    """An operator for some kinds of :func:`vector_tasks`.

    With an initiation interval it is pipelined: a multiplier or adder for each of its operations,
    one after the other, so that operands follow each other as fast as the slowest of these takes
    them. Its latency stays the same.

    Args:
        name: Display name of this operator.
        kinds: What it can do; everything when not given.
        multiply: Time of a multiplication.
        add: Time of an addition.
        multiply_interval: From a multiplication to the next in one multiplier, at most ``multiply``
            and this when only the other is given.
        add_interval: The same of an adder.

    Raises:
        UnknownName: There is no such kind.
        InvalidInput: An initiation interval is not positive, or longer than its operation.
    """
    for kind in kinds:
        if kind not in list(Kind):
            raise UnknownName(f"operator '{name}'", "kind of task", str(kind), list(Kind))
    able = [Kind(kind) for kind in kinds]
    times = {kind.value: kind.time(multiply, add) for kind in able}
    if multiply_interval is None and add_interval is None:
        return Operator(name, times)
    enters = multiply if multiply_interval is None else multiply_interval
    adds = add if add_interval is None else add_interval
    check_interval("a multiplication", enters, multiply)
    check_interval("an addition", adds, add)
    return Operator(name, times, {kind.value: kind.interval(enters, adds) for kind in able})
