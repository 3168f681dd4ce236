"""Functional units: processors for some tasks only (multipliers, adders, vector units).

A unit has two times for each kind of operation: its *latency*, until the result is there, and its
*initiation interval*, until it accepts the next operands. In a pipelined unit the second is
shorter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from phalanx.base.errors import InvalidInput
from phalanx.base.json_fields import Fields
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.computers.speed import check_interval
from phalanx.multiprocessor.tasks.task_graph import Task


@short_repr
@dataclass(frozen=True)
class Operator:
    """A processor, and how long it takes for what it can do.

    ``Operator("multiplier", {"multiply": 2.0})`` does tasks of multiplications alone, and
    ``Operator("vector unit", {"matrix times vector": 3.0, "vector sum": 1.0})`` two kinds of
    tasks (:attr:`Task.kind`), each whole. ``Operator("multiplier", {"multiply": 5.0},
    {"multiply": 1.0})`` is pipelined: it answers after 5 and accepts new operands after 1.

    Attributes:
        name: Display name of this operator.
        times: Latency of one operation of a kind (``add``, ``multiply``, ``divide``, ``sqrt``,
            ``sincos``, ``other``), or of a whole task of a kind. What is not in it, it cannot do.
        intervals: Initiation interval of a kind: from its operands until the operator accepts the
            next ones. The latency where none is given: an operator that is not pipelined.
    """

    name: str
    times: Mapping[str, float] = field(hash=False)
    intervals: Mapping[str, float] = field(default_factory=dict, hash=False)

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
        for kind, interval in self.intervals.items():
            if kind not in self.times:
                raise InvalidInput(
                    f"operator '{self.name}' has an initiation interval for '{kind}', which it "
                    f"cannot do; it does {self.does}."
                )
            check_interval(f"'{kind}' of operator '{self.name}'", interval, self.times[kind])
        object.__setattr__(self, "times", dict(self.times))  # the caller may go on to change his
        object.__setattr__(self, "intervals", dict(self.intervals))

    @property
    def does(self) -> str:
        """Description of what it can do."""
        return ", ".join(self.times)

    @property
    def is_pipelined(self) -> bool:
        """Whether it accepts operands before the result of the last ones is there."""
        return any(interval < self.times[kind] for kind, interval in self.intervals.items())

    def pipelined(self, interval: float) -> Operator:
        """The same operator, which accepts operands every so long; no later than its results."""
        return replace(self, intervals={k: min(interval, t) for k, t in self.times.items()})

    def to_data(self) -> dict[str, Any]:
        """The operator as JSON values."""
        intervals = {"intervals": dict(self.intervals)} if self.intervals else {}
        return {"operator": self.name, "times": dict(self.times)} | intervals

    @staticmethod
    def from_data(data: Fields) -> Operator:
        """The operator of a file."""

        def numbers(name: str) -> dict[str, float]:
            entry = data.object(name)
            return {kind: entry.number(kind) for kind in entry.values}

        intervals = {} if data.is_null("intervals") else numbers("intervals")
        return Operator(data.text("operator"), numbers("times"), intervals)

    def time(self, task: Task) -> float:
        """Latency of a task: until its results are there; infinite for one that it cannot do."""
        if task.kind in self.times:
            return self.times[task.kind]
        counts = _counts(task)
        if any(kind not in self.times for kind in counts):
            return math.inf
        return sum(count * self.times[kind] for kind, count in counts.items())

    def tail(self, task: Task) -> float:
        """From when the operator accepts another task until the results of this one are there.

        Operations of one task follow each other, each with the result of the one before. So the
        operator is free an initiation interval after the last of them has begun; which is last is
        not known, and the one with the shortest tail is assumed.
        """
        kinds = (task.kind,) if task.kind in self.times else tuple(_counts(task))
        return min((self._tail(kind) for kind in kinds), default=0.0)

    def occupancy(self, task: Task) -> float:
        """How long a task occupies the operator; infinite for one that it cannot do."""
        return self.time(task) - self.tail(task)

    def _tail(self, kind: str) -> float:
        time = self.times.get(kind, 0.0)
        return time - self.intervals.get(kind, time)


def needs(task: Task) -> str:
    """Describe what an operator has to be able to do for a task."""
    operations = " and ".join(_counts(task)) or "nothing"
    return f"{task.kind}, or {operations}" if task.kind else operations


def _counts(task: Task) -> dict[str, int]:
    """Operations of a task by kind, those that it has."""
    return {kind: count for kind, count in asdict(task.operations).items() if count}
