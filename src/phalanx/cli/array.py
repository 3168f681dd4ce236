"""``phalanx array``: how fast could hardware be?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.models import Loading, Lock, Model, locked
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from phalanx.hardware import OperatorArray
    from phalanx.mechanism import Mechanism


DRAWN = 8  # sets


@dataclass(frozen=True)
class ArrayOptions:
    """What the array is like."""

    kind: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.array:FORMS"),
        typer.Option(help="Joint after joint, or segments of the chain combined in pairs."),
    ] = "linear"
    systolic: Annotated[
        bool,
        typer.Option(
            "--systolic/--single",
            help="Operators for every step, so that sets follow each other; or one node (one tier "
            "of nodes) for all steps.",
        ),
    ] = True
    shared: Annotated[
        bool,
        typer.Option("--shared", help="The same operators outward and inward; with --single."),
    ] = False
    network: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.networks:NETWORKS"),
        typer.Option(help="Which segments are combined when; for the logarithmic kind."),
    ] = "sklansky"
    grounded: Annotated[
        bool,
        typer.Option("--grounded", help="Begin at joint 1, not at the base (logarithmic kind)."),
    ] = False
    unified: Annotated[
        bool,
        typer.Option(
            "--unified", help="Make leaves as combinations are made, of equal nodes (logarithmic)."
        ),
    ] = False
    lean: Annotated[
        bool,
        typer.Option(
            "--lean", help="Combine loads by fewer operators than published (logarithmic)."
        ),
    ] = False
    padded: Annotated[
        bool,
        typer.Option(
            "--padded", help="Fixed offsets at every step; else start when data are there."
        ),
    ] = False
    multiply: Annotated[float, typer.Option(min=0.0, help="Time of a multiplication [Flops].")] = (
        1.0
    )
    add: Annotated[float, typer.Option(min=0.0, help="Time of an addition [Flops].")] = 1.0
    interval: Annotated[
        float | None,
        typer.Option(
            help="From a set to the next [Flops]; the time of a step (4), or that of a whole set "
            "with --single.",
            show_default=False,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> OperatorArray:
        """The array for a mechanism, checked.

        Raises:
            InvalidInput: When it cannot take sets as often as it is to.
        """
        from phalanx.hardware import operator_array
        from phalanx.hardware.arrays.array import LINEAR
        from phalanx.hardware.arrays.networks import NETWORKS

        array = operator_array(
            mechanism,
            None if self.kind == LINEAR else NETWORKS[self.network],
            systolic=self.systolic,
            grounded=self.grounded,
            unified=self.unified,
            lean=self.lean,
            multiply=self.multiply,
            add=self.add,
            interval=self.interval,
            padded=self.padded,
            shared=self.shared,
        )
        array.check()
        return array


@dataclass(frozen=True)
class SampleOptions:
    """What passes through it."""

    sets: Annotated[
        int, typer.Option(min=1, max=100_000, help="How many sets pass, with values.")
    ] = 20
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0
    rate: Annotated[float, typer.Option(help="Torques are needed so often [Hz].")] = 60.0


def array(
    model: Model,
    *,
    built: ArrayOptions,
    passing: SampleOptions,
    lock: Lock = None,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw the array at work on the first 8 sets: .html to step through, .svg, .png, "
            ".pdf.",
            show_default=False,
        ),
    ] = None,
    loading: Loading,
    json: Json = False,
) -> None:
    """Inverse dynamics of a chain on an array of vector operators: how fast could hardware be?

    Each operator does whole vector operations: sums (VA), products with a number (SV), cross and
    dot products (VC, VD), products of matrices with vectors (MV) and matrices (MM). Random states
    pass through the array and its buffers one after the other, and their torques are compared with
    those of the serial recursion. Times are in **Flops**, the time of an addition.

    **processors** are the vector processors (VAMPs) of Lathrop (1983), of which a product of two
    matrices takes three; **published** is what he counts for a chain of as many joints.

    phalanx array puma560

    phalanx array puma560 --kind logarithmic --page array.html

    phalanx array robot:ur5_robot --kind logarithmic --single

    phalanx array robot:panda --lock panda_finger_joint1,panda_finger_joint2

    phalanx array chain:33 --kind logarithmic --network kogge-stone --sets 100

    phalanx array stanford --interval 3 --multiply 2 --json
    """
    from phalanx.hardware.arrays.trial import ArrayTrial

    mechanism, sets = locked(loading.find(model), lock), passing.sets
    shown = min(sets, DRAWN)
    with console.err().status("The array …") as status:
        made = built.of(mechanism)
        status.update(f"{sets} sets on {made.plan.computer.processors:,} operators …")
        trial = ArrayTrial.of(made, mechanism, sets, passing.rate, passing.seed)
        if page is not None:
            status.update(f"Drawing {page.name} …")
            made.space_time(page, shown, [numbers[:shown] for numbers in trial.inputs])
    console.say(trial.facts(), json)
    if page is not None:
        what = f": {shown} of {sets:,} sets, in {made.time(shown):g} Flops" if shown < sets else ""
        console.err().print(f"Written: {page}{what}", soft_wrap=True, markup=False)
