"""``phalanx inverse-kinematics``: joint positions for a target pose of a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json


@dataclass(frozen=True)
class TargetOptions:
    """Target pose of a frame."""

    frame: Annotated[
        str | None, typer.Option(help="Frame or body to move to the target.", show_default=False)
    ] = None
    position: Annotated[
        str | None,
        typer.Option(
            help="Target position of its origin in the world [m].",
            show_default=False,
            metavar="X,Y,Z",
        ),
    ] = None
    rpy: Annotated[
        str | None,
        typer.Option(
            help="Target roll, pitch and yaw about fixed axes [rad]. Default: any orientation.",
            show_default=False,
            metavar="R,P,Y",
        ),
    ] = None


@dataclass(frozen=True)
class SearchOptions:
    """Initial postures and tolerance of the search."""

    q0: Annotated[
        str | None,
        typer.Option(
            help="Initial posture [rad or m]. Default: the middle of the joint limits.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    starts: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Largest number of initial postures.")
    ] = 32
    seed: Annotated[int, typer.Option(min=0, help="Seed of random initial postures.")] = 0
    nearest: Annotated[
        bool,
        typer.Option(
            "--nearest",
            help="Search from all initial postures and return the solution nearest to --q0.",
        ),
    ] = False
    tolerance: Annotated[
        float, typer.Option(help="Tolerance of position and orientation [m and rad].")
    ] = 1e-8


def inverse_kinematics(
    model: Model,
    *,
    target: TargetOptions,
    search: SearchOptions,
    json: Json = False,
    loading: Loading,
) -> None:
    r"""Find joint positions that bring a frame to a target pose.

    The posture keeps the joint limits and closes all loops. If there is none, the error says which
    part of the target fails and how close the frame can get.

    Examples:
        phalanx inverse-kinematics puma560 --frame tool --position 0.4,0.2,0.3
        phalanx inverse-kinematics five_bar --frame tool --position 0.1,0,0.4 --json

        # position and orientation
        phalanx inverse-kinematics robot:panda --frame panda_hand \
            --position 0.4,0,0.5 --rpy 3.14,0,0
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
            console.print_warning(
                f"--rpy is in radians, and {largest:g} is more than a whole turn."
            )
        wanted = Pose.from_rpy(wanted, angles)
    q0 = None if search.q0 is None else numbers("q0", search.q0, mechanism.nq)
    options: dict[str, Any] = {
        "starts": search.starts,
        "seed": search.seed,
        "tolerance": search.tolerance,
    }
    with console.err().status("Searching …"):
        found = ik.solve(wanted, q0, nearest=search.nearest, **options)
        if not found.converged:
            ik(wanted, q0, **options)  # raises the error that says why
    console.print_facts(found.facts(mechanism), json)
    if not json:
        errors = ", ".join(f"{name} off by {by:.1e} {unit}" for name, unit, by in found.misses)
        closed = f"; loops open by {float(found.opening):.1e}" if mechanism.loops else ""
        console.print_note(f"{errors}{closed}; start {int(found.start)}, {int(found.steps)} steps")
