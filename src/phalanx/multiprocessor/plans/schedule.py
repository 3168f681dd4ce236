"""Schedule: when and where every task runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.files import home_path
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import release_times, serial_time
from phalanx.multiprocessor.computers.placement import Message, Placement, Violation
from phalanx.multiprocessor.plans.drawings import draw
from phalanx.multiprocessor.plans.execution import Settled, settle
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.plans.schedule_file import read_schedule, write_schedule
from phalanx.multiprocessor.plans.validation import violations
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


@dataclass(frozen=True)
class Schedule:
    """A plan for a computer: every task of a graph, and every message.

    A plan may be wrong; :attr:`violations` tells. Policies return plans that are right.

    Attributes:
        graph: The tasks.
        computer: The processors.
        placements: When and where tasks run, by start.
        messages: What goes over wires.
        policy: Who made the plan.
        bound: No plan is shorter than this; None when no bound was computed.
    """

    graph: TaskGraph
    computer: Computer
    placements: tuple[Placement, ...]
    messages: tuple[Message, ...] = ()
    policy: str = ""
    bound: float | None = None

    @staticmethod
    def from_levels(
        graph: TaskGraph, computer: Computer, levels: Sequence[Sequence[str]], policy: str = ""
    ) -> Schedule:
        """A plan printed as a table: a row for every level, a task's name for every processor.

        Empty names are idle processors; a level takes as long as its longest task.
        """
        placements = []
        now = 0.0
        for number, row in enumerate(levels, start=1):
            if len(row) > computer.processors:
                raise InvalidInput(
                    f"level {number} has {len(row)} columns for {computer.processors} processors."
                )
            longest = 0.0
            for processor, name in enumerate(row):
                if name:
                    task = graph.number(name)
                    time = computer.time(graph.tasks[task], processor)
                    placements.append(Placement(task, processor, now, now + time))
                    longest = max(longest, time)
            now += longest
        return Schedule(graph, computer, tuple(placements), policy=policy)

    @cached_property
    def makespan(self) -> float:
        """When the last task has ended and the last message has arrived, in the computer's unit."""
        ends = [p.end for p in self.placements]
        ends += [hop.end for message in self.messages for hop in message.hops]
        return max(ends, default=0.0)

    @cached_property
    def serial_time(self) -> float:
        """What the quickest single processor of this computer takes for all tasks.

        Where none can do all of them: one after the other, each on its quickest operator. A task
        waits for the results of the one before, so that a pipeline counts as a gain.
        """
        return serial_time(self.graph, self.computer)

    @property
    def speedup(self) -> float:
        """How many times as fast as one processor: S_p = T_1 / T_p."""
        return self.serial_time / self.makespan if self.makespan else 1.0

    @property
    def efficiency(self) -> float:
        """Speed-up for each processor: E_p = S_p / p."""
        return self.speedup / self.computer.processors

    @cached_property
    def released(self) -> tuple[float, ...]:
        """For each placement when its processor can start another task; at most its end.

        Earlier than the end in a pipelined processor, by latency minus occupancy.
        """
        return tuple(release_times(self.graph, self.computer, self.placements))

    @cached_property
    def busy(self) -> tuple[float, ...]:
        """How long tasks occupy each processor."""
        total = [0.0] * self.computer.processors
        for p, free in zip(self.placements, self.released, strict=True):
            total[p.processor] += free - p.start
        return tuple(total)

    @cached_property
    def held(self) -> tuple[float, ...]:
        """How long messages take each processor's time, sending or receiving."""
        total = [0.0] * self.computer.processors
        for hold in holds(self.computer, self.messages):
            total[hold.processor] += hold.end - hold.start
        return tuple(total)

    @property
    def utilization(self) -> float:
        """The part of all processors' time that is work."""
        if not self.makespan:
            return 1.0
        return sum(self.busy) / (self.makespan * self.computer.processors)

    @property
    def idle(self) -> float:
        """Time that processors wait, all together: neither work nor messages take it."""
        return self.makespan * self.computer.processors - sum(self.busy) - sum(self.held)

    @property
    def words_sent(self) -> int:
        """Numbers that go over wires, counted once a message."""
        return sum(message.words for message in self.messages)

    @property
    def measures(self) -> dict[str, float]:
        """What the plan is worth, in numbers by name."""
        return {
            "makespan": self.makespan,
            "serial_time": self.serial_time,
            "speedup": self.speedup,
            "efficiency": self.efficiency,
            "utilization": self.utilization,
            "idle": self.idle,
            "messages": len(self.messages),
            "words_sent": self.words_sent,
        }

    @property
    def is_proven_shortest(self) -> bool:
        """Whether the plan is as short as its bound."""
        return self.bound is not None and self.makespan <= self.bound * (1 + 1e-9)

    def on_processor(self, processor: int) -> tuple[Placement, ...]:
        """What one processor does, in order."""
        own = (p for p in self.placements if p.processor == processor)
        return tuple(sorted(own, key=lambda p: (p.start, p.end, p.task)))

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What is wrong with the plan; empty when it can be carried out."""
        return tuple(violations(self.graph, self.computer, self.placements, self.messages))

    @cached_property
    def settled(self) -> Settled:
        """Who finds whose results when the plan is carried out; found once, for all inputs."""
        return settle(self.graph, self.computer, self.placements, self.messages)

    def execute(self, *inputs: Any) -> Any:
        """Carry the plan out on the simulated computer, with numbers.

        Args:
            inputs: An array for each input of the graph's program, ``q, v, a``.

        Returns:
            The output, or a tuple of outputs. A task that starts before its data are there reads
            NaN: a wrong plan gives a wrong result.
        """
        return self.settled.outputs(inputs)

    def gantt(self, path: str | PathLike[str], color_by: str | None = None) -> None:
        """Draw the plan: a row for every processor and wire, a bar for every task and message.

        Args:
            path: ``.svg``, ``.png`` or ``.pdf`` for a picture, ``.html`` for a page to zoom and
                search in, which needs no other file.
            color_by: ``link`` or ``kind`` of the tasks; by link when not given, if they have links.

        Raises:
            InvalidInput: When the suffix is another, or nothing can be written there.
            UnknownName: When there is no such colouring.
        """
        draw(self, Path(path), color_by)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plan as JSON; see :mod:`phalanx.multiprocessor.plans.schedule_file`.

        Raises:
            InvalidInput: When nothing can be written there.
        """
        write_schedule(self, Path(path))

    @staticmethod
    def load(path: str | PathLike[str], graph: TaskGraph) -> Schedule:
        """A plan that was saved, for the graph it was made for.

        Raises:
            ReadError: When the file cannot be read or does not fit the graph.
        """
        return read_schedule(home_path(path), graph, Schedule)

    def __repr__(self) -> str:
        """Like ``Schedule(230 tasks on 4 × uniform tasks: 58 levels, speed-up 3.97, 99 %)``."""
        c = self.computer
        return (
            f"Schedule({len(self.placements)} tasks on {c.processors} × {c.name}: "
            f"{self.makespan:.6g} {c.unit}, speed-up {self.speedup:.2f}, "
            f"{100 * self.efficiency:.0f} %)"
        )
