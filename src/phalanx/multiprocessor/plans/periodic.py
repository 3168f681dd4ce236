"""Pipelined plans: a plan repeated with a new sample before it has ended."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.base.files import home_path
from phalanx.multiprocessor.computers.placement import Violation
from phalanx.multiprocessor.plans.buffers import Buffer, buffer_violations, buffers_needed
from phalanx.multiprocessor.plans.drawings import draw_space_time
from phalanx.multiprocessor.plans.interval import check_can_repeat, interval_violations
from phalanx.multiprocessor.plans.periodic_execution import execute_sets
from phalanx.multiprocessor.plans.periodic_file import read_periodic, write_periodic
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.space_time import SpaceTime
from phalanx.multiprocessor.plans.space_time_periodic import of_periodic
from phalanx.multiprocessor.plans.unrolled import unrolled
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


@dataclass(frozen=True)
class Periodic:
    """A plan for one sample of inputs, and a new sample every interval.

    Sample k begins ``k * interval`` after sample 0 and does the same on the same processors and
    wires. Such a plan may be wrong; :attr:`violations` tells.

    Attributes:
        plan: What is done for each sample.
        interval: From the beginning of a set to that of the next, in the computer's unit.
        buffers: The buffers there are, where values wait for those who read them; as deep as the
            plan needs them when not given. Those that are not in it are wires, of depth 0.
    """

    plan: Schedule
    interval: float
    buffers: tuple[Buffer, ...] | None = None

    def __post_init__(self) -> None:
        """Check the interval, and the buffers that are given."""
        if not (math.isfinite(self.interval) and self.interval > 0):
            raise InvalidInput(
                f"an interval of {self.interval} between sets; it must be finite and positive."
            )
        check_can_repeat(self.plan)
        for buffer in self.buffers or ():
            self.plan.graph.number(buffer.task)
            if buffer.depth < 0:
                raise InvalidInput(
                    f"a buffer of depth {buffer.depth} for {buffer.task}; it cannot be negative."
                )

    @property
    def latency(self) -> float:
        """From the beginning of a sample until its last result, in the computer's unit."""
        return self.plan.makespan

    @property
    def throughput(self) -> float:
        """Sets in a unit of time, once the pipeline is full."""
        return 1.0 / self.interval

    @property
    def fill(self) -> float:
        """When every interval begins to be like the next: the pipeline is full from then on."""
        return max(0.0, self.latency - self.interval)

    @property
    def drain(self) -> float:
        """From the end of the last full interval until the last result."""
        first = min((p.start for p in self.plan.placements), default=0.0)
        return max(0.0, self.latency - first - self.interval)

    @property
    def sets_at_a_time(self) -> int:
        """How many samples are at work together, at most."""
        return max(1, math.ceil(self.latency / self.interval * (1 - 1e-9)))

    def time(self, sets: int) -> float:
        """From the beginning of the first of so many samples until the last result of the last."""
        return self.latency + max(0, sets - 1) * self.interval

    @property
    def utilization(self) -> dict[str, float]:
        """The part of each interval in which a processor works, by its name."""
        computer = self.plan.computer
        return {
            computer.processor_name(p): busy / self.interval
            for p, busy in enumerate(self.plan.busy)
        }

    @cached_property
    def buffers_needed(self) -> tuple[Buffer, ...]:
        """The shallowest buffers that are deep enough."""
        return buffers_needed(self.plan, self.interval)

    @property
    def buffers_there(self) -> tuple[Buffer, ...]:
        """The buffers that were given, or else those that are needed."""
        return self.buffers_needed if self.buffers is None else self.buffers

    @property
    def words_stored(self) -> int:
        """Numbers that all buffers together hold."""
        return sum(buffer.words * buffer.depth for buffer in self.buffers_there)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """What is wrong: with the plan itself, with its repetition, with the buffers."""
        return (
            *self.plan.violations,
            *interval_violations(self.plan, self.interval),
            *buffer_violations(self.plan, self.interval, self.buffers_there),
        )

    def execute(self, *inputs: Any) -> Any:
        """Execute the samples on the simulated computer, with numbers that go through the buffers.

        Args:
            inputs: An array for each input of the graph's program; the first axis counts samples.

        Returns:
            The output, or a tuple of outputs, whose first axis counts samples. Too short an
            interval or too shallow a buffer loses values: later tasks read NaN, or those of another
            sample.
        """
        return execute_sets(self.plan, self.interval, self.buffers_there, inputs)

    def unrolled(self, sets: int) -> Schedule:
        """The first so many samples as one plan of tasks ``name #0``, ``name #1``, …."""
        if sets < 1:
            raise InvalidInput(f"a plan of {sets} sets; there must be at least one.")
        return unrolled(self.plan, self.interval, sets)

    def gantt(self, path: str | PathLike[str], sets: int = 3, color_by: str | None = None) -> None:
        """Draw the first samples, each in its colour (see :meth:`Schedule.gantt`)."""
        self.unrolled(sets).gantt(path, color_by)

    def space_time(
        self,
        path: str | PathLike[str],
        sets: int | None = None,
        inputs: Sequence[Any] | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Draw the work on each sample, what waits where, and the numbers of the first samples.

        Args:
            path: ``.html`` for a page to step through, fold, zoom and search in, which needs no
                other file; ``.svg``, ``.png`` or ``.pdf`` for a picture.
            sets: How many samples pass; as many as there are inputs, or 8, when not given.
            inputs: As :meth:`execute` takes them, for the numbers on the page; any numbers when
                not given. Without a program there are none.
            positions: Where nodes (or single processors) are in the array, by name, to the right
                and down; ``outward 3`` is the third of the row ``outward`` when not given.

        Raises:
            InvalidInput: When the suffix is another, nothing can be written there, there is no
                sample, or inputs do not fit.
        """
        draw_space_time(lambda: self.at_work(sets, inputs, positions), path)

    def at_work(
        self,
        sets: int | None = None,
        inputs: Sequence[Any] | None = None,
        positions: Mapping[str, tuple[float, float]] | None = None,
    ) -> SpaceTime:
        """What :meth:`space_time` draws, as data; the arguments are the same."""
        return of_periodic(self, sets, inputs, positions)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plan and its repetition as JSON (see :meth:`Schedule.save`).

        Raises:
            InvalidInput: When nothing can be written there.
        """
        names = "latency", "fill", "drain", "throughput"
        measures = {name: getattr(self, name) for name in names}
        write_periodic((self.plan, self.interval, self.buffers), measures, Path(path))

    @staticmethod
    def load(path: str | PathLike[str], graph: TaskGraph) -> Periodic:
        """A repeated plan that was saved, for the graph it was made for.

        Raises:
            ReadError: When the file cannot be read or does not fit the graph.
        """
        file = home_path(path)
        plan, interval, buffers = read_periodic(file, graph)
        try:
            return Periodic(plan, interval, buffers)
        except (InvalidInput, UnknownName) as error:
            raise ReadError(f"{file.name}: {error}") from None

    def __repr__(self) -> str:
        """Like ``Periodic(12 tasks on 3 × chip: a set every 5 ticks, 4 at a time)``."""
        computer = self.plan.computer
        return (
            f"Periodic({len(self.plan.placements)} tasks on {computer.processors} × "
            f"{computer.name}: a set every {self.interval:.6g} {computer.unit}, "
            f"{self.sets_at_a_time} at a time)"
        )
