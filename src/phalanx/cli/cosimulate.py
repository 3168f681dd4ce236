"""``phalanx cosimulate``: co-simulation of a machine on several processes."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.controls import one_each
from phalanx.cli.cosimulate_chain import (
    USUAL_METHOD,
    SegmentOptions,
    chain_job,
    segments,
    specification,
)
from phalanx.cli.extras import need
from phalanx.cli.metavariables import LIST
from phalanx.cli.models import find_model, model_reference, model_words
from phalanx.cli.options import Json
from phalanx.cli.outputs import Overwrite, Writes, check_output

if TYPE_CHECKING:
    from phalanx.distribute import PlatformJob, RecordedResult
    from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class SharingOptions:
    """What is computed, and how processes share it."""

    task: Annotated[
        str,
        OneOf("phalanx.distribute:MotionTask"),
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
        usual = SharingOptions()
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
class RankOptions:
    """Where the processes are."""

    ranks: Annotated[
        int,
        typer.Option(min=0, help="Number of MPI ranks to start; 0 runs all parts in this process."),
    ] = 0
    in_process: Annotated[bool, typer.Option("--in-process", help="Same as --ranks 0.")] = False


@dataclass(frozen=True)
class MotorOptions:
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
        usual = MotorOptions()
        names = [name for name in vars(self) if name not in ("duration", "step")]
        return [name for name in names if getattr(self, name) != getattr(usual, name)]


@dataclass(frozen=True)
class CosimulationOutput:
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
    sharing: SharingOptions,
    where: RankOptions,
    motion: MotorOptions,
    output: CosimulationOutput,
    chain: SegmentOptions,
    json: Json = False,
) -> None:
    """Simulate the parts of a machine in separate processes; print messages and time.

    A machine with loops is cut where its loops close: each branch from the base (a leg, the
    platform) is a process. Its motors follow a motion by inverse dynamics and feedback. The run is
    repeated on one processor to compare results and time.

    A chain, or any machine without loops, is cut into segments of bodies that hang together, each
    with as much work as the others if possible. It falls from a bent posture, under --torques and
    --wrench if given. The processes compute the joint forces by iteration, with messages to
    neighbours and sums over all processes.

    Examples:
        phalanx cosimulate planar_3rrr
        phalanx cosimulate planar_3rrr --method penalty --ranks 4 --record run.mcap
        phalanx cosimulate planar_3rrr --method recursive --ranks 4 --duration 0.5
        phalanx cosimulate planar_3rrr --method projection --mode frozen --step 5e-4
        phalanx cosimulate planar_3rrr --task inverse --ranks 4 --json
        phalanx cosimulate planar_3rrr --mode blocks --method recursive --ranks 4

        # a chain of 200 bodies on four processes; a robot arm
        phalanx cosimulate chain --bodies 200 --ranks 4 --duration 0.5
        phalanx cosimulate robot:ur5_robot --duration 0.1
        phalanx cosimulate torso --wrench head=0,0,-20,0,0,0

        # started by MPI
        mpiexec -n 4 phalanx cosimulate planar_3rrr
    """
    started = where.ranks > 0 and not where.in_process
    need("--ranks", "mpi", wanted=started)
    from phalanx.distribute import (
        ChainJob,
        ChainResult,
        PlatformJob,
        PlatformResult,
        Ranks,
        inside_mpi,
        launch,
        run,
    )
    from phalanx.distribute.facts import chain_facts, platform_facts

    if output.record is not None and not inside_mpi():
        check_output(output.record, [".mcap"], force=output.force)
    model = specification(model, chain)
    mechanism = find_model(model)
    is_chain = _is_chain(model, mechanism, sharing, motion, chain)
    as_rank = Ranks(output.timeout) if inside_mpi() and not where.ranks else None
    # ranks that are started read the machine for themselves
    held = model_reference(model) if started else mechanism
    processes = where.ranks if started else None
    job: ChainJob | PlatformJob
    method = sharing.method or USUAL_METHOD
    if is_chain:
        times = motion.duration, motion.step
        job = chain_job(held, mechanism, method, chain, *times, output.record)
        ranks = processes or (as_rank.size if as_rank is not None else 0)
        processes = segments(chain, mechanism, ranks, where.ranks)
    else:
        job = _platform_job(held, mechanism, sharing, motion, output)
        _check_size(mechanism, motion)
    job.on(processes)
    if output.record is not None and as_rank is not None and as_rank.rank == 0:
        check_output(output.record, [".mcap"], force=output.force)
    result: RecordedResult | None
    if started:
        result = launch(job, processes, timeout=output.timeout)
    else:
        result = run(job, processes, ranks=as_rank)
    on_ranks = started or as_rank is not None
    if isinstance(job, ChainJob) and isinstance(result, ChainResult):
        console.print_facts(chain_facts(job, method, result, on_ranks=on_ranks), json)
    elif isinstance(job, PlatformJob) and isinstance(result, PlatformResult):
        console.print_facts(platform_facts(job, result, on_ranks=on_ranks), json)
    if result is not None and output.record is not None:
        console.print_written("Recording", output.record)


def _is_chain(
    model: str,
    mechanism: Mechanism,
    sharing: SharingOptions,
    motion: MotorOptions,
    chain: SegmentOptions,
) -> bool:
    """Return whether a machine is run as segments of bodies, not as branches between loops.

    Without loops it has no such branches, and is always divided into segments.

    Raises:
        InvalidInput: When options of both are given.
    """
    from phalanx.distribute.methods import ITERATIONS

    for_loops = [*sharing.changed, *motion.changed]
    if sharing.method is not None and sharing.method not in ITERATIONS:
        for_loops.append("method")
    is_chain = sharing.method in ITERATIONS or not mechanism.loops
    given, kind, other = (
        (for_loops, "chains", "machines with loops")
        if is_chain
        else (chain.changed, "machines with loops", "chains")
    )
    if given:
        raise InvalidInput(
            f"--{given[0].replace('_', '-')} is for {other}; '{model}' is to be run as "
            f"{kind} are. Leave it out."
        )
    return is_chain


def _platform_job(
    model: Mechanism | str,
    mechanism: Mechanism,
    sharing: SharingOptions,
    motion: MotorOptions,
    output: CosimulationOutput,
) -> PlatformJob:
    """Return the options as a job.

    Raises:
        InvalidInput: When they are no numbers, or do not go together.
    """
    from phalanx.cli.states import numbers
    from phalanx.distribute import (
        Feedback,
        LoopMethod,
        MotorMotion,
        Penalty,
        PlatformJob,
        Projection,
        Recursive,
    )

    ways = one_each("way", motion.way, len(mechanism.actuated_joints))
    stiffness, damping = numbers("gains", motion.gains, 2)
    if not 0 < output.timeout < inf:
        raise InvalidInput(f"timeout={output.timeout:g}; expected a time above zero [s].")
    if not 0 <= motion.decay < inf:
        raise InvalidInput(f"--decay {motion.decay:g}; expected a rate of zero or more [1/s].")
    methods: dict[str, LoopMethod] = {
        Penalty.name: Penalty(motion.stiffness),
        Projection.name: Projection(motion.decay),
        Recursive.name: Recursive(sharing.displacement),
    }
    way = None if ways is None else MotorMotion(tuple(float(x) for x in ways), motion.duration)
    return PlatformJob(
        model,
        methods[sharing.chosen_method],
        sharing.chosen_mode,
        motion.duration,
        motion.step,
        way,
        Feedback(float(stiffness), float(damping)),
        sharing.task,
        sharing.points,
        output.record,
    )


def _check_size(mechanism: Mechanism, motion: MotorOptions) -> None:
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
