"""Options of ``phalanx cosimulate`` for chains, and the job that they make."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput, shown
from phalanx.cli.choices import OneOf

if TYPE_CHECKING:
    from phalanx.distribute import ChainJob
    from phalanx.mechanism import Mechanism
    from phalanx.mechanism.pose import Array
    from phalanx.simulation.setup.profile import Profile

TABLES = (".csv", ".txt")  # files of loads over time
USUAL_METHOD = "conjugate-gradient"
USUAL_SEGMENTS = 4


@dataclass(frozen=True)
class SegmentOptions:
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
        OneOf("phalanx.distribute:Stepping"),
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
    torques: Annotated[
        Path | None,
        typer.Option(
            help="Chain: joint forces over time [N·m or N], a text table: time in the first "
            "column, then one for each freedom; lines in between.",
            show_default=False,
        ),
    ] = None
    wrench: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FRAME=…",
            help="Chain: external wrench on a frame or body, in its axes: force and moment, six "
            "numbers [N, N·m] or a file .csv or .txt with the time in its first column. May be "
            "repeated.",
            show_default=False,
        ),
    ] = None

    @property
    def changed(self) -> list[str]:
        """Options that are not as they are usually."""
        usual = SegmentOptions()
        return [name for name in vars(self) if getattr(self, name) != getattr(usual, name)]


def specification(model: str, chain: SegmentOptions) -> str:
    """Return a model with its ``--bodies`` and ``--joint``: ``chain:200,joint=revolute``.

    Raises:
        InvalidInput: The options are for another model than the library's chain.
    """
    if chain.bodies is None:
        if chain.joint != SegmentOptions().joint:
            raise InvalidInput(
                "--joint is for --bodies: it says how the rods of 'chain' are joined."
            )
        return model
    if model != "chain":
        raise InvalidInput(f"--bodies {chain.bodies} is for the model 'chain', not for '{model}'.")
    return f"{model}:{chain.bodies},joint={chain.joint}"


def segments(chain: SegmentOptions, mechanism: Mechanism, ranks: int, in_process: int) -> int:
    """Return how many segments a chain is divided into.

    Args:
        chain: Options of chains.
        mechanism: The chain.
        ranks: How many MPI ranks there are, or 0.
        in_process: How many processes are simulated in this one, if that is said.

    Raises:
        InvalidInput: There are not as many ranks as segments.
    """
    if ranks and (chain.segments or ranks) != ranks:
        raise InvalidInput(f"--segments {chain.segments} need as many ranks; there are {ranks}.")
    from phalanx.distribute.programs.chains.chain import chain_of

    usual = min(USUAL_SEGMENTS, len(chain_of(mechanism)))
    return ranks or chain.segments or in_process or usual


def chain_job(
    model: Mechanism | str,
    mechanism: Mechanism,
    method: str,
    chain: SegmentOptions,
    duration: float,
    step: float,
    record: Path | None,
) -> ChainJob:
    """Return the options as a job.

    Args:
        model: What the job holds: the machine, or for ranks that are started its specification.
        mechanism: The machine.
        method: Of the iterations.
        chain: Options of chains.
        duration: [s].
        step: [s].
        record: An ``.mcap`` file, or none.

    Raises:
        InvalidInput: A number is wrong.
    """
    import numpy as np

    from phalanx.distribute import ChainJob, Solving
    from phalanx.distribute.methods import ITERATIONS
    from phalanx.dynamics.evaluators.bodies import bodies_of
    from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
    from phalanx.dynamics.evaluators.traversed.positions import Positions
    from phalanx.dynamics.evaluators.warm_starts import Polynomial
    from phalanx.simulation.setup.profile import Profile

    if not np.isfinite(chain.bend):
        raise InvalidInput(f"--bend {chain.bend}; expected an angle or a way.")
    neutral, bend = mechanism.neutral()[None], np.full((1, mechanism.nv), chain.bend)
    return ChainJob(
        model,
        Solving(ITERATIONS[method](), Stopping(chain.tolerance, chain.tolerance, chain.iterations)),
        duration,
        step,
        chain.stepping,
        None if chain.start < 0 else Polynomial(chain.start),
        chain.every,
        q=Positions(bodies_of(mechanism)).after(neutral, bend)[0],
        tau=None if chain.torques is None else Profile.from_csv(chain.torques, "linear"),
        record=record,
        wrenches=dict(_wrench(text) for text in chain.wrench or ()),
    )


def _wrench(text: str) -> tuple[str, Array | Profile]:
    """Return frame and wrench of an option, ``tool=0,0,-10,0,0,0`` or ``tool=push.csv``.

    Raises:
        InvalidInput: It is neither.
    """
    from phalanx.cli.states import numbers
    from phalanx.simulation.setup.profile import Profile

    frame, equals, wrench = text.rpartition("=")
    if not equals:
        raise InvalidInput(
            f"--wrench {shown(text)}: expected a frame and its wrench, such as "
            "tool=0,0,-10,0,0,0 or tool=push.csv."
        )
    if Path(wrench).suffix.lower() in TABLES:
        return frame, Profile.from_csv(wrench, "linear")
    return frame, numbers("wrench", wrench, 6)
