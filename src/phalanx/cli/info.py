"""``phalanx info``: bodies, joints and operation counts of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phalanx.base.facts import Facts
from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes


def info(
    model: Model,
    *,
    picture: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Also draw the machine: .png, .svg or .pdf.", show_default=False),
    ] = None,
    json: Json = False,
    loading: Loading,
) -> None:
    """Print the bodies, joints, limits and operation counts of a model.

    For a machine with loops it also prints which loop equations are independent and how far frames
    were moved to close the loops. There, a quantity named tree-… belongs to the spanning tree, with
    all loops cut open; a quantity named reduced-… belongs to the free joints, with loops closed.

    Examples:
        phalanx info puma560
        phalanx info robot:panda --picture panda.png
        phalanx info arm.urdf --floating-base --json
    """
    from phalanx.dynamics import Dynamics
    from phalanx.dynamics.facts import dynamics_facts
    from phalanx.equations.loops.assembly.facts import loop_facts
    from phalanx.mechanism.facts import mechanism_facts
    from phalanx.mechanism.inertia import singular

    mechanism = loading.find(model)
    dynamics = Dynamics(mechanism)
    facts = mechanism_facts(mechanism)
    with console.err().status("Tracing the equations …"):
        if mechanism.loops:
            facts += Facts([""]) + loop_facts(mechanism)
        facts += dynamics_facts(dynamics)
    if mechanism.unsupported:
        facts += Facts(["", "not supported:", *(f"  {x}" for x in mechanism.unsupported)])
    if dynamics.singular_joints:
        console.print_warning(
            f"the mass matrix is {singular(dynamics.singular_joints)}; it has kinematics and "
            "inverse dynamics, and cannot be simulated."
        )
    console.print_facts(facts, json)
    if picture is not None:
        from phalanx.view.plots.draw import draw, save

        save(draw(mechanism), picture)
        console.print_written("Picture", picture)
