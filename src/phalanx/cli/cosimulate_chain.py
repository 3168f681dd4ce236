"""``phalanx cosimulate chain``: segments of a chain on several nodes, and what they had to tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.processors import usable_processors
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.models import model_reference
from phalanx.cli.outputs import check_output

if TYPE_CHECKING:
    from phalanx.distribute.programs.chains import ChainJob, ChainOutcome, ChainPlan
    from phalanx.mechanism import Mechanism

USUAL_METHOD = "conjugate-gradient"
USUAL_SEGMENTS = 4


@dataclass(frozen=True)
class Chained:
    """A chain: how long it is, and how its forces are found."""

    bodies: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Chain: number of bodies of the model 'chain', rods of 1 m and 1 kg.",
            show_default=False,
        ),
    ] = None
    joint: Annotated[
        str,
        OneOf("phalanx.mechanism.library.chain:JOINTS"),
        typer.Option(help="Chain: joints between rods."),
    ] = "revolute"
    segments: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Chain: number of segments, one for each process. Default: the number of ranks; "
            "without ranks 4, or the number of bodies if smaller.",
            show_default=False,
        ),
    ] = None
    tolerance: Annotated[
        float, typer.Option(help="Chain: tolerance of the iteration, for change and residual.")
    ] = 1e-8
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help="Chain: largest number of iterations.", show_default=False),
    ] = None
    stepping: Annotated[
        str,
        OneOf("phalanx.distribute.programs.chains:Stepping"),
        typer.Option(help="Chain: integrator {either}, of order 4 and of order 1."),
    ] = "runge-kutta"
    start: Annotated[
        int,
        typer.Option(
            min=-1,
            help="Chain: order of the extrapolation of earlier forces, for the initial guess of "
            "the iteration; -1 starts at zero.",
        ),
    ] = 3
    bend: Annotated[float, typer.Option(help="Chain: initial angle of every joint [rad].")] = 0.1
    every: Annotated[int, typer.Option(min=1, help="Chain: record every N-th step.")] = 1

    @property
    def changed(self) -> list[str]:
        """Options that are not as they are usually."""
        usual = Chained()
        return [name for name in vars(self) if getattr(self, name) != getattr(usual, name)]


def cosimulate_chain(
    model: str,
    mechanism: Mechanism | None,
    method: str,
    chained: Chained,
    ranks: int,
    duration: float,
    step: float,
    record: Path | None,
    timeout: float,
    force: bool,
) -> None:
    """Run a chain on nodes, and show what they told each other.

    Raises:
        InvalidInput: Options do not go together.
    """
    from phalanx.distribute import Ranks, inside_mpi
    from phalanx.distribute.programs.chains import ChainJob, cosimulate, launch

    as_rank = Ranks(timeout) if inside_mpi() and not ranks else None
    size = ranks or (as_rank.size if as_rank is not None else 0)
    if size and (chained.segments or size) != size:
        raise InvalidInput(f"--segments {chained.segments} need as many ranks; there are {size}.")
    if chained.bodies is None and chained.joint != Chained().joint:
        raise InvalidInput("--joint is for --bodies: it says how the rods of 'chain' are joined.")
    job = ChainJob(
        model_reference(model),
        chained.bodies,
        chained.joint,
        method,
        chained.tolerance,
        chained.iterations,
        duration,
        step,
        chained.stepping,
        chained.start,
        chained.bend,
        chained.every,
        None if record is None else str(record),
        timeout,
    )
    mechanism = mechanism or job.mechanism()
    usual = min(USUAL_SEGMENTS, len(mechanism.moving_joints))
    plan = job.plan(chained.segments or size or usual, mechanism)
    plan.check()
    if record is not None and as_rank is not None and as_rank.rank == 0:
        check_output(record, [".mcap"], force=force)
    outcome: ChainOutcome | None
    if ranks:
        outcome = launch(job, ranks)
    else:
        outcome = cosimulate(plan, record, as_rank)
    if outcome is not None:
        show(job, plan, outcome, on_ranks=size > 0)


def show(job: ChainJob, plan: ChainPlan, outcome: ChainOutcome, *, on_ranks: bool) -> None:
    """What nodes told each other, and how the run compares with one of a single node."""
    import numpy as np

    from phalanx.distribute.programs.chains import single_node

    alone = single_node(replace(plan, every=plan.steps))
    out, steps, nodes = console.out(), outcome.steps, len(outcome.segments)
    where = f"{nodes} MPI ranks" if on_ranks else "one process"
    table = console.table(
        f"{plan.mechanism.name}, {job.method}, {nodes} segments on {where}",
        ("bodies",),
        ("neighbour letters", "numbers", "sums", "letters", "numbers", "waited"),
    )
    for segment, one in zip(outcome.segments, outcome.traffic, strict=True):
        beside = [line for line in one.letters if line.kind == "neighbour"]
        summed = [line for line in one.letters if line.kind == "sum"]
        counts = (
            sum(line.messages for line in beside),
            sum(line.words for line in beside),
            one.reductions,
            sum(line.messages for line in summed),
            sum(line.words for line in summed),
        )
        waited = console.duration(one.waited) if on_ranks else "-"
        bodies = f"{segment.first + 1}-{segment.stop}"
        table.add_row(bodies, *(f"{count:,}" for count in counts), waited)
    out.print(table)
    effort, of_kind = outcome.effort, {"neighbour": 0, "sum": 0}
    for line in outcome.log:
        of_kind[line.kind] += line.messages
    out.print(
        f"iterations: {effort.iterations / effort.evaluations:.3g} in each of "
        f"{effort.evaluations:,} evaluations, residual up to {effort.residual:.2g}",
        soft_wrap=True,
    )
    out.print(
        f"each step: letters to neighbours {of_kind['neighbour'] / steps:.3g}, sums "
        f"{outcome.traffic[0].reductions / steps:.3g} by {of_kind['sum'] / steps:.3g} letters",
        soft_wrap=True,
    )
    here, there = outcome.seconds / steps, alone.seconds / steps
    ratio = there / here
    speed = f"{ratio:.2g} times as fast" if ratio >= 1 else f"{1 / ratio:.3g} times slower"
    out.print(
        f"a step took {console.duration(here)}, {console.duration(there)} by one node in one "
        f"process: {speed}",
        soft_wrap=True,
    )
    processors = usable_processors()
    if on_ranks and processors < nodes:
        out.print(f"({nodes} ranks share {processors} processors here.)", soft_wrap=True)
    differences = [
        f"{name} {np.abs(outcome.recording[name][-1] - alone.recording[name][-1]).max():.2g}"
        for name in ("q", "v")
    ]
    out.print(f"difference from one node at the end: {', '.join(differences)}", soft_wrap=True)
    if job.record is not None:
        console.err().print(f"Recording in {job.record}.", soft_wrap=True)
