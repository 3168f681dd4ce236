"""What a plan on ranks leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from phalanx.distribute.processes.messages import Array, Finished, Sent, Traffic, message_log
from phalanx.distribute.programs.plans.script import Script
from phalanx.kernel.graph.graph import Graph


@final
@dataclass(frozen=True)
class PlanOutcome:
    """What a plan on ranks leaves behind.

    Attributes:
        outputs: For each output its numbers; with several steps, the first axis counts them.
        steps: How many there were.
        processors: For each rank the processors that it was.
        hops: How often a message went over each wire, by number; within a rank, too.
        carried: Letters between two steps, for all steps together.
        traffic: What each rank sent.
        seconds: How long the steps took, at the rank that took longest [s].
    """

    outputs: tuple[Array, ...] = field(repr=False)
    steps: int
    processors: tuple[tuple[int, ...], ...]
    hops: Mapping[int, int] = field(repr=False)
    carried: int
    traffic: tuple[Traffic, ...] = field(repr=False)
    seconds: float

    @property
    def output(self) -> Any:
        """The output, or a tuple of outputs."""
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    @property
    def letters(self) -> int:
        """Letters from rank to rank that carried messages of the plan."""
        return sum(one.messages for one in self.traffic) - self.carried

    @property
    def log(self) -> tuple[Sent, ...]:
        """Who has sent how much to whom."""
        return message_log(self.traffic)


def outcome_of(
    program: Graph, scripts: list[Script], finished: Finished, steps: int, carried: int
) -> PlanOutcome:
    """Put together what ranks tell."""
    values: dict[int, Array] = {}
    hops: Counter[int] = Counter()
    for script, told in zip(scripts, finished.results, strict=True):
        numbers = np.array(told["values"], dtype=np.float64).reshape(steps, -1)
        values |= {node: numbers[:, k] for k, (node, _) in enumerate(script.results)}
        hops.update({int(wire): int(count) for wire, count in told["hops"]})
    outputs = []
    for port, nodes in zip(program.outputs, program.results, strict=True):
        rows = np.column_stack([values[n] for n in nodes]).reshape(steps, *port.shape)
        outputs.append(rows if steps > 1 else rows[0])
    return PlanOutcome(
        tuple(outputs),
        steps,
        tuple(script.processors for script in scripts),
        dict(sorted(hops.items())),
        carried,
        finished.traffic,
        max(told["seconds"] for told in finished.results),
    )
