"""``phalanx excavator``: an excavator to drive, in the browser."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.extras import need
from phalanx.cli.outputs import check_name
from phalanx.cli.serving import Open, Port, serve

if TYPE_CHECKING:
    from phalanx.ground import Ground


WhichMachine = Annotated[
    str,
    OneOf("phalanx.machines.excavator.excavator:MACHINES"),
    typer.Option(
        help="cylinders: boom, stick and bucket cylinders on one pump. rotary: the actuators of "
        "Wong's thesis."
    ),
]
SOIL = OneOf("phalanx.ground:SOILS", beside=("none",))
Step = Annotated[float, typer.Option(help="Step of the simulation [s].")]


@dataclass(frozen=True)
class ExcavatorOptions:
    """The machine, where it stands and how it is driven."""

    machine: WhichMachine = "cylinders"
    ground: Annotated[
        str, SOIL, typer.Option(help="Soil to dig in; none leaves the bucket in the air.")
    ] = "loam"
    mode: Annotated[
        str,
        OneOf("phalanx.machines.excavator.scenario:MODES"),
        typer.Option(help="joint: sticks are joint rates. resolved: speeds of the bucket."),
    ] = "joint"
    step: Step = 1e-3


@dataclass(frozen=True)
class PageOptions:
    """Where the page is served, and who may drive."""

    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen. On another than this computer's own, driving needs the "
            "token that is printed; watching does not.",
        ),
    ] = "127.0.0.1"
    token: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The token to drive with; made up when not given."),
    ] = None
    port: Port = 8080
    opened: Open = True


def excavator(
    *,
    work: ExcavatorOptions,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where recordings are kept.", file_okay=False)
    ] = Path("out/excavator"),
    door: PageOptions,
) -> None:
    """Drive an excavator in the browser: dig, swing, dump, record, replay.

    Two sticks on the page, or keys W A S D and the arrows, or a gamepad; others may watch.

    phalanx excavator

    phalanx excavator --mode resolved --ground sand

    phalanx excavator --machine rotary --ground none     # Wong's machine

    phalanx excavator --host 0.0.0.0                     # for others in the network
    """
    need("phalanx excavator", "view")
    from phalanx.machines.excavator.cockpit import ExcavatorMachine
    from phalanx.machines.excavator.excavator import MACHINES
    from phalanx.machines.excavator.live import LiveExcavator
    from phalanx.machines.excavator.scenario import MODES
    from phalanx.simulation.realtime.priority import raised_priority
    from phalanx.view.cockpit.cockpit import Cockpit
    from phalanx.view.scene.terrain import TerrainView

    check_step(work.step)
    check_name(folder)
    # sticks that are let go stop the source's machine too, which by itself would creep on
    own = {"settles": True} if work.machine == "rotary" else {}
    with console.err().status("Compiling the machine …"):
        live = LiveExcavator(
            MACHINES[work.machine](
                step=work.step, mode=MODES[work.mode], ground=find_ground(work.ground), **own
            ),
            folder=folder,
        )
    machine = ExcavatorMachine(live)
    with (
        raised_priority(first=False),
        Cockpit(machine, host=door.host, port=door.port, token=door.token) as cockpit,
    ):
        if live.terrain is not None:
            TerrainView(cockpit.viewer, lambda: machine.terrain)
        runner = threading.Thread(target=live.run.run, name="phalanx-excavator", daemon=True)
        runner.start()
        live.loop.resume()
        try:
            serve(cockpit, door.opened)
        finally:
            live.loop.stop()
            runner.join()
    console.out().print(f"[bold]timing[/] {live.loop.timing}", soft_wrap=True)


def check_step(step: float) -> None:
    """Fail if an excavator cannot be simulated in such steps.

    Raises:
        InvalidInput: When they are too long.
    """
    if not 0 < step <= 0.01:
        raise InvalidInput(f"--step {step}; expected at most 0.01 s.")


def find_ground(name: str) -> Ground | None:
    """Ground of a soil; None for none."""
    from phalanx.ground import SOILS, Ground

    return Ground(SOILS[name]) if name in SOILS else None
