"""``phalanx info``: what a model is and what its equations cost."""

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
    loading: Loading,
    picture: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Also draw the machine into a .png, .svg or .pdf.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Show a model: its tree, masses, joints with limits, and the arithmetic of its equations.

    Of loops it says which equations count, and by how much frames were moved to close them. Of a
    machine with loops, quantities whose names begin with tree- are those of its spanning tree, as
    if the loops were cut open; reduced- ones are what its free joints feel with closed loops.

    phalanx info puma560

    phalanx info arm.urdf --floating-base --json

    phalanx info robot:panda --picture panda.png
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
        facts += Facts(["", "not honoured:", *(f"  {x}" for x in mechanism.unsupported)])
    if dynamics.singular_joints:
        console.say_warning(
            f"the mass matrix is {singular(dynamics.singular_joints)}; it has kinematics and "
            "inverse dynamics, and cannot be simulated."
        )
    console.say(facts, json)
    if picture is not None:
        from phalanx.view.plots.draw import draw, save

        save(draw(mechanism), picture)
        console.err().print(f"Drawn in {picture}.")
