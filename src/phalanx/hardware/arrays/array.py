"""Systolic arrays: plan, initiation interval, and what they are built of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.operator_binding import PART
from phalanx.multiprocessor.plans.buffers import Buffer
from phalanx.multiprocessor.plans.interval import initiation_interval
from phalanx.multiprocessor.plans.periodic import Periodic
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.vector_operators import TaskPlace, VectorTasks

FORMS = LINEAR, LOGARITHMIC = "linear", "logarithmic"
# in the order in which work passes them
DIRECTIONS = ("joint", "outward", "own", "inward", "readout", "return")
_PRODUCTS = {"MM": 3}  # a product of matrices takes three vector processors, a column each


def processors_of(operators: Mapping[str, int]) -> int:
    """Vector processors for some operators; a product of matrices takes three."""
    return sum(_PRODUCTS.get(kind, 1) * count for kind, count in operators.items())


@dataclass(frozen=True)
class OperatorArray:
    """Inverse dynamics, or another quantity, on an array of vector operators.

    Attributes:
        name: What it is called.
        tasks: What it does for a sample: of positions, velocities and accelerations, of inverse
            dynamics.
        periodic: When and where, and how often a new sample enters.
        systolic: Whether there are operators for every step; else one node or tier does all.
        shared: Whether operators work outward first, and inward later.
    """

    name: str
    tasks: VectorTasks
    periodic: Periodic
    systolic: bool
    shared: bool = False

    @property
    def plan(self) -> Schedule:
        """What is done for one sample."""
        return self.periodic.plan

    @property
    def form(self) -> str:
        """Of the recursion: ``linear`` or ``logarithmic``."""
        return LINEAR if self.tasks.network is None else LOGARITHMIC

    @property
    def joints(self) -> int:
        """How many joints the chain has."""
        return max(place.index for place in self.tasks.places)

    @property
    def interval(self) -> float:
        """From a sample to the next [Flops]."""
        return self.periodic.interval

    @property
    def latency(self) -> float:
        """From the inputs of a set to all of its torques [Flops]."""
        return self.periodic.latency

    @cached_property
    def latency_to_wrenches(self) -> float:
        """From the inputs of a set to the forces and moments in all joints [Flops].

        The source's figure: it takes the torque for a component of the moment, which is right only
        where the joint's axis is one of the link's frame. Else a product with the axis follows.
        """
        places = self.tasks.places
        inside = (p.end for p in self.plan.placements if places[p.task].direction != "readout")
        return max(inside, default=0.0)

    @checked
    def time(self, sets: int) -> float:
        """From the first input to the last torque of so many samples [Flops]."""
        return self.periodic.time(sets)

    def execute(self, *inputs: Any) -> NDArray[np.float64]:
        """Results of samples that pass through the array one after the other.

        Args:
            inputs: Those of the quantity, an array each with a row for every sample: positions
                [m or rad], velocities [m/s or rad/s] and accelerations [m/s² or rad/s²] of inverse
                dynamics, then further inputs of the tasks, such as a wrench at the tip.

        Returns:
            Torques, shape (samples, nv), or the other quantity for each sample.
        """
        results = self.periodic.execute(*inputs)
        first: NDArray[np.float64] = results[0] if isinstance(results, tuple) else results
        return first

    def check(self) -> None:
        """Fail where operators are wanted by two samples at a time, or anything else is wrong.

        Raises:
            InvalidInput: With the operator, and the least interval that this array allows.
        """
        wrong = self.periodic.violations
        if not wrong:
            return
        least = "" if self.plan.violations else f" The least is {initiation_interval(self.plan):g}."
        raise InvalidInput(
            f"the {self.name} cannot take a set every {self.interval:g} {self.plan.computer.unit}: "
            f"{wrong[0].text}{least}"
        )

    def space_time(
        self,
        path: str | PathLike[str],
        sets: int | None = None,
        inputs: Sequence[Any] | None = None,
    ) -> None:
        """Draw who works on which sample when; see :meth:`Periodic.space_time`."""
        self.periodic.space_time(path, sets, inputs, self.positions)

    @cached_property
    def positions(self) -> dict[str, tuple[float, float]]:
        """Where nodes are in a picture, by name: joints to the right, steps of the way down."""
        names = [
            self.plan.computer.processor_name(placed.processor).partition(PART)[0]
            for placed in self.plan.placements
        ]
        places = [self.tasks.places[placed.task] for placed in self.plan.placements]
        rows = sorted({(DIRECTIONS.index(p.direction), p.level) for p in places})
        found: dict[str, tuple[float, float]] = {}
        for name, place in zip(names, places, strict=True):
            row = rows.index((DIRECTIONS.index(place.direction), place.level))
            x, y = found.get(name, (place.index, row))
            found[name] = min(x, float(place.index)), min(y, float(row))
        return found

    @checked
    def every(self, interval: float) -> OperatorArray:
        """The same array with another time between samples."""
        return replace(self, periodic=Periodic(self.plan, interval))

    @cached_property
    def operators(self) -> dict[str, Counter[str]]:
        """How many operators of each kind there are, by the first direction they work for.

        One that does several kinds counts for the first by the alphabet.
        """
        found: dict[int, tuple[int, str]] = {}
        for placed in self.plan.placements:
            direction = DIRECTIONS.index(self.tasks.places[placed.task].direction)
            kind = self.tasks.graph.tasks[placed.task].kind
            found[placed.processor] = min(
                found.get(placed.processor, (direction, kind)), (direction, kind)
            )
        counts: dict[str, Counter[str]] = {}
        for direction, kind in found.values():
            counts.setdefault(DIRECTIONS[direction], Counter())[kind] += 1
        return counts

    @property
    def vector_processors(self) -> dict[str, int]:
        """How many vector processors (VAMPs) that takes, by direction."""
        return {direction: processors_of(kinds) for direction, kinds in self.operators.items()}

    def buffers_between(self, source: str, destination: str) -> dict[Buffer, int]:
        """Buffers in which values wait to go from one direction to another, with their joints.

        Args:
            source: The direction whose results wait.
            destination: The direction that reads them.
        """
        places, numbers = self.tasks.places, self.tasks.graph.numbers
        return {
            buffer: places[numbers[buffer.task]].index
            for buffer in self.periodic.buffers_there
            if places[numbers[buffer.task]].direction == source
            and any(place.direction == destination for place in self.readers(buffer))
        }

    def readers(self, buffer: Buffer) -> tuple[TaskPlace, ...]:
        """Who takes values out of a buffer."""
        return tuple(
            self.tasks.places[task]
            for task in self.tasks.graph.successors[self.tasks.graph.number(buffer.task)]
            if self._processors[task] == buffer.destination
        )

    @cached_property
    def _processors(self) -> dict[int, int]:
        return {placed.task: placed.processor for placed in self.plan.placements}
