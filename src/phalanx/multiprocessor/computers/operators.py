"""Functional units: processors for some tasks only (multipliers, adders, vector units)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from phalanx.base.errors import InvalidInput
from phalanx.base.json_fields import Fields
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.tasks.task_graph import Task


@short_repr
@dataclass(frozen=True)
class Operator:
    """A processor, and how long it takes for what it can do.

    ``Operator("multiplier", {"multiply": 2.0})`` does tasks of multiplications alone, and
    ``Operator("vector unit", {"matrix times vector": 3.0, "vector sum": 1.0})`` two kinds of
    tasks (:attr:`Task.kind`), each whole.

    Attributes:
        name: Display name of this operator.
        times: Time of one operation of a kind (``add``, ``multiply``, ``divide``, ``sqrt``,
            ``sincos``, ``other``), or of a whole task of a kind. What is not in it, it cannot do.
    """

    name: str
    times: Mapping[str, float] = field(hash=False)

    def __post_init__(self) -> None:
        """Check that it does something, in times that are possible."""
        if not self.times:
            raise InvalidInput(
                f"operator '{self.name}' does nothing; give the times of what it does."
            )
        for kind, time in self.times.items():
            if not (math.isfinite(time) and time >= 0):
                raise InvalidInput(
                    f"'{kind}' takes operator '{self.name}' {time}; a time must be finite and not "
                    "negative."
                )
        object.__setattr__(self, "times", dict(self.times))  # the caller may go on to change his

    @property
    def does(self) -> str:
        """Description of what it can do."""
        return ", ".join(self.times)

    def to_data(self) -> dict[str, Any]:
        """The operator as JSON values."""
        return {"operator": self.name, "times": dict(self.times)}

    @staticmethod
    def from_data(data: Fields) -> Operator:
        """The operator of a file."""
        times = data.object("times")
        return Operator(data.text("operator"), {kind: times.number(kind) for kind in times.values})

    def time(self, task: Task) -> float:
        """How long a task takes; infinite for one that it cannot do."""
        if task.kind in self.times:
            return self.times[task.kind]
        counts = {kind: count for kind, count in asdict(task.operations).items() if count}
        if any(kind not in self.times for kind in counts):
            return math.inf
        return sum(count * self.times[kind] for kind, count in counts.items())


def needs(task: Task) -> str:
    """Describe what an operator has to be able to do for a task."""
    counts = asdict(task.operations).items()
    operations = " and ".join(kind for kind, count in counts if count) or "nothing"
    return f"{task.kind}, or {operations}" if task.kind else operations
