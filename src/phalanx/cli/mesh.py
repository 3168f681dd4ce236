"""``phalanx mesh``: forward dynamics on a triangular mesh of processors (Wong, 1991)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Fact, Facts, duration
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Lock, Model, locked
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from phalanx.actuators.hydraulics import Hydraulics, RotaryHydraulics
    from phalanx.hardware.mesh import MeshCosts, MeshTasks
    from phalanx.hardware.mesh.trial import MeshTrial
    from phalanx.mechanism import Mechanism
    from phalanx.multiprocessor import Schedule
    from phalanx.studies.wong.like_for_like import LikeForLike


@dataclass(frozen=True)
class MeshOptions:
    """Times, size and task placement of the mesh."""

    costs: Annotated[
        str,
        OneOf("phalanx.hardware.mesh.costs:COSTS"),
        typer.Option(help="Table of operation and message times."),
    ] = "t800"
    variant: Annotated[
        str,
        OneOf("phalanx.hardware.mesh.program:VARIANTS"),
        typer.Option(
            help="Recompute products of lever arms and axes in every row, or pass them on."
        ),
    ] = "recompute"
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced/--unbalanced", help="Balance the load: row 1 takes work from row 0."
        ),
    ] = True
    columns: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Columns of the mesh. Default: the degrees of freedom of the machine.",
            show_default=False,
        ),
    ] = None
    step: Annotated[
        float | None,
        typer.Option(
            help="Plan a Runge-Kutta step of this length [s], with four evaluations and the "
            "integration in row 0. Default: one evaluation.",
            show_default=False,
        ),
    ] = None

    blocking: Annotated[
        bool,
        typer.Option(
            "--blocking",
            help="Messages hold the nodes at both ends, as in the source's machine: nothing "
            "overlaps. Default: each link has a controller of its own.",
        ),
    ] = False

    @property
    def table(self) -> MeshCosts:
        """Return the times of operations and messages."""
        from phalanx.hardware.mesh.costs import costs_by_name

        costs = costs_by_name(self.costs)
        return costs.without_overlap if self.blocking else costs

    hydraulics: Annotated[
        str | None,
        OneOf("phalanx.machines.excavator.excavator:MACHINES"),
        typer.Option(
            help="With --step: hydraulics of an excavator on the mesh, {either}.",
            show_default=False,
        ),
    ] = None
    independent: Annotated[
        str | None,
        typer.Option(
            help="Joints that determine the motion of a machine with loops: crank or left,right. "
            "Default: its motors, or what pivoting finds.",
            metavar="JOINTS",
            show_default=False,
        ),
    ] = None

    like_for_like: Annotated[
        bool,
        typer.Option(
            "--like-for-like",
            help="Also compare with the source's serial count, with messages for nothing, beside "
            "the work, and in its way (chains of hinges).",
        ),
    ] = False

    @property
    def actuation(self) -> RotaryHydraulics | Hydraulics | None:
        """Return the hydraulics.

        Raises:
            InvalidInput: Without a step there is nothing to integrate them in.
        """
        from phalanx.actuators.hydraulics import Hydraulics, RotaryHydraulics
        from phalanx.machines.excavator.excavator import MACHINES

        if self.hydraulics is None:
            return None
        if self.step is None:
            raise InvalidInput("--hydraulics are integrated in a step; give --step too.")
        found = MACHINES[self.hydraulics]().actuation
        assert isinstance(found, Hydraulics | RotaryHydraulics), "excavators have hydraulics"
        return found

    def of(self, mechanism: Mechanism) -> tuple[MeshTasks, Schedule]:
        """Return the tasks of an evaluation or a step, and their plan."""
        from phalanx.hardware.mesh import mesh_evaluation, mesh_step
        from phalanx.simulation.integrators.tableaux import CLASSIC

        build = (
            mesh_evaluation
            if self.step is None
            else partial(mesh_step, method=CLASSIC, h=self.step, hydraulics=self.actuation)
        )
        joints = None if self.independent is None else self.independent.split(",")
        tasks = build(
            mechanism,
            variant=self.variant,
            balanced=self.balanced,
            columns=self.columns,
            independent=joints,
        )
        return tasks, tasks.plan(self.table)

    def compared(self, tasks: MeshTasks) -> LikeForLike:
        """Return the plans beside the serial count of the source.

        Raises:
            InvalidInput: A task takes a cycle, whatever is in it.
            InvalidModel: The machine is no chain of hinges.
        """
        from phalanx.hardware.mesh.costs import costs_by_name
        from phalanx.simulation.integrators.tableaux import CLASSIC
        from phalanx.studies.wong.like_for_like import LikeForLike

        stages = 1 if self.step is None else len(CLASSIC.stages)
        driven = self.actuation
        actuators = len(driven.commands(tasks.machine.mechanism)) if driven else 0
        return LikeForLike(tasks, costs_by_name(self.costs), stages, actuators)


def mesh(
    model: Model,
    *,
    design: MeshOptions,
    lock: Lock = None,
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Also run it on N MPI ranks, with the same messages.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random state.")] = 0,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw the space-time diagram: .html (interactive), .svg, .png or .pdf.",
            show_default=False,
        ),
    ] = None,
    loading: Loading,
    json: Json = False,
) -> None:
    """Simulate forward dynamics on a triangular mesh of processors.

    The machine is a tree of any joints but screws, or has loops of revolute and prismatic ones. The
    mesh has a node with private memory for each pair of a body and a freedom that moves it, and
    messages travel along its links only (Wong, 1991). All tasks and messages are scheduled, checked
    and executed with numbers, and the accelerations are compared with those of a serial method.
    Messages overlap with computation unless --blocking is given; waiting times are printed for each
    phase.

    Examples:
        phalanx mesh cat215b
        phalanx mesh cat215b --page mesh.html --costs t800 --variant recompute
        phalanx mesh puma600 --costs cycles --json

        # a step of simulation; a run on MPI ranks
        phalanx mesh puma600 --step 0.01 --page step.html
        phalanx mesh cat215b --ranks 4

        # without overlap of messages and work; against the serial count of the source
        phalanx mesh cat215b --costs t800-measured --blocking
        phalanx mesh cat215b --like-for-like

        # an excavator with loops and cylinders on its own mesh
        phalanx mesh cat215b_cylinders --step 0.001 --hydraulics cylinders
    """
    need("--ranks", "mpi", wanted=ranks is not None)
    from phalanx.hardware.mesh.trial import MeshTrial
    from phalanx.multiprocessor.plans.space_time_schedule import plan_at_work

    mechanism = locked(loading.find(model), lock)
    with console.err().status("Building the mesh …") as status:
        tasks, plan = design.of(mechanism)
        status.update(f"{len(plan.graph):,} tasks on {len(tasks.shape.nodes)} nodes …")
        trial = MeshTrial.of(tasks, plan, seed, design.actuation)
        of_ranks = [_on_ranks(trial, ranks)] if ranks else []
        if page is not None:
            status.update(f"Drawing {page.name} …")
            plan_at_work(plan, trial.inputs, tasks.shape.positions).draw(page)
        facts = trial.facts(*of_ranks)
        if design.like_for_like:
            status.update("Planning with other messages …")
            facts += Facts(["", design.compared(tasks).table()])
    console.print_facts(facts, json)
    if page is not None:
        console.print_written("Diagram", page)


def _on_ranks(trial: MeshTrial, ranks: int) -> Fact:
    """Run the evaluation on ranks; return whether the bits are equal, messages and time.

    Raises:
        InvalidInput: When there are more ranks than nodes.
    """
    import numpy as np

    from phalanx.distribute import PlanJob, launch

    there = launch(PlanJob(trial.plan, *trial.inputs), ranks)
    same = all(map(np.array_equal, trial.outputs, there.outputs))
    hops, count = sum(there.hops.values()), len(there.processors)
    return Fact(
        f"{count} ranks",
        f"{'bitwise equal' if same else 'bits differ'}; {there.messages:,} of {hops:,} messages "
        f"between ranks, {duration(there.seconds)}",
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
