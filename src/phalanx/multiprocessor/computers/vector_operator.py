"""Functional units for whole vector operations."""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.base.errors import UnknownName
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind


def vector_operator(
    name: str, kinds: Iterable[Kind | str] = Kind, *, multiply: float = 1.0, add: float = 1.0
) -> Operator:
    """An operator for some kinds of :func:`vector_tasks`.

    Args:
        name: Display name of this operator.
        kinds: What it can do; everything when not given.
        multiply: Time of a multiplication.
        add: Time of an addition.

    Raises:
        UnknownName: There is no such kind.
    """
    for kind in kinds:
        if kind not in list(Kind):
            raise UnknownName(f"operator '{name}'", "kind of task", str(kind), list(Kind))
    return Operator(name, {Kind(kind).value: Kind(kind).time(multiply, add) for kind in kinds})
