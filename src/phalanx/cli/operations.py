"""``phalanx operations``: what each method costs a machine, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.methods import methods
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json


def operations(
    model: Model,
    *,
    loading: Loading,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Also count step by step: the Newton-Euler algorithms for a joint about which "
            "nothing is known, what is left of them for this machine, and the mass matrix of such "
            "a chain by orthogonal complement.",
        ),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also trace the closed form of Lagrange's equations for a machine of many joints "
            "(minutes).",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compare the arithmetic of all methods for a machine.

    Operations of one evaluation after everything that is 0, 1 or common is gone, and how many times
    those of the best method of the same quantity they are. A sine and cosine of one angle are one
    operation, under "other". "Published" is what the literature counts for an arm of as many joints
    that has no right angles.

    phalanx operations puma560

    phalanx operations stanford --steps

    phalanx operations robot:panda --json
    """
    from phalanx.studies.operation_counts import OperationCounts

    mechanism = loading.find(model)
    known = methods(with_loops=bool(mechanism.loops))
    with console.err().status("Tracing the methods …"):
        found = OperationCounts.of(mechanism, known, everything=everything, steps=steps)
    console.say(found.facts(), json)
