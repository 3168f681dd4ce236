"""``phalanx operations``: operation counts of all methods for a machine."""

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
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Also count each step of the Newton-Euler algorithms, for a general joint and for "
            "this machine, and of the mass matrix by orthogonal complement.",
        ),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also trace the closed form of Lagrange's equations for machines with many joints "
            "(takes minutes).",
        ),
    ] = False,
    json: Json = False,
    loading: Loading,
) -> None:
    """Compare the operation counts of all methods for a machine.

    Operations are counted for one evaluation, after constants and common subexpressions are
    removed. "ratio" is relative to the best method of the same quantity. Sine and cosine of one
    angle are one operation, counted under "other". "published" is the count in the literature for a
    general arm with as many joints.

    Examples:
        phalanx operations puma560
        phalanx operations stanford --steps
        phalanx operations robot:panda --json
    """
    from phalanx.studies.operation_counts import OperationCounts

    mechanism = loading.find(model)
    known = methods(with_loops=bool(mechanism.loops))
    with console.err().status("Tracing the methods …"):
        found = OperationCounts.of(mechanism, known, everything=everything, steps=steps)
    console.print_facts(found.facts(), json)
