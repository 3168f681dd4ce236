"""``phalanx excavator``: an excavator to drive, in the browser."""

from __future__ import annotations

import threading
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.serving import Open, Port, serve
from phalanx.errors import InvalidInput


class Machine(StrEnum):
    """Which excavator."""

    CYLINDERS = "cylinders"
    ROTARY = "rotary"


WhichMachine = Annotated[
    Machine,
    typer.Option(
        help="cylinders: boom, stick and bucket cylinders on one pump. rotary: the actuators of "
        "Wong's thesis."
    ),
]


class Ground(StrEnum):
    """What it stands on."""

    NONE = "none"
    SAND = "sand"
    LOAM = "loam"
    CLAY = "clay"


class Mode(StrEnum):
    """What joysticks mean."""

    JOINT = "joint"
    RESOLVED = "resolved"


def excavator(
    machine: WhichMachine = Machine.CYLINDERS,
    ground: Annotated[
        Ground, typer.Option(help="Soil to dig in; none leaves the bucket in the air.")
    ] = Ground.LOAM,
    mode: Annotated[
        Mode, typer.Option(help="joint: sticks are joint rates. resolved: speeds of the bucket.")
    ] = Mode.JOINT,
    step: Annotated[float, typer.Option(help="Of the simulation [s].")] = 1e-3,
    folder: Annotated[
        Path, typer.Option(help="Where recordings are kept.", file_okay=False)
    ] = Path("out/excavator"),
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. On another than this computer's own, driving needs the "
            "token that is printed; watching does not."
        ),
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(help="The token to drive with; made up when not given.")
    ] = None,
    port: Port = 8080,
    opened: Open = True,
) -> None:
    """Drive an excavator in the browser: dig, swing, dump, record, replay.

    Two sticks on the page, or keys W A S D and the arrows, or a gamepad; others may watch.

    phalanx excavator

    phalanx excavator --mode resolved --ground sand

    phalanx excavator --machine rotary --ground none     # Wong's machine

    phalanx excavator --host 0.0.0.0                     # for others in the network
    """
    from phalanx import ground as soils
    from phalanx.excavator.cockpit import ExcavatorMachine
    from phalanx.excavator.excavator import cylinder_excavator, rotary_excavator
    from phalanx.excavator.live import LiveExcavator
    from phalanx.ground.terrain_view import TerrainView
    from phalanx.simulation.realtime.priority import raised_priority
    from phalanx.view.cockpit.cockpit import Cockpit

    if not 0 < step <= 0.01:
        raise InvalidInput(f"--step {step}; expected at most 0.01 s.")
    # sticks that are let go stop the source's machine too, which by itself would creep on
    make = (
        cylinder_excavator
        if machine is Machine.CYLINDERS
        else partial(rotary_excavator, settles=True)
    )
    with console.err().status("Compiling the machine …"):
        live = LiveExcavator(
            make(
                step=step,
                mode="JOINT" if mode is Mode.JOINT else "RESOLVED",
                ground=soils.Ground(soils.SOILS[ground]) if ground is not Ground.NONE else None,
            ),
            folder=folder,
        )
    with (
        raised_priority(first=False),
        Cockpit(ExcavatorMachine(live), host=host, port=port, token=token) as cockpit,
    ):
        if live.terrain is not None:
            TerrainView(cockpit.viewer, lambda: live.terrain)
        runner = threading.Thread(target=live.run, name="phalanx-excavator", daemon=True)
        runner.start()
        live.start()
        try:
            serve(cockpit, opened)
        finally:
            live.stop()
            runner.join()
    console.out().print(f"[bold]timing[/] {live.timing()}", soft_wrap=True)
