"""``phalanx mesh``: forward dynamics on a triangular mesh of processors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.facts import Fact
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from phalanx.hardware.mesh import MeshTasks
    from phalanx.hardware.mesh.trial import MeshTrial
    from phalanx.mechanism import Mechanism
    from phalanx.multiprocessor import Schedule


@dataclass(frozen=True)
class MeshOptions:
    """What the mesh is like."""

    costs: Annotated[
        str,
        OneOf("phalanx.hardware.mesh.costs:COSTS"),
        typer.Option(help="What nodes and links take: a table of times."),
    ] = "t800"
    variant: Annotated[
        str,
        OneOf("phalanx.hardware.mesh.program:VARIANTS"),
        typer.Option(help="Compute products of arms and axes again in every row, or pass them on."),
    ] = "recompute"
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced/--unbalanced", help="Whether row 1 does a part of the work of row 0."
        ),
    ] = True
    columns: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Columns of the mesh; as many as the machine has freedoms.",
            show_default=False,
        ),
    ] = None
    step: Annotated[
        float | None,
        typer.Option(
            help="A whole step of so many seconds, with four evaluations (Runge-Kutta) and states "
            "integrated in row 0; one evaluation when not given.",
            show_default=False,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> tuple[MeshTasks, Schedule]:
        """Tasks of an evaluation or a step, and their plan."""
        from phalanx.hardware.mesh import mesh_evaluation, mesh_step
        from phalanx.hardware.mesh.costs import costs_by_name
        from phalanx.simulation.integrators.tableaux import CLASSIC

        build = (
            mesh_evaluation
            if self.step is None
            else partial(mesh_step, method=CLASSIC, h=self.step)
        )
        tasks = build(mechanism, variant=self.variant, balanced=self.balanced, columns=self.columns)
        return tasks, tasks.plan(costs_by_name(self.costs))


def mesh(
    model: Model,
    *,
    built: MeshOptions,
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Carry it out on so many MPI ranks too, message for message.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random state.")] = 0,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw the mesh at work: .html to step through, .svg, .png, .pdf.",
            show_default=False,
        ),
    ] = None,
    loading: Loading,
    json: Json = False,
) -> None:
    """Forward dynamics of a tree of hinges on a triangular mesh of processors.

    A node for every joint of every body that it moves, with a private memory each; messages go
    along the links of the mesh alone (Wong, 1991). Every task and every message is planned, checked
    and carried out with numbers, and the accelerations are compared with those of the serial
    recursion. A message on its way takes no time from its nodes; what the evaluation waits for is
    told by phase.

    phalanx mesh cat215b

    phalanx mesh cat215b --page mesh.html --costs t800 --variant recompute

    phalanx mesh puma600 --costs cycles --json

    phalanx mesh torso --variant pass

    phalanx mesh puma600 --step 0.01 --page step.html

    phalanx mesh cat215b --ranks 4
    """
    need("--ranks", "mpi", wanted=ranks is not None)
    from phalanx.hardware.mesh.trial import MeshTrial
    from phalanx.multiprocessor.plans.space_time_schedule import plan_at_work

    mechanism = loading.find(model)
    with console.err().status("The mesh …") as status:
        tasks, plan = built.of(mechanism)
        status.update(f"{len(plan.graph):,} tasks on {len(tasks.shape.nodes)} nodes …")
        trial = MeshTrial.of(tasks, plan, seed)
        of_ranks = [_on_ranks(trial, ranks)] if ranks else []
        if page is not None:
            status.update(f"Drawing {page.name} …")
            plan_at_work(plan, trial.inputs, tasks.shape.positions).draw(page)
    console.say(trial.facts(*of_ranks), json)
    if page is not None:
        console.err().print(f"Written: {page}", soft_wrap=True, markup=False)


def _on_ranks(trial: MeshTrial, ranks: int) -> Fact:
    """The same evaluation on ranks: whether it has the same bits, and what it took.

    Raises:
        InvalidInput: Ranks do not fit.
    """
    import numpy as np

    from phalanx.distribute import PlanJob, launch

    there = launch(PlanJob(trial.plan, *trial.inputs), ranks)
    same = all(map(np.array_equal, trial.outputs, there.outputs))
    hops, count = sum(there.hops.values()), len(there.processors)
    return Fact(
        f"{count} ranks",
        f"{'the same bits' if same else 'other bits'}; {there.messages:,} of {hops:,} messages "
        f"from rank to rank, {console.duration(there.seconds)}",
        {
            "ranks": {
                "ranks": count,
                "same_bits": same,
                "messages": there.messages,
                "hops": hops,
                "seconds": there.seconds,
            }
        },
    )
