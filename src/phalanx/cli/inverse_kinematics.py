"""``phalanx inverse-kinematics``: the posture that brings a frame to a place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.models import Loading, Model


@dataclass(frozen=True)
class TargetOptions:
    """Where the frame is wanted."""

    frame: Annotated[
        str | None, typer.Option(help="Frame or body that is to come there.", show_default=False)
    ] = None
    position: Annotated[
        str | None,
        typer.Option(help="Its origin in the world [m].", show_default=False, metavar="X,Y,Z"),
    ] = None
    rpy: Annotated[
        str | None,
        typer.Option(
            help="Its roll, pitch and yaw about fixed axes [rad]; any when not given.",
            show_default=False,
            metavar="R,P,Y",
        ),
    ] = None


@dataclass(frozen=True)
class SearchOptions:
    """From where to search."""

    q0: Annotated[
        str | None,
        typer.Option(
            help="Posture to start from; the middle of the limits when not given.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    starts: Annotated[int, typer.Option(min=1, max=1_000_000, help="Starts at most.")] = 32
    seed: Annotated[int, typer.Option(min=0, help="Of the starts.")] = 0
    nearest: Annotated[
        bool,
        typer.Option(
            "--nearest", help="Search from all of them; take the posture nearest to --q0."
        ),
    ] = False
    tolerance: Annotated[
        float, typer.Option(help="How far position and angle may miss [m and rad].")
    ] = 1e-8


def inverse_kinematics(
    model: Model,
    *,
    loading: Loading,
    target: TargetOptions,
    starts: SearchOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="For programs: JSON on standard output.")
    ] = False,
) -> None:
    """Find the posture in which a frame is at a place, within limits, loops closed.

    Where there is none, it is said which part of the target fails and how close one can get.

    phalanx inverse-kinematics puma560 --frame tool --position 0.4,0.2,0.3

    phalanx inverse-kinematics robot:panda --frame panda_hand --position 0.4,0,0.5 --rpy 3.14,0,0

    phalanx inverse-kinematics five_bar --frame tool --position 0.1,0,0.4 --json
    """
    from phalanx.cli.states import numbers
    from phalanx.mechanism import Pose
    from phalanx.planning.inverse_kinematics.solver import InverseKinematics
    from phalanx.planning.inverse_kinematics.tasks import PointTask

    mechanism = loading.find(model)
    if target.frame is None or target.position is None:
        missing = "--frame NAME" if target.frame is None else "--position X,Y,Z"
        known = mechanism.frame_names
        listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
        raise InvalidInput(f"{missing} is missing. Frames of '{mechanism.name}': {listed}.")
    wanted: Any = numbers("position", target.position, 3)
    if target.rpy is None:
        ik = InverseKinematics(mechanism, tasks=[PointTask(target.frame)])
    else:
        ik = InverseKinematics(mechanism, target.frame)
        angles = numbers("rpy", target.rpy, 3).tolist()
        if (largest := max(map(abs, angles))) > math.tau:
            console.say_warning(f"--rpy is in radians, and {largest:g} is more than a whole turn.")
        wanted = Pose.from_rpy(wanted, angles)
    q0 = None if starts.q0 is None else numbers("q0", starts.q0, mechanism.nq)
    options: dict[str, Any] = {
        "starts": starts.starts,
        "seed": starts.seed,
        "tolerance": starts.tolerance,
    }
    with console.err().status("Searching …"):
        found = ik.solve(wanted, q0, nearest=starts.nearest, **options)
        if not found.converged:
            ik(wanted, q0, **options)  # raises the error that says why
    console.say(found.facts(mechanism), as_json)
    if not as_json:
        errors = ", ".join(f"{name} off by {by:.1e} {unit}" for name, unit, by in found.misses)
        closed = f"; loops open by {float(found.opening):.1e}" if mechanism.loops else ""
        console.err().print(
            f"{errors}{closed}; start {int(found.start)}, {int(found.steps)} steps", soft_wrap=True
        )
