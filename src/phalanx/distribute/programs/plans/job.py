"""A schedule carried out on processes that send its messages, in this process or on MPI ranks.

Policy: every message goes the way of the schedule, wire after wire, from the rank that is the
processor before a wire to the rank that is the one after it; between processors of one rank nothing
travels. Times of the schedule are not kept, only its order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.job import (
    Job,
    JobResult,
    JobRun,
    MakeProgram,
    ProgramResult,
    how_many,
)
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.plans.carried_values import carried_over
from phalanx.distribute.programs.plans.graph_data import graph_to_data
from phalanx.distribute.programs.plans.planned_rank import planned
from phalanx.distribute.programs.plans.rank_script import scripts_of
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.schedule import Schedule


@final
@dataclass(frozen=True)
class PlanResult(JobResult):
    """Result of a schedule on several processes.

    Attributes:
        outputs: For each output its numbers; with several steps, the first axis counts them.
        steps: How many there were.
        processors: For each rank the processors that it was.
        hops: How often a message went over each wire, by number; within a rank, too.
        carried: Messages between two steps, for all steps together.
    """

    outputs: tuple[Array, ...] = field(repr=False)
    steps: int
    processors: tuple[tuple[int, ...], ...] = field(repr=False)
    hops: Mapping[int, int] = field(repr=False)
    carried: int

    @property
    def output(self) -> Any:
        """The output, or a tuple of outputs."""
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    @property
    def messages(self) -> int:
        """Messages from rank to rank that carried those of the schedule."""
        return sum(one.messages for one in self.traffic) - self.carried


@final
class PlanJob(Job[PlanResult]):
    """A schedule for processors with wires between them, with its inputs.

    A process is one processor of the schedule or several, each with a private memory. It does their
    tasks in the order of the schedule and sends what the schedule sends, and nothing else.
    """

    def __init__(
        self,
        plan: Schedule,
        *inputs: Any,
        steps: int = 1,
        back: Mapping[str, str] | None = None,
    ) -> None:
        """Take a schedule and its inputs.

        Args:
            plan: For processors with wires between them.
            inputs: An array for each input of the graph's program, ``q, v, a``; for a new one in
                every step, with a first axis that counts steps.
            steps: How often the schedule is carried out.
            back: Outputs that are inputs of the next step, ``{"q": "q_next"}``.
        """
        self.plan, self.inputs, self.steps, self.back = plan, inputs, steps, dict(back or {})

    def on(self, processes: int | None = None, *, on_ranks: bool = False) -> JobRun[PlanResult]:
        """Check the job, and write the script of each process.

        Raises:
            InvalidInput: The schedule has violations, no program or no wires; there are more
                processes than processors; arrays do not fit.
            UnknownName: There is no such input or output.
        """
        return _PlanRun(self, how_many(processes))


@final
class _PlanRun(JobRun[PlanResult]):
    def __init__(self, job: PlanJob, processes: int) -> None:
        if job.steps < 1:
            raise InvalidInput(f"steps={job.steps}; expected at least one.")
        self.steps, self.processes = job.steps, processes
        self.scripts = scripts_of(job.plan, processes)
        assert job.plan.graph.program is not None, "scripts are of programs"
        self.graph: Graph = job.plan.graph.program
        self.carriage = carried_over(self.graph, self.scripts, job.back)
        inputs = _rows(self.graph, job)
        data = {
            "program": graph_to_data(self.graph),
            "scripts": [script.to_data() for script in self.scripts],
            "carried": [
                [*pair, [list(one) for one in them]] for pair, them in self.carriage.items()
            ],
            "inputs": [rows.tolist() for rows in inputs],
            "steps": self.steps,
        }
        self.arguments = {"job": data}

    def for_ranks(self) -> tuple[MakeProgram, Mapping[str, Any]]:
        return planned, self.arguments

    def result(self, done: ProgramResult) -> PlanResult:
        values: dict[int, Array] = {}
        hops: Counter[int] = Counter()
        for script, found in zip(self.scripts, done.results, strict=True):
            numbers = np.array(found["values"], dtype=np.float64).reshape(self.steps, -1)
            values |= {node: numbers[:, k] for k, (node, _) in enumerate(script.results)}
            hops.update({int(wire): int(count) for wire, count in found["hops"]})
        outputs = []
        for port, nodes in zip(self.graph.outputs, self.graph.results, strict=True):
            rows = np.column_stack([values[n] for n in nodes]).reshape(self.steps, *port.shape)
            outputs.append(rows if self.steps > 1 else rows[0])
        between = sum(1 for sender, receiver in self.carriage if sender != receiver)
        return PlanResult(
            done.traffic,
            done.seconds,
            tuple(outputs),
            self.steps,
            tuple(script.processors for script in self.scripts),
            dict(sorted(hops.items())),
            between * (self.steps - 1),
        )


def _rows(graph: Graph, job: PlanJob) -> list[Array]:
    """Return each input as rows: one, or one for each step."""
    if len(job.inputs) != len(graph.inputs):
        names = ", ".join(port.name for port in graph.inputs)
        raise InvalidInput(f"'{graph.name}' takes {names}; got {len(job.inputs)} arrays.")
    found = []
    for port, given in zip(graph.inputs, job.inputs, strict=True):
        numbers = np.asarray(given, dtype=np.float64)
        shape = (job.steps, *port.shape)
        each_step = numbers.shape == shape and port.name not in job.back
        if numbers.shape != port.shape and not each_step:
            more = "" if port.name in job.back else f", or {shape} for a new one a step"
            raise InvalidInput(
                f"'{port.name}' of '{graph.name}' has shape {port.shape}{more}; got "
                f"{numbers.shape}."
            )
        found.append(numbers.reshape(job.steps if numbers.shape != port.shape else 1, port.size))
    return found
