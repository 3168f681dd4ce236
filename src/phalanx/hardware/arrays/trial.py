"""Trial of an array with random samples: errors, latency, initiation interval, hardware."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.facts import Fact, Facts, Part, TextTable, duration
from phalanx.dynamics import Dynamics
from phalanx.hardware.arrays import budgets
from phalanx.hardware.arrays.array import DIRECTIONS, LINEAR, OperatorArray
from phalanx.hardware.arrays.choice import INVERSE
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor import initiation_interval
from phalanx.multiprocessor.tasks.vector_operators import Kind


@final
@dataclass(frozen=True)
class ArrayTrial:
    """An array with samples that have passed through it.

    Attributes:
        array: The array.
        mechanism: The machine.
        published: Vector processors that the source counts for it; None where it has no count.
        inputs: Those of all samples: positions, velocities and accelerations, of torques.
        error: The largest difference from what ``Dynamics`` computes, over the largest of that.
        least: The shortest interval that the array allows.
        rate: How often torques are needed [Hz].
    """

    array: OperatorArray
    mechanism: Mechanism
    published: budgets.Processors | None
    inputs: tuple[NDArray[np.float64], ...]
    error: float
    least: float
    rate: float

    @staticmethod
    def of(
        array: OperatorArray,
        mechanism: Mechanism,
        sets: int,
        rate: float,
        seed: int,
        frame: str | None = None,
    ) -> ArrayTrial:
        """Let random samples pass, and compare results with those of ``Dynamics``."""
        budgets.allowed_flop_time(array.interval, rate)
        quantity = array.tasks.quantity
        noise = np.random.default_rng(seed)
        q = mechanism.random_positions(sets, noise)
        rates = noise.standard_normal((2, sets, mechanism.nv))
        inputs = (q, *rates) if quantity.endswith("dynamics") else (q,)
        found = array.execute(*inputs)
        options = {} if frame is None else {"frame": frame}
        wanted = getattr(Dynamics(mechanism), quantity)(*inputs, **options)
        error = np.abs(found - wanted).max() / (np.abs(wanted).max() or 1.0)
        return ArrayTrial(
            array,
            mechanism,
            budgets.published_for(array) if quantity == INVERSE else None,
            inputs,
            float(error),
            initiation_interval(array.plan),
            rate,
        )

    @property
    def sets(self) -> int:
        """How many samples have passed."""
        return len(self.inputs[0])

    @property
    def published_note(self) -> str:
        """What the source's count leaves out, or counts otherwise."""
        if self.published is None:
            return "published: the source counts inverse dynamics only."
        if self.array.form == LINEAR:
            return "published: without the operators that read torques out of moments."
        return (
            "published: a tree from joint 1 whose leaves are made as combinations are (--grounded "
            "--unified build it), without the operators that read torques out of moments, and "
            "without the cross product of each link's own force."
        )

    def facts(self) -> Facts:
        """Times, then what the array is built of; times in Flops."""
        array = self.array
        return Facts(
            [*self._times(), "", self._operators(), self.published_note],
            {
                "model": self.mechanism.name,
                "quantity": array.tasks.quantity,
                "kind": array.form,
                "array": array.name,
                "published_note": self.published_note,
            },
        )

    def _times(self) -> list[Part]:
        array, periodic, sets = self.array, self.array.periodic, self.sets
        depths = [buffer.depth for buffer in periodic.buffers_there if buffer.depth]
        deepest = max(depths, default=0)
        units, pipelined = budgets.scalar_units(array), array.plan.computer.is_pipelined
        alive = budgets.words_alive(array)
        every, alone = (
            budgets.allowed_flop_time(time, self.rate) for time in (array.interval, array.latency)
        )
        return [
            self._latency(),
            Fact(
                "interval",
                f"{array.interval:g} Flops from one sample to the next, at least "
                f"{self.least:g}; {periodic.sets_at_a_time} samples at a time",
                {
                    "interval": array.interval,
                    "least_interval": self.least,
                    "sets_at_a_time": periodic.sets_at_a_time,
                },
            ),
            Fact(
                f"{sets} samples",
                f"{array.time(sets):g} Flops; fill {periodic.fill:g}, drain {periodic.drain:g}",
                {
                    "sets": sets,
                    "time": array.time(sets),
                    "fill": periodic.fill,
                    "drain": periodic.drain,
                },
            ),
            Fact(
                "units",
                f"{units.multiply:,} multipliers and {units.add:,} adders for single numbers in "
                f"all operators, {'' if pipelined else 'not '}pipelined",
                {"multipliers": units.multiply, "adders": units.add, "pipelined": pipelined},
            ),
            Fact(
                "buffers",
                f"{periodic.words_stored:,} numbers in {len(depths):,} buffers, at most {deepest} "
                f"samples deep; {alive:,} wait at a time",
                {
                    "words_stored": periodic.words_stored,
                    "words_alive": alive,
                    "deepest_buffer": deepest,
                },
            ),
            Fact(
                f"at {self.rate:g} Hz",
                f"a Flop may take {duration(every)}; {duration(alone)} if a sample must finish "
                "before the next",
                {"rate": self.rate, "flop_time": every, "flop_time_one_at_a_time": alone},
            ),
            Fact(
                "error",
                f"{self.error:.1e} of the largest {self._result}, relative to the serial recursion",
                {"error": self.error},
            ),
        ]

    @property
    def _result(self) -> str:
        return "torque" if self.array.tasks.quantity == INVERSE else "entry"

    def _latency(self) -> Fact:
        array = self.array
        if array.tasks.quantity != INVERSE:
            return Fact("latency", f"{array.latency:g} Flops", {"latency": array.latency})
        return Fact(
            "latency",
            f"{array.latency:g} Flops, {array.latency_to_wrenches:g} to the joint forces and "
            "moments",
            {"latency": array.latency, "latency_to_wrenches": array.latency_to_wrenches},
        )

    def _operators(self) -> TextTable:
        array, published, processors = self.array, self.published, self.array.vector_processors
        used = {kind for counts in array.operators.values() for kind in counts}
        beyond = (Kind.SP, Kind.SC, Kind.RC)  # the source has none of them
        kinds = [kind.value for kind in Kind if kind.value in used or kind not in beyond]

        def row(name: str, counts: list[int], built: int, counted: int | None) -> list[str]:
            cells = (f" {count:,}" if count else "" for count in counts)
            last = " –" if counted is None else f" {counted:,}"
            return [name, *cells, f" {sum(counts):,}", f" {built:,}", last]

        by_kind = {
            direction: [array.operators[direction][kind] for kind in kinds]
            for direction in DIRECTIONS
            if direction in array.operators
        }
        rows = [
            row(of, counts, processors[of], getattr(published, of, None))
            for of, counts in by_kind.items()
        ]
        totals = [sum(column) for column in zip(*by_kind.values(), strict=True)]
        counted = None if published is None else published.total
        rows.append(row("all", totals, sum(processors.values()), counted))
        return TextTable(
            f"{array.name} for {self.mechanism.name}",
            ["phase"],
            [f" {head}" for head in (*kinds, "operators", "processors", "published")],
            rows,
            values={
                "operators": {of: dict(counts) for of, counts in array.operators.items()},
                "vector_processors": processors,
                "published_processors": None if published is None else asdict(published),
                "packages": budgets.packages(sum(processors.values())),
            },
        )
