"""``phalanx array``: dynamics on an array of vector operators (Lathrop, 1983)."""

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


DRAWN = 8  # samples
GIVEN = "given"


@dataclass(frozen=True)
class ArrayOptions:
    """Form, operators and times of the array."""

    kind: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.array:FORMS"),
        typer.Option(
            help="Joint after joint, or segments of the chain combined in pairs (prefix tree)."
        ),
    ] = "linear"
    systolic: Annotated[
        bool,
        typer.Option(
            "--systolic/--single",
            help="An operator for every step, so that samples are pipelined; or one node (one tier "
            "of nodes) for all steps.",
        ),
    ] = True
    shared: Annotated[
        bool,
        typer.Option("--shared", help="With --single: use the same operators outward and inward."),
    ] = False
    network: Annotated[
        str,
        OneOf("phalanx.hardware.arrays.networks:NETWORKS"),
        typer.Option(help="Logarithmic: prefix network that combines segments."),
    ] = "sklansky"
    grounded: Annotated[
        bool,
        typer.Option("--grounded", help="Logarithmic: begin at joint 1 instead of the base."),
    ] = False
    unified: Annotated[
        bool,
        typer.Option(
            "--unified", help="Logarithmic: use the same nodes for leaves and combinations."
        ),
    ] = False
    lean: Annotated[
        bool,
        typer.Option(
            "--lean", help="Logarithmic: combine forces with fewer operators than published."
        ),
    ] = False
    padded: Annotated[
        bool,
        typer.Option(
            "--padded", help="Start steps at fixed offsets instead of when their inputs arrive."
        ),
    ] = False
    multiply: Annotated[float, typer.Option(min=0.0, help="Time of a multiplication [Flops].")] = (
        1.0
    )
    add: Annotated[float, typer.Option(min=0.0, help="Time of an addition [Flops].")] = 1.0
    multiply_interval: Annotated[
        float | None,
        typer.Option(
            help="Pipelined multipliers: time from one multiplication to the next [Flops], at most "
            "--multiply. A result still takes --multiply, but more of them are on their way.",
            show_default=False,
        ),
    ] = None
    add_interval: Annotated[
        float | None,
        typer.Option(
            help="Pipelined adders: time from one addition to the next [Flops], at most --add.",
            show_default=False,
        ),
    ] = None
    interval: Annotated[
        float | None,
        typer.Option(
            help="Initiation interval: time from one sample to the next [Flops]. Default: the time "
            "of a step (4); with --single, of a sample; the shortest if operators are pipelined.",
            show_default=False,
        ),
    ] = None

    sine: Annotated[
        str,
        OneOf("phalanx.multiprocessor.tasks.vector_operators.sine:Sine", beside=(GIVEN,)),
        typer.Option(
            help="Sines and cosines of joint angles: given as inputs, or computed by operators."
        ),
    ] = GIVEN

    quantity: Annotated[
        str,
        OneOf("phalanx.multiprocessor.tasks.vector_operators.quantities:NAMES"),
        typer.Option(help="Quantity to compute; all but inverse-dynamics joint after joint."),
    ] = "inverse-dynamics"
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Frame or body of forward-kinematics and jacobian.",
            show_default=False,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> OperatorArray:
        """Return the array for a mechanism, checked.

        Raises:
            InvalidInput: When the initiation interval is too short.
        """
        from phalanx.hardware import operator_array
        from phalanx.hardware.arrays.array import LINEAR
        from phalanx.hardware.arrays.networks import NETWORKS
        from phalanx.multiprocessor import Sine

        array = operator_array(
            mechanism,
            None if self.kind == LINEAR else NETWORKS[self.network],
            systolic=self.systolic,
            grounded=self.grounded,
            unified=self.unified,
            lean=self.lean,
            multiply=self.multiply,
            add=self.add,
            multiply_interval=self.multiply_interval,
            add_interval=self.add_interval,
            interval=self.interval,
            padded=self.padded,
            shared=self.shared,
            sine=None if self.sine == GIVEN else Sine(self.sine),
            quantity=self.quantity.replace("-", "_"),
            frame=self.frame,
        )
        array.check()
        return array


@dataclass(frozen=True)
class SampleOptions:
    """Samples that pass through the array."""

    samples: Annotated[
        int, typer.Option(min=1, max=100_000, help="Number of random states to evaluate.")
    ] = 20
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0
    rate: Annotated[
        float, typer.Option(help="Control rate [Hz], for the allowed time of an operation.")
    ] = 60.0


def array(
    model: Model,
    *,
    design: ArrayOptions,
    sampling: SampleOptions,
    lock: Lock = None,
    page: Annotated[
        Path | None,
        Writes((".html",), picture=True),
        typer.Option(
            help="Draw the space-time diagram of the first 8 samples: .html (interactive), .svg, "
            ".png or .pdf.",
            show_default=False,
        ),
    ] = None,
    loading: Loading,
    json: Json = False,
) -> None:
    """Simulate inverse dynamics, or another quantity, on an array of vector operators.

    Each operator computes whole vector operations: sums (VA), products with a scalar (SV), cross
    and dot products (VC, VD), products of matrices with vectors (MV) and matrices (MM). Random
    states pass through the array as a pipeline, and their torques are compared with those of the
    serial recursion. The unit of time is the **Flop**, the time of an addition.

    The model is any tree of joints. Operators for sines (--sine) are of kind SP or SC.

    **processors** counts the vector processors (VAMPs) of Lathrop (1983); a product of two matrices
    takes three. **published** is his count for a chain with as many joints.

    Operators take one operand at a time: the next enters when the result is there. With
    --multiply-interval and --add-interval they are pipelined. The latency stays, and samples enter
    as often as the busiest operator has operations.

    Examples:
        phalanx array puma560
        phalanx array puma560 --kind logarithmic --page array.html
        phalanx array robot:ur5_robot --kind logarithmic --single
        phalanx array puma560 --multiply 5 --add 7 --multiply-interval 1
        phalanx array chain:33 --kind logarithmic --network kogge-stone --samples 100

        # a tree; the sines computed too
        phalanx array robot:panda
        phalanx array puma560 --sine cordic

        # forward dynamics by articulated bodies; RC is a reciprocal
        phalanx array puma560 --quantity forward-dynamics
        phalanx array robot:panda --quantity jacobian --frame panda_hand

        # with the fingers fixed
        phalanx array robot:panda --lock panda_finger_joint1,panda_finger_joint2
    """
    from phalanx.hardware.arrays.trial import ArrayTrial

    mechanism, samples = locked(loading.find(model), lock), sampling.samples
    shown = min(samples, DRAWN)
    with console.err().status("Building the array …") as status:
        made = design.of(mechanism)
        status.update(f"{samples} samples on {made.plan.computer.processors:,} operators …")
        trial = ArrayTrial.of(made, mechanism, samples, sampling.rate, sampling.seed, design.frame)
        if page is not None:
            status.update(f"Drawing {page.name} …")
            made.space_time(page, shown, [numbers[:shown] for numbers in trial.inputs])
    console.print_facts(trial.facts(), json)
    if page is not None:
        time = f"{made.time(shown):g} Flops"
        console.print_written(f"Diagram of {shown} of {samples:,} samples, in {time},", page)
