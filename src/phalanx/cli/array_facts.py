"""What an array is worth, as a table for people and as data for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.cli import console

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.hardware import OperatorArray
    from phalanx.hardware.arrays.budgets import Processors
    from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class ArrayFacts:
    """An array with sets that have passed through it.

    Attributes:
        array: The array.
        mechanism: The machine.
        published: Vector processors that the source counts for it.
        inputs: Positions, velocities and accelerations of all sets.
        error: The largest difference from the serial torques, over the largest of these.
        least: The shortest interval that the array allows.
        rate: How often torques are needed [Hz].
    """

    array: OperatorArray
    mechanism: Mechanism
    published: Processors
    inputs: tuple[NDArray[np.float64], ...]
    error: float
    least: float
    rate: float

    @staticmethod
    def of(
        array: OperatorArray, mechanism: Mechanism, sets: int, rate: float, seed: int
    ) -> ArrayFacts:
        """Let random sets pass, and compare their torques with those of the serial recursion."""
        from phalanx.dynamics import Dynamics
        from phalanx.hardware import budgets
        from phalanx.multiprocessor import initiation_interval

        budgets.allowed_flop_time(array.interval, rate)
        noise = np.random.default_rng(seed)
        q = mechanism.random_positions(sets, noise)
        v, a = noise.standard_normal((2, sets, mechanism.nv))
        torques = array.execute(q, v, a)
        serial = Dynamics(mechanism).inverse_dynamics(q, v, a)
        error = np.abs(torques - serial).max() / (np.abs(serial).max() or 1.0)
        return ArrayFacts(
            array,
            mechanism,
            budgets.published_for(array),
            (q, v, a),
            float(error),
            initiation_interval(array.plan),
            rate,
        )

    @property
    def sets(self) -> int:
        """How many sets have passed."""
        return len(self.inputs[0])

    @property
    def published_note(self) -> str:
        """What the source's count leaves out, or counts otherwise."""
        from phalanx.hardware.arrays.array import LINEAR

        if self.array.form == LINEAR:
            return "published: without the operators that read torques out of moments."
        return (
            "published: a tree from joint 1 whose leaves are made as combinations are (--grounded "
            "--unified build it), without the operators that read torques out of moments, and "
            "without the cross product of each link's own force."
        )

    def show(self) -> None:
        """Write times, then a table of what the array is built of."""
        from phalanx.hardware.arrays.array import DIRECTIONS
        from phalanx.multiprocessor.tasks.vector_operators import Kind

        array, out = self.array, console.out()
        for name, value in self._lines():
            out.print(f"{name:<18}{value}", soft_wrap=True, markup=False)
        out.print()
        kinds = [kind.value for kind in Kind]
        heads = tuple(f" {head}" for head in (*kinds, "operators", "processors", "published"))
        table = console.table(f"{array.name} for {self.mechanism.name}", ("works for",), heads)
        for direction in (d for d in DIRECTIONS if d in array.operators):
            counts = array.operators[direction]
            published = getattr(self.published, direction, None)
            table.add_row(
                direction,
                *(_cell(counts[kind] or None) for kind in kinds),
                _cell(counts.total()),
                _cell(array.vector_processors[direction]),
                " –" if published is None else _cell(published),
            )
        totals = [sum(counts[kind] for counts in array.operators.values()) for kind in kinds]
        table.add_row(
            "all",
            *(_cell(count or None) for count in totals),
            _cell(sum(totals)),
            _cell(sum(array.vector_processors.values())),
            _cell(self.published.total),
        )
        out.print(table)
        out.print(self.published_note, soft_wrap=True, markup=False)

    def _lines(self) -> list[tuple[str, str]]:
        from phalanx.hardware import budgets

        array, periodic = self.array, self.array.periodic
        every = budgets.allowed_flop_time(array.interval, self.rate)
        return [
            (
                "latency",
                f"{array.latency:g} Flops, {array.latency_to_wrenches:g} to the forces and "
                "moments in joints",
            ),
            (
                "a set every",
                f"{array.interval:g} Flops, at least {self.least:g}; "
                f"{periodic.sets_at_a_time} at a time",
            ),
            (
                f"{self.sets} sets",
                f"{array.time(self.sets):g} Flops; fill {periodic.fill:g}, drain "
                f"{periodic.drain:g}",
            ),
            (
                "buffers",
                f"{periodic.words_stored:,} numbers in "
                f"{sum(1 for b in periodic.buffers_there if b.depth):,} places, the deepest for "
                f"{max((b.depth for b in periodic.buffers_there), default=0)} sets",
            ),
            (
                f"at {self.rate:g} Hz",
                f"a Flop may take {console.duration(every)}; "
                f"{console.duration(budgets.allowed_flop_time(array.latency, self.rate))} if a set "
                "has to end before the next",
            ),
            (
                "error",
                f"{self.error:.1e} of the largest torque, {self.sets} sets against the serial "
                "recursion",
            ),
        ]

    def to_data(self) -> dict[str, Any]:
        """The same as JSON values; times in Flops."""
        from phalanx.hardware import budgets

        array, periodic = self.array, self.array.periodic
        processors = sum(array.vector_processors.values())
        return {
            "model": self.mechanism.name,
            "kind": array.form,
            "array": array.name,
            "latency": array.latency,
            "latency_to_wrenches": array.latency_to_wrenches,
            "interval": array.interval,
            "least_interval": self.least,
            "fill": periodic.fill,
            "drain": periodic.drain,
            "sets": self.sets,
            "time": array.time(self.sets),
            "sets_at_a_time": periodic.sets_at_a_time,
            "operators": {of: dict(counts) for of, counts in array.operators.items()},
            "vector_processors": array.vector_processors,
            "published_processors": {
                "outward": self.published.outward,
                "own": self.published.own,
                "inward": self.published.inward,
            },
            "published_note": self.published_note,
            "packages": budgets.packages(processors),
            "words_stored": periodic.words_stored,
            "deepest_buffer": max((b.depth for b in periodic.buffers_there), default=0),
            "rate": self.rate,
            "flop_time": budgets.allowed_flop_time(array.interval, self.rate),
            "flop_time_one_at_a_time": budgets.allowed_flop_time(array.latency, self.rate),
            "error": self.error,
        }


def _cell(count: int | None) -> str:
    return "" if count is None else f" {count:,}"
