"""``phalanx cosimulate``: a machine with loops on several nodes, each with a part of it."""

from __future__ import annotations

import os
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli import console
from phalanx.cli.controls import one_each
from phalanx.cli.models import find_model, model_reference
from phalanx.cli.options import check_writable
from phalanx.errors import InvalidInput

if TYPE_CHECKING:
    from phalanx.distribute import Job, Outcome, Plan


class MethodName(StrEnum):
    """How the equations of motion are cut."""

    penalty = "penalty"
    projection = "projection"
    recursive = "recursive"


class ModeName(StrEnum):
    """How nodes share a step."""

    replicated = "replicated"
    frozen = "frozen"
    stages = "stages"
    blocks = "blocks"


class TaskName(StrEnum):
    """What is computed."""

    forward = "forward"
    displacement = "displacement"
    kinematics = "kinematics"
    inverse = "inverse"


def cosimulate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A machine with loops: of the library (planar_3rrr), or a file.",
            show_default=False,
        ),
    ],
    task: Annotated[
        TaskName,
        typer.Option(
            help="forward: how the machine moves under its motors. Along the motion itself, by "
            "legs that ask a centre: displacement (postures), kinematics (and velocities, "
            "accelerations), inverse (and torques)."
        ),
    ] = TaskName.forward,
    method: Annotated[
        MethodName | None,
        typer.Option(
            help="penalty: springs hold the loops. projection: velocities along free directions, "
            "summed over nodes. recursive: legs that ask a centre (DeNOC). Penalty; recursive for "
            "tasks other than forward.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        ModeName | None,
        typer.Option(
            help="replicated: every node computes all, one exchange a step, same bits as one "
            "processor. frozen: others stand still for a step, one exchange, first order. "
            "stages: exchanges within the step. blocks: every node a moment of its own, two "
            "exchanges for as many steps. Replicated; stages for recursive.",
            show_default=False,
        ),
    ] = None,
    displacement: Annotated[
        bool,
        typer.Option("--displacement", help="Recursive: close the loops before each evaluation."),
    ] = False,
    points: Annotated[
        int, typer.Option(min=1, max=4, help="Blocks: moments at a time, a node each.")
    ] = 4,
    ranks: Annotated[
        int,
        typer.Option(min=0, help="MPI ranks to start, one a node; 0 runs all in this process."),
    ] = 0,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="The same as --ranks 0.")
    ] = False,
    duration: Annotated[float, typer.Option(help="Length of the run [s].")] = 3.0,
    step: Annotated[float, typer.Option(help="Length of a step [s]; one for all nodes.")] = 1e-3,
    way: Annotated[
        str | None,
        typer.Option(
            help="How far motors go, 0.1,0.2, or one for all; planar_3rrr moves as in the source, "
            "others hold their posture.",
            metavar="NUMBERS",
            show_default=False,
        ),
    ] = None,
    stiffness: Annotated[float, typer.Option(help="Of the springs of penalty [N/m].")] = 1e5,
    gains: Annotated[
        str,
        typer.Option(
            help="Stiffness and damping of the motors' feedback [N·m/rad, N·m·s/rad].",
            metavar="NUMBERS",
        ),
    ] = "2500,100",
    decay: Annotated[float, typer.Option(help="Of open loops in projection [1/s].")] = 10.0,
    record: Annotated[
        Path | None, typer.Option(help="Write the run to an .mcap file.", show_default=False)
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="End the run when a rank is silent for so long [s].")
    ] = 10.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Run the parts of a machine with loops on separate nodes; say what they had to tell.

    The machine is cut where its loops close: every branch from the base (a leg, the platform) is a
    node. Motors follow a motion, by torques of inverse dynamics and feedback; other tasks follow
    the motion itself. Afterwards the same is done on one processor, for its time and its numbers.

    phalanx cosimulate planar_3rrr

    phalanx cosimulate planar_3rrr --method penalty --ranks 4 --record run.mcap

    phalanx cosimulate planar_3rrr --method recursive --ranks 4 --duration 0.5

    phalanx cosimulate planar_3rrr --method projection --mode frozen --step 5e-4

    phalanx cosimulate planar_3rrr --task inverse --ranks 4

    phalanx cosimulate planar_3rrr --mode blocks --method recursive --ranks 4

    mpiexec -n 4 phalanx cosimulate planar_3rrr
    """
    from phalanx.cli.states import check_memory, numbers
    from phalanx.distribute import Job, Ranks, inside_mpi, launch
    from phalanx.distribute.platforms.cosimulate import run
    from phalanx.simulation.run import whole_steps

    mechanism = find_model(model)
    ways = one_each("way", way, len(mechanism.actuated_joints))
    both = numbers("gains", gains, 2)
    if not 0 < timeout < inf:
        raise InvalidInput(f"timeout={timeout:g}; expected a time above zero [s].")
    if method is None:
        central = task is not TaskName.forward or displacement
        method = MethodName.recursive if central else MethodName.penalty
    if displacement and method is not MethodName.recursive:
        raise InvalidInput(f"--displacement is of the recursive method, not of {method.value}.")
    chosen = mode or (ModeName.stages if method is MethodName.recursive else ModeName.replicated)
    job = Job(
        model_reference(model),
        method.value,
        chosen.value,
        duration,
        step,
        None if ways is None else tuple(float(x) for x in ways),
        stiffness=stiffness,
        decay=decay,
        gains=(float(both[0]), float(both[1])),
        record=None if record is None else str(record),
        timeout=timeout,
        task=task.value,
        displacement=displacement,
        points=points,
    )
    check_memory(
        "the torques of this run",
        2.0 * whole_steps(duration, step) * 8 * (2 * mechanism.nq + 4 * mechanism.nv),
        "Shorten --duration, or lengthen --step.",
    )
    plan = job.plan(mechanism)
    as_rank = Ranks(timeout) if inside_mpi() and not ranks else None
    if record is not None and (as_rank is None or as_rank.rank == 0):
        check_writable(record, ".mcap", force=force)
    if as_rank is not None:
        with as_rank.ending_the_job():
            outcome = run(plan, record, as_rank)
    elif ranks and not in_process:
        outcome = launch(job, ranks)
    else:
        outcome = run(plan, record)
    if outcome is not None:
        _show(job, plan, outcome, on_ranks=as_rank is not None or (ranks > 0 and not in_process))


def _what(plan: Plan) -> str:
    """What is computed, in words."""
    if plan.task.value != TaskName.forward.value:
        return str(plan.task)
    of_moments = f" of {plan.points} moments" if plan.mode.value == ModeName.blocks.value else ""
    return f"{plan.method.name}, {plan.mode}{of_moments}"


def _show(job: Job, plan: Plan, outcome: Outcome, *, on_ranks: bool) -> None:
    """What nodes told each other, and how the run compares with one on a single processor."""
    import numpy as np

    from phalanx.distribute import single_processor

    serial, seconds = single_processor(plan)
    out, steps = console.out(), outcome.steps
    where = f"{len(outcome.nodes)} MPI ranks" if on_ranks else "one process"
    table = console.table(
        f"{plan.mechanism.name}, {_what(plan)}, on {where}",
        ("node",),
        ("exchanges", "round trips", "messages", "words", "waited"),
    )
    for name, one in zip(outcome.nodes, outcome.traffic, strict=True):
        counts = (one.exchanges, one.round_trips, one.messages, one.words)
        waited = console.duration(one.waited) if on_ranks else "-"
        table.add_row(name, *(f"{count:,}" for count in counts), waited)
    out.print(table)
    messages = sum(one.messages for one in outcome.traffic) / steps
    words = sum(one.words for one in outcome.traffic) / steps
    most = max(outcome.traffic, key=lambda one: one.exchanges + one.round_trips)
    out.print(
        f"each step: exchanges {most.exchanges / steps:.3g}, round trips "
        f"{most.round_trips / steps:.3g}, messages {messages:.3g}, words {words:.3g}",
        soft_wrap=True,
    )
    ratio = seconds / outcome.seconds
    speed = f"{ratio:.2g} times as fast" if ratio >= 1 else f"{1 / ratio:.3g} times slower"
    out.print(
        f"{steps:,} steps took {console.duration(outcome.seconds)}, "
        f"{console.duration(seconds)} on one processor: {speed}",
        soft_wrap=True,
    )
    processors = len(os.sched_getaffinity(0))
    if on_ranks and processors < len(outcome.nodes):
        out.print(
            f"({len(outcome.nodes)} ranks share {processors} processors here, and a step of this "
            "machine is shorter than a message.)",
            soft_wrap=True,
        )
    told = [name for name in ("q", "v", "a", "tau") if name in serial.signals]
    if job.task == TaskName.forward.value:
        told = ["q", "v"]
    differences = [
        f"{name} {np.abs(outcome.recording[name] - serial[name]).max():.2g}" for name in told
    ]
    out.print(
        f"largest difference from one processor: {', '.join(differences)}; loops open by up to "
        f"{outcome.recording['opening'].max():.2g} m or rad",
        soft_wrap=True,
    )
    if job.record is not None:
        console.err().print(f"Recording in {job.record}.", soft_wrap=True)
