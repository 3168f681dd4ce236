"""``phalanx chip``: inverse dynamics on emulated chips: number formats and faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.models import Loading, Lock, Model, locked
from phalanx.cli.options import Json

if TYPE_CHECKING:
    from phalanx.cli.states import Array
    from phalanx.hardware.chip import ChipArray
    from phalanx.mechanism import Mechanism

MOST_SAMPLES = 1000


@dataclass(frozen=True)
class ChipOptions:
    """Form, period, bus and faults of the chips."""

    kind: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.array:FORMS"),
        typer.Option(
            help="Joint after joint, or segments of the chain combined in pairs (prefix tree)."
        ),
    ] = "linear"
    network: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.networks:NETWORKS"),
        typer.Option(help="Logarithmic: prefix network that combines segments."),
    ] = "sklansky"
    period: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            help="Initiation interval in cycles. 1: a chip for each operation. More: operations "
            "share chips. 0: one sample at a time, with the fewest chips.",
        ),
    ] = 1
    bus: Annotated[
        bool,
        typer.Option(
            "--bus", help="Connect chips by a mostly-local bus instead of point-to-point wires."
        ),
    ] = False
    faults: Annotated[
        int,
        typer.Option(
            min=0, max=64, help="Number of chips that fail, each in a group with a spare."
        ),
    ] = 0

    def array(self, mechanism: Mechanism) -> ChipArray:
        """Return the chips, programmed for a machine.

        Raises:
            InvalidModel: A loop or joint stands in the way.
        """
        from phalanx.hardware.arrays.array import LINEAR
        from phalanx.hardware.arrays.networks import NETWORKS
        from phalanx.hardware.chip import chip_array

        return chip_array(
            mechanism,
            None if self.kind == LINEAR else NETWORKS[self.network],
            period=self.period or None,
            spares=self.faults,
            bus=self.bus,
        )


@dataclass(frozen=True)
class FormatOptions:
    """Number format of the chips."""

    number_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Number format: double, single, fixed:24 (total bits, binary point by the largest "
            "value) or fixed:32.16 (total bits, fractional bits).",
        ),
    ] = "double"
    formats: Annotated[
        bool, typer.Option("--formats", help="Compare formats, from fixed:16 to double.")
    ] = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return all selected formats, that of --format first."""
        from phalanx.hardware.chip.precision import FORMATS

        others = FORMATS if self.formats else ()
        return (self.number_format, *(name for name in others if name != self.number_format))


@dataclass(frozen=True)
class ChipMotionOptions:
    """Random states of the arm."""

    samples: Annotated[
        int, typer.Option(min=1, max=MOST_SAMPLES, help="Number of random states.")
    ] = 3
    seed: Annotated[int, typer.Option(min=0, help="Seed of random states and faults.")] = 0

    def draw(self, mechanism: Mechanism) -> tuple[Array, Array, Array]:
        """Draw positions within limits; velocities and accelerations standard normal."""
        import numpy as np

        rng = np.random.default_rng(self.seed)
        q = mechanism.random_positions(self.samples, rng)
        shape = (self.samples, mechanism.nv)
        return q, rng.standard_normal(shape), rng.standard_normal(shape)


def chip(
    model: Model,
    *,
    design: ChipOptions,
    numbers: FormatOptions,
    sampling: ChipMotionOptions,
    lock: Lock = None,
    json: Json = False,
    loading: Loading,
) -> None:
    """Emulate inverse dynamics on vector chips; print the error of the torques.

    A chip adds and multiplies vectors. The chips of all operations are wired on a board, and a host
    programs them over the data wires. Random states pass through as a pipeline, and their torques
    are compared with those computed in double precision.

    With --faults, chips test their neighbours in turn and spare chips replace those that fail.
    Torques are wrong until the fault is found.

    Examples:
        phalanx chip puma560
        phalanx chip puma560 --kind logarithmic --formats
        phalanx chip robot:ur5_robot --format fixed:24 --faults 2 --samples 3 --seed 1

        # a tree; joints of several freedoms
        phalanx chip torso
        phalanx chip chain:3,joint=spherical

        # the fewest chips; chips on a bus
        phalanx chip puma560 --period 0
        phalanx chip stanford --bus --json
    """
    from phalanx.hardware.chip.trial import ChipTrial

    mechanism = locked(loading.find(model), lock)
    with console.err().status("Wiring chips …") as status:
        trial = ChipTrial.of(
            design.array(mechanism),
            sampling.draw(mechanism),
            numbers.names,
            {"kind": design.kind, "sets": sampling.samples, "seed": sampling.seed},
            lambda what: status.update(f"{what} …"),
        )
    console.print_facts(trial.facts(), json)
