"""``phalanx cosimulate``: a machine on several nodes, each with a part of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli.choices import OneOf
from phalanx.cli.controls import one_each
from phalanx.cli.cosimulate_chain import USUAL_METHOD, Chained, cosimulate_chain
from phalanx.cli.extras import need
from phalanx.cli.metavariables import LIST
from phalanx.cli.models import find_model, model_reference, model_words
from phalanx.cli.node_summary import show
from phalanx.cli.outputs import Overwrite, Writes, check_output

if TYPE_CHECKING:
    from phalanx.distribute import Job
    from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class Sharing:
    """What is computed, and how nodes share it."""

    task: Annotated[
        str,
        OneOf("phalanx.distribute:Task"),
        typer.Option(
            help="forward: forward dynamics under motor torques. For a given motion, by legs and "
            "a centre: displacement (postures), kinematics (also velocities and accelerations), "
            "inverse (also torques)."
        ),
    ] = "forward"
    method: Annotated[
        str | None,
        OneOf("phalanx.distribute.methods:METHODS"),
        typer.Option(
            help="penalty: loops closed by springs. projection: equations projected onto the free "
            "directions, summed over processes. recursive: legs and a centre (DeNOC). Default: "
            "penalty; recursive for other tasks. For chains, iterations for the joint forces: "
            "jacobi, chebyshev or conjugate-gradient (default).",
            show_default=False,
        ),
    ] = None
    mode: Annotated[
        str | None,
        OneOf("phalanx.distribute:Mode"),
        typer.Option(
            help="replicated: every process computes all, one exchange per step, bitwise equal to "
            "one processor. frozen: other parts are constant during a step, one exchange, first "
            "order. stages: exchanges at each stage. blocks: one time sample for each process, "
            "two exchanges per block. Default: replicated; stages for recursive.",
            show_default=False,
        ),
    ] = None
    displacement: Annotated[
        bool,
        typer.Option("--displacement", help="Recursive: close the loops before each evaluation."),
    ] = False
    points: Annotated[
        int,
        typer.Option(min=1, max=4, help="Blocks: number of time samples, one for each process."),
    ] = 4

    @property
    def changed(self) -> list[str]:
        """Options beside the method that are not as they are usually."""
        usual = Sharing()
        names = [name for name in vars(self) if name != "method"]
        return [name for name in names if getattr(self, name) != getattr(usual, name)]

    @property
    def chosen_method(self) -> str:
        """The method that a user means.

        Raises:
            InvalidInput: When ``displacement`` is of another.
        """
        central = self.task != "forward" or self.displacement
        method = self.method or ("recursive" if central else "penalty")
        if self.displacement and method != "recursive":
            raise InvalidInput(f"--displacement is of the recursive method, not of {method}.")
        return method

    @property
    def chosen_mode(self) -> str:
        """The mode that a user means."""
        return self.mode or ("stages" if self.chosen_method == "recursive" else "replicated")


@dataclass(frozen=True)
class Nodes:
    """Where the nodes are."""

    ranks: Annotated[
        int,
        typer.Option(min=0, help="Number of MPI ranks to start; 0 runs all parts in this process."),
    ] = 0
    in_process: Annotated[bool, typer.Option("--in-process", help="Same as --ranks 0.")] = False


@dataclass(frozen=True)
class Motion:
    """What motors do, and what holds the machine together."""

    duration: Annotated[float, typer.Option(help="Duration of the run [s].")] = 3.0
    step: Annotated[float, typer.Option(help="Integration step [s].")] = 1e-3
    way: Annotated[
        str | None,
        typer.Option(
            help="Travel of the motors [rad or m], one for each or one for all. Default: the "
            "motion of the source for planar_3rrr, else zero.",
            metavar=LIST,
            show_default=False,
        ),
    ] = None
    stiffness: Annotated[float, typer.Option(help="Penalty: stiffness of the springs [N/m].")] = 1e5
    gains: Annotated[
        str,
        typer.Option(
            help="Stiffness and damping of the motor feedback [N·m/rad, N·m·s/rad].",
            metavar=LIST,
        ),
    ] = "2500,100"
    decay: Annotated[
        float, typer.Option(help="Projection: rate at which loop errors decay [1/s].")
    ] = 10.0

    @property
    def changed(self) -> list[str]:
        """Options beside times that are not as they are usually."""
        usual = Motion()
        names = [name for name in vars(self) if name not in ("duration", "step")]
        return [name for name in names if getattr(self, name) != getattr(usual, name)]


@dataclass(frozen=True)
class Kept:
    """What is written, and how long ranks are waited for."""

    record: Annotated[
        Path | None,
        Writes((".mcap",), later=True),
        typer.Option(help="Write the recording to an .mcap file.", show_default=False),
    ] = None
    timeout: Annotated[
        float,
        typer.Option(help="Time without a message from a rank after which the run stops [s]."),
    ] = 10.0
    force: Overwrite = False


def cosimulate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            autocompletion=model_words,
            help="Machine with loops, or chain: of the library (planar_3rrr, chain, chain:8), "
            "robot:NAME, or a file.",
            show_default=False,
        ),
    ],
    sharing: Sharing,
    nodes: Nodes,
    motion: Motion,
    kept: Kept,
    chained: Chained,
) -> None:
    """Simulate the parts of a machine in separate processes; print messages and time.

    A machine with loops is cut where its loops close: each branch from the base (a leg, the
    platform) is a process. Its motors follow a motion by inverse dynamics and feedback. The run is
    repeated on one processor to compare results and time.

    A chain, or any machine without loops, is cut into segments of consecutive bodies and falls from
    a bent posture. The processes compute the joint forces by iteration, with messages to neighbours
    and sums over all processes.

    Examples:
        phalanx cosimulate planar_3rrr
        phalanx cosimulate planar_3rrr --method penalty --ranks 4 --record run.mcap
        phalanx cosimulate planar_3rrr --method recursive --ranks 4 --duration 0.5
        phalanx cosimulate planar_3rrr --method projection --mode frozen --step 5e-4
        phalanx cosimulate planar_3rrr --task inverse --ranks 4
        phalanx cosimulate planar_3rrr --mode blocks --method recursive --ranks 4

        # a chain of 200 bodies on four processes; a robot arm
        phalanx cosimulate chain --bodies 200 --ranks 4 --duration 0.5
        phalanx cosimulate robot:ur5_robot --duration 0.1

        # started by MPI
        mpiexec -n 4 phalanx cosimulate planar_3rrr
    """
    need("--ranks", "mpi", wanted=nodes.ranks > 0 and not nodes.in_process)
    from phalanx.distribute import Ranks, inside_mpi, launch

    if kept.record is not None and not inside_mpi():
        check_output(kept.record, [".mcap"], force=kept.force)
    # a chain of --bodies is built by its job
    mechanism = find_model(model) if chained.bodies is None else None
    if _is_chain(model, mechanism, sharing, motion, chained):
        ranks = 0 if nodes.in_process else nodes.ranks
        wanted = chained
        if nodes.in_process and nodes.ranks and chained.segments is None:
            wanted = replace(chained, segments=nodes.ranks)
        cosimulate_chain(
            model,
            mechanism,
            sharing.method or USUAL_METHOD,
            wanted,
            ranks,
            motion.duration,
            motion.step,
            kept.record,
            kept.timeout,
            kept.force,
        )
        return
    from phalanx.distribute.programs.platforms.cosimulate import run

    mechanism = mechanism or find_model(model)
    job = _job(model, mechanism, sharing, motion, kept)
    _check_size(mechanism, motion)
    plan = job.plan(mechanism)
    as_rank = Ranks(kept.timeout) if inside_mpi() and not nodes.ranks else None
    if kept.record is not None and as_rank is not None and as_rank.rank == 0:
        check_output(kept.record, [".mcap"], force=kept.force)
    started = nodes.ranks > 0 and not nodes.in_process
    if as_rank is not None:
        with as_rank.ending_the_job():
            outcome = run(plan, kept.record, as_rank)
    elif started:
        outcome = launch(job, nodes.ranks)
    else:
        outcome = run(plan, kept.record)
    if outcome is not None:
        show(job, plan, outcome, on_ranks=as_rank is not None or started)


def _is_chain(
    model: str, mechanism: Mechanism | None, sharing: Sharing, motion: Motion, chained: Chained
) -> bool:
    """Whether a machine is run as segments of bodies, and not as parts that meet in loops.

    Without loops it has no such parts, and is always cut into segments.

    Raises:
        InvalidInput: When options of both are given.
    """
    from phalanx.distribute.programs.chains.job import CHAIN_METHODS

    for_loops = [*sharing.changed, *motion.changed]
    if sharing.method is not None and sharing.method not in CHAIN_METHODS:
        for_loops.append("method")
    wanted = sharing.method in CHAIN_METHODS or mechanism is None or not mechanism.loops
    given, kind, other = (
        (for_loops, "chains", "machines with loops")
        if wanted
        else (chained.changed, "machines with loops", "chains")
    )
    if given:
        raise InvalidInput(
            f"--{given[0].replace('_', '-')} is for {other}; '{model}' is to be run as "
            f"{kind} are. Leave it out."
        )
    return wanted


def _job(model: str, mechanism: Mechanism, sharing: Sharing, motion: Motion, kept: Kept) -> Job:
    """The options as a job.

    Raises:
        InvalidInput: When they are no numbers, or do not go together.
    """
    from phalanx.cli.states import numbers
    from phalanx.distribute import Job

    ways = one_each("way", motion.way, len(mechanism.actuated_joints))
    stiffness, damping = numbers("gains", motion.gains, 2)
    if not 0 < kept.timeout < inf:
        raise InvalidInput(f"timeout={kept.timeout:g}; expected a time above zero [s].")
    if not 0 <= motion.decay < inf:
        raise InvalidInput(f"--decay {motion.decay:g}; expected a rate of zero or more [1/s].")
    return Job(
        model_reference(model),
        sharing.chosen_method,
        sharing.chosen_mode,
        motion.duration,
        motion.step,
        None if ways is None else tuple(float(x) for x in ways),
        stiffness=motion.stiffness,
        decay=motion.decay,
        gains=(float(stiffness), float(damping)),
        record=None if kept.record is None else str(kept.record),
        timeout=kept.timeout,
        task=sharing.task,
        displacement=sharing.displacement,
        points=sharing.points,
    )


def _check_size(mechanism: Mechanism, motion: Motion) -> None:
    """Refuse a run whose torques would not fit into memory.

    Raises:
        InvalidInput: When they would not, or steps do not fill the duration.
    """
    from phalanx.base.memory import check_memory
    from phalanx.simulation.run.steps import whole_steps

    steps = whole_steps(motion.duration, motion.step)
    check_memory(
        "the torques of this run",
        2.0 * steps * 8 * (2 * mechanism.nq + 4 * mechanism.nv),
        "Shorten --duration, or lengthen --step.",
    )
