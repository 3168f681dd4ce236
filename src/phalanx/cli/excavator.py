"""``phalanx excavator``: cockpit of an excavator in the browser."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, Styled
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
        help="cylinders: boom, stick and bucket cylinders on one pump. rotary: the rotary "
        "actuators of Wong's thesis."
    ),
]
SpoolCurveName = Annotated[
    str | None,
    OneOf("phalanx.machines.excavator.control:SpoolCurve"),
    typer.Option(
        help="Spools of the rotary machine beyond their deadband. shift: open from zero. gate: "
        "open in proportion to the voltage. Default: the machine's own.",
        show_default=False,
    ),
]
SOIL = OneOf("phalanx.ground:SOILS", beside=("none",))
Step = Annotated[float, typer.Option(help="Integration step [s].")]


@dataclass(frozen=True)
class ExcavatorOptions:
    """Machine, soil and control mode."""

    machine: WhichMachine = "cylinders"
    ground: Annotated[str, SOIL, typer.Option(help="Soil to dig in; none for no ground.")] = "loam"
    mode: Annotated[
        str,
        OneOf("phalanx.machines.excavator.scenario:MODES"),
        typer.Option(help="joint: sticks set joint rates. resolved: sticks set bucket velocities."),
    ] = "joint"
    spool_curve: SpoolCurveName = None
    step: Step = 1e-3


@dataclass(frozen=True)
class PageOptions:
    """Address of the page and token for control."""

    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on; 0.0.0.0 accepts other computers. They can watch; driving "
            "needs the printed token.",
        ),
    ] = "127.0.0.1"
    token: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Token that clients need to drive. Default: random."),
    ] = None
    port: Port = 8080
    opened: Open = True


def excavator(
    *,
    options: ExcavatorOptions,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder of the recordings.", file_okay=False)
    ] = Path("out/excavator"),
    page: PageOptions,
) -> None:
    """Drive an excavator in the browser: dig, swing, dump, record, replay.

    Control it with the two sticks on the page, the keys W A S D and the arrows, or a gamepad. Other
    clients can watch.

    Examples:
        phalanx excavator
        phalanx excavator --mode resolved --ground sand

        # the machine of Wong's thesis
        phalanx excavator --machine rotary --ground none

        # accept other computers in the network
        phalanx excavator --host 0.0.0.0
    """
    need("phalanx excavator", "view")
    from phalanx.machines.excavator.cockpit import ExcavatorMachine
    from phalanx.machines.excavator.excavator import MACHINES
    from phalanx.machines.excavator.live import LiveExcavator
    from phalanx.machines.excavator.scenario import MODES
    from phalanx.simulation.realtime.priority import raised_priority
    from phalanx.view.cockpit.cockpit import Cockpit
    from phalanx.view.scene.terrain import TerrainView

    check_step(options.step)
    check_name(folder)
    # stop the rotary machine when its sticks are released; it creeps otherwise
    own: dict[str, Any] = {"settles": True} if options.machine == "rotary" else {}
    own |= spool_options(options.machine, options.spool_curve)
    with console.err().status("Compiling the machine …"):
        live = LiveExcavator(
            MACHINES[options.machine](
                step=options.step,
                mode=MODES[options.mode],
                ground=find_ground(options.ground),
                **own,
            ),
            folder=folder,
        )
    machine = ExcavatorMachine(live)
    with (
        raised_priority(first=False),
        Cockpit(machine, host=page.host, port=page.port, token=page.token) as cockpit,
    ):
        if live.terrain is not None:
            TerrainView(cockpit.viewer, lambda: machine.terrain)
        runner = threading.Thread(target=live.run.run, name="phalanx-excavator", daemon=True)
        runner.start()
        live.loop.resume()
        try:
            serve(cockpit, page.opened)
        finally:
            live.loop.stop()
            runner.join()
    console.print_facts(Facts([(Styled("timing", "bold"), f" {live.loop.timing}")]))


def spool_options(machine: str, curve: str | None) -> dict[str, Any]:
    """Return the options of a machine whose spools have a curve by name, none when None.

    Raises:
        InvalidInput: When that machine's control has no deadband.
    """
    from phalanx.machines.excavator.control import Spool, SpoolCurve

    if curve is None:
        return {}
    if machine != "rotary":
        raise InvalidInput(
            f"--spool-curve {curve} with --machine {machine}, whose control has no deadband: "
            "expected --machine rotary."
        )
    return {"spool": Spool(curve=SpoolCurve(curve))}


def check_step(step: float) -> None:
    """Check the integration step of an excavator.

    Raises:
        InvalidInput: When it is too long.
    """
    if not 0 < step <= 0.01:
        raise InvalidInput(f"--step {step}; expected at most 0.01 s.")


def find_ground(name: str) -> Ground | None:
    """Return the ground of a soil, None for none."""
    from phalanx.ground import SOILS, Ground

    return Ground(SOILS[name]) if name in SOILS else None
