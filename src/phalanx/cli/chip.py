"""``phalanx chip``: does an emulated chip compute the right torque?"""

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

MOST_SETS = 1000


@dataclass(frozen=True)
class ChipOptions:
    """How the chips are put together."""

    kind: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.array:FORMS"),
        typer.Option(help="Joint after joint, or segments of the chain combined in pairs."),
    ] = "linear"
    network: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.networks:NETWORKS"),
        typer.Option(help="Which segments are combined when; for the logarithmic kind."),
    ] = "sklansky"
    period: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            help="Cycles from one set to the next. With 1 each operation has a chip; with more, "
            "chips are shared; 0 is one set at a time, with the fewest chips.",
        ),
    ] = 1
    bus: Annotated[
        bool,
        typer.Option(
            "--bus", help="Results travel on a mostly-local bus, instead of wires of their own."
        ),
    ] = False
    faults: Annotated[
        int,
        typer.Option(min=0, max=64, help="Chips that break, each in a chain with a spare."),
    ] = 0

    def array(self, mechanism: Mechanism) -> ChipArray:
        """The chips, programmed for a machine.

        Raises:
            InvalidModel: The machine is no chain.
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
    """How chips keep numbers."""

    number_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="double, single, fixed:24 (bits in all, the point where the largest value "
            "allows), or fixed:32.16 (bits in all, bits after the point).",
        ),
    ] = "double"
    formats: Annotated[
        bool, typer.Option("--formats", help="Compare formats, from fixed:16 to double.")
    ] = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that are wanted, the one that was asked for first."""
        from phalanx.hardware.chip.precision import FORMATS

        others = FORMATS if self.formats else ()
        return (self.number_format, *(name for name in others if name != self.number_format))


@dataclass(frozen=True)
class ChipMotionOptions:
    """What the arm does."""

    sets: Annotated[int, typer.Option(min=1, max=MOST_SETS, help="Motions, drawn at random.")] = 3
    seed: Annotated[int, typer.Option(min=0, help="Seed of motions and faults.")] = 0

    def draw(self, mechanism: Mechanism) -> tuple[Array, Array, Array]:
        """Positions within limits; velocities and accelerations normal with width 1."""
        import numpy as np

        rng = np.random.default_rng(self.seed)
        q = mechanism.random_positions(self.sets, rng)
        shape = (self.sets, mechanism.nv)
        return q, rng.standard_normal(shape), rng.standard_normal(shape)


def chip(
    model: Model,
    *,
    built: ChipOptions,
    words: FormatOptions,
    motions: ChipMotionOptions,
    lock: Lock = None,
    json: Json = False,
    loading: Loading,
) -> None:
    """Run inverse dynamics on emulated chips: does the torque come out right?

    A chip adds and multiplies vectors. Each operation of the inverse dynamics gets one, chips are
    wired to a board, and a host writes their programs over the data wires. Then motions go through,
    one close behind the other, and torques are compared with those that Phalanx computes in double.

    With --faults, chips check their neighbours in turn. Some break; those who find out take their
    place. A fault costs wrong torques until it is found.

    phalanx chip puma560

    phalanx chip puma560 --kind logarithmic --formats

    phalanx chip robot:ur5_robot --format fixed:24 --faults 2 --sets 3 --seed 1

    phalanx chip robot:panda --lock panda_finger_joint1,panda_finger_joint2

    phalanx chip puma560 --period 0

    phalanx chip stanford --bus --json
    """
    from phalanx.hardware.chip.trial import ChipTrial

    mechanism = locked(loading.find(model), lock)
    with console.err().status("Wiring chips …") as status:
        trial = ChipTrial.of(
            built.array(mechanism),
            motions.draw(mechanism),
            words.names,
            {"kind": built.kind, "sets": motions.sets, "seed": motions.seed},
            lambda what: status.update(f"{what} …"),
        )
    console.say(trial.facts(), json)
