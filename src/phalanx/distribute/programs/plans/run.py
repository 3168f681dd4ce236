"""A plan carried out by nodes that send its messages: in this process, or on ranks started for it.

Policy: every message goes the way of the plan, wire after wire, from the rank that is the processor
before a wire to the rank that is the one after it; between processors of one rank nothing travels.
Times of the plan are not kept, only its order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.launch import launch as launch_nodes
from phalanx.distribute.processes.messages import Array, Finished
from phalanx.distribute.processes.run import run as run_nodes
from phalanx.distribute.programs.plans.feedback import Carriage, carried_over
from phalanx.distribute.programs.plans.node import planned
from phalanx.distribute.programs.plans.outcome import PlanOutcome, outcome_of
from phalanx.distribute.programs.plans.program_data import program_to_data
from phalanx.distribute.programs.plans.script import Script, scripts_of
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.schedule import Schedule


def run(
    plan: Schedule,
    *inputs: Any,
    nodes: int,
    steps: int = 1,
    back: Mapping[str, str] | None = None,
) -> PlanOutcome:
    """Carry a plan out by nodes of this process, one after the other in one thread.

    Args:
        plan: For processors with wires between them.
        inputs: An array for each input of the graph's program, ``q, v, a``; for a new one in every
            step, with a first axis that counts steps.
        nodes: How many ranks to play, each one processor of the plan or several.
        steps: How often the plan is carried out.
        back: Outputs that are inputs of the next step, ``{"q": "q_next"}``.

    Returns:
        The outputs, to the last bit those of ``plan.execute``, and what was sent.

    Raises:
        InvalidInput: The plan has violations, no program or no wires; there are more nodes than
            processors; arrays do not fit.
        UnknownName: There is no such input or output.
    """
    prepared = _Prepared(plan, inputs, nodes, steps, back or {})
    finished = run_nodes(planned, nodes, {"job": prepared.job()})
    assert finished is not None
    return prepared.outcome(finished)


def launch(
    plan: Schedule,
    *inputs: Any,
    ranks: int,
    steps: int = 1,
    back: Mapping[str, str] | None = None,
    timeout: float = 10.0,
) -> PlanOutcome:
    """Carry a plan out on MPI ranks of this machine that are started for it.

    Args:
        plan: As `run` takes it.
        inputs: As `run` takes them.
        ranks: How many to start, each one processor of the plan or several.
        steps: How often the plan is carried out, without a new start.
        back: Outputs that are inputs of the next step.
        timeout: How long ranks wait for each other [s].

    Raises:
        InvalidInput: As `run` raises it.
        UnknownName: There is no such input or output.
        MissingExtra: There is no mpi4py or no ``mpiexec``.
        RanksFailed: A rank was lost, did not answer, or failed.
    """
    prepared = _Prepared(plan, inputs, ranks, steps, back or {})
    return prepared.outcome(launch_nodes(planned, ranks, {"job": prepared.job()}, timeout=timeout))


class _Prepared:
    """A plan with its inputs, checked and shared out."""

    def __init__(
        self,
        plan: Schedule,
        inputs: tuple[Any, ...],
        ranks: int,
        steps: int,
        back: Mapping[str, str],
    ) -> None:
        if steps < 1:
            raise InvalidInput(f"steps={steps}; expected at least one.")
        self.scripts: list[Script] = scripts_of(plan, ranks)
        assert plan.graph.program is not None, "scripts are of programs"
        self.program: Graph = plan.graph.program
        self.steps = steps
        self.carriage: Carriage = carried_over(self.program, self.scripts, back)
        self.inputs = _rows(self.program, inputs, steps, back)

    def job(self) -> dict[str, Any]:
        """What ranks are told, plain data."""
        return {
            "program": program_to_data(self.program),
            "scripts": [script.to_data() for script in self.scripts],
            "carried": [
                [*pair, [list(one) for one in them]] for pair, them in self.carriage.items()
            ],
            "inputs": [rows.tolist() for rows in self.inputs],
            "steps": self.steps,
        }

    def outcome(self, finished: Finished) -> PlanOutcome:
        """Put together what ranks tell."""
        between = sum(1 for sender, receiver in self.carriage if sender != receiver)
        carried = between * (self.steps - 1)
        return outcome_of(self.program, self.scripts, finished, self.steps, carried)


def _rows(
    program: Graph, inputs: tuple[Any, ...], steps: int, back: Mapping[str, str]
) -> list[Array]:
    """Each input as rows: one, or one for each step."""
    if len(inputs) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise InvalidInput(f"'{program.name}' takes {names}; got {len(inputs)} arrays.")
    found = []
    for port, given in zip(program.inputs, inputs, strict=True):
        numbers = np.asarray(given, dtype=np.float64)
        each_step = numbers.shape == (steps, *port.shape) and port.name not in back
        if numbers.shape != port.shape and not each_step:
            more = "" if port.name in back else f", or {(steps, *port.shape)} for a new one a step"
            raise InvalidInput(
                f"'{port.name}' of '{program.name}' has shape {port.shape}{more}; got "
                f"{numbers.shape}."
            )
        found.append(numbers.reshape(steps if numbers.shape != port.shape else 1, port.size))
    return found
