"""Interface of parallel computers.

A computer is data, and a kind of computer is a class. Whatever depends on the kind is a method
here: when a result can be read elsewhere, which wires a message takes and how long it holds them,
which rules hold beside the common ones, how the computer is written to a file, what a picture calls
its rows. Policies, validation, execution, files and pictures know these methods and no kind, so a
new kind is one class and its entry in the catalogue.

What a task takes follows from the speed of the processor and from nothing else: its latency, after
which its results are there, and its occupancy, after which the processor can start another. Bounds,
critical paths and the tables of the policies rely on that. Rules can be added but not taken away,
so that a bound without them holds for every kind. Times are in the computer's own ``unit``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

from phalanx.base.arguments import whole
from phalanx.base.errors import InvalidInput
from phalanx.base.json_fields import Fields
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.computers.lock_step import unlike_at_a_time
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.computers.placement import Hop, Placement, Violation
from phalanx.multiprocessor.computers.speed import ONE_EACH, Speed
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

MOST_PROCESSORS = 2**20  # policies look at every one of them


@short_repr
@dataclass(frozen=True)
class Computer(ABC):
    """Processors that work on one task graph together.

    Attributes:
        kind: The name of the class in files.
        row_kind: What pictures call a processor.
        processors: How many there are.
        speed: Of every processor, or a sequence with one for each; an :class:`Operator` in it
            does only some tasks.
        unit: Of times: ``s``, ``operations`` or ``levels``.
        name: Display name.
    """

    kind: ClassVar[str]
    row_kind: ClassVar[str] = "processor"

    processors: int
    speed: Speed | Sequence[Speed | Operator] = ONE_EACH
    unit: str = "operations"
    name: str = "computer"

    def __post_init__(self) -> None:
        count = whole("processors", self.processors, -MOST_PROCESSORS, "a whole number")
        if count < 1:
            raise InvalidInput(f"a computer with {count} processors; there must be at least one.")
        if count > MOST_PROCESSORS:
            raise InvalidInput(
                f"a computer with {self.processors:,} processors; expected {MOST_PROCESSORS:,} at "
                "most."
            )
        if not isinstance(self.speed, Speed) and len(self.speed) != self.processors:
            raise InvalidInput(
                f"{len(self.speed)} speeds for {self.processors} processors; give one for each, "
                "or a single one for all."
            )
        if self.has_operators:
            names = Counter(self.processor_name(p) for p in range(self.processors))
            name, count = names.most_common(1)[0]
            if count > 1:
                raise InvalidInput(f"{count} operators are called '{name}'; name them apart.")
        if self.in_lock_step and not self.is_uniform:
            raise InvalidInput(
                f"{self.row_kind}s in lock-step are equally fast; give a single speed."
            )

    # what a task takes

    @property
    def is_uniform(self) -> bool:
        """Whether all processors are equally fast."""
        return isinstance(self.speed, Speed) or len(set(self.speed)) == 1

    @final
    def speed_of(self, processor: int) -> Speed | Operator:
        """The speed of one processor."""
        return self.speed if isinstance(self.speed, Speed) else self.speed[processor]

    @final
    def time(self, task: Task, processor: int = 0) -> float:
        """How long a processor takes for a task (latency); infinite when it cannot do it."""
        return self.speed_of(processor).time(task)

    @final
    def occupancy(self, task: Task, processor: int = 0) -> float:
        """From the start of a task until the processor can start another; at most its latency."""
        return self.speed_of(processor).occupancy(task)

    @property
    def is_pipelined(self) -> bool:
        """Whether there are processors that start a task before the last one has its results."""
        speeds = (self.speed,) if isinstance(self.speed, Speed) else self.speed
        return any(one.is_pipelined for one in speeds)

    @final
    def pipelined(self, interval: float) -> Self:
        """The same computer with pipelined processors.

        Args:
            interval: Their initiation interval: from the start of an operation until another can
                start; no longer than the operation takes.
        """
        if isinstance(self.speed, Speed):
            return replace(self, speed=self.speed.pipelined(interval))
        return replace(self, speed=tuple(one.pipelined(interval) for one in self.speed))

    @property
    def has_operators(self) -> bool:
        """Whether there are processors that do only some tasks."""
        return not isinstance(self.speed, Speed) and any(
            isinstance(one, Operator) for one in self.speed
        )

    @final
    def processor_name(self, processor: int) -> str:
        """Display name of a processor: ``processor 2``, or the name of an operator."""
        speed = self.speed_of(processor)
        return speed.name if isinstance(speed, Operator) else self.place_name(processor)

    def place_name(self, processor: int) -> str:
        """Display name of a processor that has no name of its own."""
        return f"{self.row_kind} {processor}"

    # how results travel

    @abstractmethod
    def delay(self, words: int, source: int, destination: int) -> float:
        """From the end of a task until another processor can read its results, on free wires."""

    @property
    def wires(self) -> int:
        """How many wires there are; with any, results reach others in messages alone."""
        return 0

    @final
    @property
    def is_wired(self) -> bool:
        """Whether results go from one processor to another over wires."""
        return self.wires > 0

    def route(self, source: int, destination: int) -> tuple[int, ...]:
        """Numbers of the wires a message takes; empty where none is needed."""
        return ()

    def hop_time(self, words: int) -> float:
        """How long a message of so many numbers holds each wire on its way."""
        return 0.0

    @property
    def holds_processors(self) -> bool:
        """Whether messages take time from the processors that send or receive them."""
        return False

    def sending(self, hop: Hop) -> tuple[float, float]:
        """From when to when a message on a wire holds the processor that sends it."""
        return hop.start, hop.start

    def receiving(self, hop: Hop) -> tuple[float, float]:
        """From when to when a message on a wire holds a processor that receives it."""
        return hop.end, hop.end

    def attached(self, wire: int) -> tuple[int, ...]:
        """The processors that a wire joins: those that it leads from and to without another."""
        everyone = range(self.processors)
        return tuple(p for p in everyone if any(self.route(p, q) == (wire,) for q in everyone))

    def onward(self, wire: int, processor: int) -> tuple[int, ...]:
        """The processors to which a wire leads from one, without another wire."""
        everyone = range(self.processors)
        return tuple(q for q in everyone if self.route(processor, q) == (wire,))

    def listeners(self, wire: int) -> tuple[int, ...]:
        """The processors that can read from a wire what is sent to another."""
        return ()

    @final
    def visible(self, words: int, source: int, end: float, reader: int, arrival: float) -> float:
        """When a processor sees the results of a task.

        Args:
            words: How many numbers they are.
            source: Who computed them.
            end: When the task ended.
            reader: Who wants to see them.
            arrival: When a message brings them; infinite when none does.

        Returns:
            The moment, infinite when it never comes.
        """
        if source != reader and self.wires:
            return arrival
        return end + self.delay(words, source, reader)

    @property
    def agreement(self) -> float | None:
        """The one time after which any other processor sees any result; None if it varies.

        What has wires has none, whatever its messages take.
        """
        return None

    def with_agreement(self, time: float) -> Self:
        """The same computer with another time to agree.

        Raises:
            InvalidInput: It has no such time.
        """
        raise InvalidInput(
            f"a {self.name} has no single time after which results are seen, so it takes no "
            "synchronization time."
        )

    @property
    def shares_memory(self) -> bool:
        """Whether threads of one process can stand for its processors."""
        return False

    # what processors may do at a time

    @property
    def in_lock_step(self) -> bool:
        """Whether all processors do the same kind of operation at the same time."""
        return False

    def broken_rules(
        self, graph: TaskGraph, placements: Sequence[Placement]
    ) -> Iterator[Violation]:
        """Violations of rules that only this kind of computer has.

        A kind that adds rules keeps these: ``yield from super().broken_rules(…)``.

        Args:
            graph: The tasks.
            placements: When and where tasks run, on processors that exist.
        """
        if self.in_lock_step:
            released = [
                p.end - self.speed_of(p.processor).tail(graph.tasks[p.task]) for p in placements
            ]
            yield from unlike_at_a_time(graph, placements, released, self.row_kind)

    # files

    @abstractmethod
    def own_data(self) -> dict[str, Any]:
        """Attributes that only this kind has, as JSON values."""

    @classmethod
    @abstractmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        """A computer of this kind from a file.

        Args:
            common: ``processors``, ``speed``, ``unit`` and ``name``, for the constructor.
            data: All values, with those of ``own_data``.
        """
