"""An array at work: its plan, how often a set can enter, and what it is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.plans.buffers import Buffer
from phalanx.multiprocessor.plans.periodic import Periodic
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.vector_operators import VectorTasks

PRODUCTS = {"MM": 3}  # a product of matrices takes three vector processors, a column each


@dataclass(frozen=True)
class OperatorArray:
    """Inverse dynamics on an array of vector operators.

    Attributes:
        name: What it is called.
        tasks: What it does for a set of positions, velocities and accelerations.
        periodic: When and where, and how often a new set enters.
    """

    name: str
    tasks: VectorTasks
    periodic: Periodic

    @property
    def plan(self) -> Schedule:
        """What is done for one set."""
        return self.periodic.plan

    @property
    def interval(self) -> float:
        """From a set to the next [Flops]."""
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

    def time(self, sets: int) -> float:
        """From the first input to the last torque of so many sets [Flops]."""
        return self.periodic.time(sets)

    def execute(self, q: Any, v: Any, a: Any, *others: Any) -> NDArray[np.float64]:
        """Torques of sets that pass through the array one after the other, shape (sets, nv).

        Args:
            q: Positions [m or rad], shape (sets, nq).
            v: Velocities [m/s or rad/s], shape (sets, nv).
            a: Accelerations [m/s² or rad/s²], shape (sets, nv).
            others: Further inputs of the tasks, such as a wrench at the tip.
        """
        results = self.periodic.execute(q, v, a, *others)
        torques: NDArray[np.float64] = results[0] if isinstance(results, tuple) else results
        return torques

    def every(self, interval: float) -> OperatorArray:
        """The same array with another time between sets."""
        return replace(self, periodic=Periodic(self.plan, interval))

    @cached_property
    def operators(self) -> dict[str, Counter[str]]:
        """How many operators of each kind there are, by the direction they work for."""
        found: dict[int, tuple[str, str]] = {}
        for placed in self.plan.placements:
            direction = self.tasks.places[placed.task].direction
            found[placed.processor] = direction, self.tasks.graph.tasks[placed.task].kind
        counts: dict[str, Counter[str]] = {}
        for direction, kind in found.values():
            counts.setdefault(direction, Counter())[kind] += 1
        return counts

    @property
    def vector_processors(self) -> dict[str, int]:
        """How many vector processors (VAMPs) that takes, by direction."""
        return {
            direction: sum(PRODUCTS.get(kind, 1) * count for kind, count in kinds.items())
            for direction, kinds in self.operators.items()
        }

    def buffers_between(self, source: str, destination: str) -> dict[Buffer, int]:
        """Buffers in which values wait to go from one direction to another, with their joints.

        Args:
            source: The direction whose results wait.
            destination: The direction that reads them.
        """
        reads = {
            placed.processor: self.tasks.places[placed.task].direction
            for placed in self.plan.placements
        }
        of_task = dict(zip(self.tasks.graph.numbers, self.tasks.places, strict=True))
        return {
            buffer: of_task[buffer.task].index
            for buffer in self.periodic.buffers_there
            if of_task[buffer.task].direction == source and reads[buffer.destination] == destination
        }
