"""``phalanx trajectory``: torques of a trajectory, joint limits, timing and editing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.extras import need
from phalanx.cli.metavariables import LIST
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes
from phalanx.cli.serving import Host, Open, Port, serve

if TYPE_CHECKING:
    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Mechanism
    from phalanx.planning import Limits, TrajectoryTable, Waypoints
    from phalanx.planning import Path as Motion

NEAR, MOST_POINTS = 1e-3, 40  # tolerance [rad or m] and number of points of --edit

PathFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="PATH",
        help="Table of time [s] and positions [rad or m], .csv or .parquet. A header such as "
        "'time,joint_1 [deg]' gives joints and units.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class PathOptions:
    """Path, interpolation and timing."""

    demo: Annotated[bool, typer.Option("--demo", help="Use an example path instead of a file.")] = (
        False
    )
    through: Annotated[
        Path | None,
        typer.Option(
            help="Table of points without times, one column for each joint; times follow from "
            "the limits of velocity and acceleration.",
            show_default=False,
            metavar="POINTS",
        ),
    ] = None
    curve: Annotated[
        str,
        OneOf("phalanx.planning.trajectory.curves:CURVES"),
        typer.Option(
            help="Interpolation between points: cubic, or quintic (continuous torque rate). With "
            "--through also trapezoid (stops at points) and blends (rounds corners)."
        ),
    ] = "cubic"
    step: Annotated[float, typer.Option(help="Time step of the rows [s].")] = 1e-3
    scale: Annotated[
        str,
        OneOf("phalanx.planning.trajectory.retiming:RETIMINGS"),
        typer.Option(
            help="Change the timing to keep the limits. uniform: one factor for the whole path. "
            "optimal: time-optimal along the path (needs the extra trajectory)."
        ),
    ] = "none"


@dataclass(frozen=True)
class LimitOptions:
    """Limits that replace those of the model."""

    panel: ClassVar = "Limits"

    torque_limit: Annotated[
        str | None,
        typer.Option(
            help="Torque limits [N·m or N], one for each joint or one for all. Default: those of "
            "the model.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None
    velocity_limit: Annotated[
        str | None,
        typer.Option(
            help="With --through: velocity limits [rad/s or m/s], likewise. Default: those of the "
            "model.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    acceleration_limit: Annotated[
        str | None,
        typer.Option(
            help="With --through: acceleration limits [rad/s² or m/s²], likewise.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    rate_limit: Annotated[
        str | None,
        typer.Option(
            help="Limits of torque rates [N·m/s or N/s], likewise. Default: none.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> Limits:
        """Return torque and torque rate limits of a machine."""
        from phalanx.planning.trajectory.limits import Limits

        torque = _numbers("torque-limit", self.torque_limit, mechanism)
        return Limits.of(mechanism, torque, _numbers("rate-limit", self.rate_limit, mechanism))

    def of_motion(self, mechanism: Mechanism) -> tuple[Any, Any]:
        """Return velocity and acceleration limits, for --through."""
        from phalanx.planning.trajectory.limits import Limits

        acceleration = _numbers("acceleration-limit", self.acceleration_limit, mechanism)
        if acceleration is None:
            raise InvalidInput(
                "--through chooses times; give --acceleration-limit [rad/s² or m/s²], one number "
                "for all joints or one a joint."
            )
        velocity = _numbers("velocity-limit", self.velocity_limit, mechanism)
        return Limits.of(mechanism).velocity if velocity is None else velocity, acceleration


def _numbers(name: str, text: str | None, mechanism: Mechanism) -> Any:
    """Return one number for all joints, or one for each."""
    from phalanx.cli.states import numbers

    if text is None:
        return None
    one = "," not in text and not text.lstrip().startswith("[")
    return numbers(name, text, 1)[0] if one else numbers(name, text, mechanism.nv)


@dataclass(frozen=True)
class TrajectoryOutput:
    """Output files."""

    panel: ClassVar = "Output"

    save: Annotated[
        Path | None,
        Writes((".csv",)),
        typer.Option(
            help="Write positions, velocities, accelerations and torques to a .csv file.",
            show_default=False,
        ),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Plot torques and limits: .png, .svg or .pdf.", show_default=False),
    ] = None
    json: Json = False


@dataclass(frozen=True)
class EditingOptions:
    """Editor page and its address."""

    panel: ClassVar = "Editor page"

    edit: Annotated[
        bool, typer.Option("--edit", help="Edit the path in the browser: drag points, see torques.")
    ] = False
    host: Host = "127.0.0.1"
    port: Port = 8080
    opened: Open = True


def trajectory(
    model: Model,
    path: PathFile = None,
    *,
    path_options: PathOptions,
    limit_options: LimitOptions,
    output: TrajectoryOutput,
    editor: EditingOptions,
    loading: Loading,
) -> None:
    r"""Check a trajectory against joint limits, change its timing, or edit it.

    Torques are computed by inverse dynamics. The table has the peak torque and speed of each joint
    with their limits.

    Examples:
        phalanx trajectory puma560 --demo
        phalanx trajectory puma560 --demo --torque-limit 97,186,89,24,20,21
        phalanx trajectory puma560 --demo --edit

        # slow a path down until all limits are kept
        phalanx trajectory robot:ur5_robot path.csv --scale uniform --save slow.csv
        phalanx trajectory robot:panda --demo --scale optimal --plot torque.png

        # a path through points, with times from limits
        phalanx trajectory puma560 --through points.csv --curve blends \
            --acceleration-limit 4
    """
    _check_options(path_options, limit_options, output, editor)
    need("--scale optimal", "trajectory", wanted=path_options.scale == "optimal")
    need(f"{path}", "parquet", wanted=path is not None and path.suffix.lower() == ".parquet")
    from phalanx.dynamics import Dynamics
    from phalanx.planning.trajectory.facts import trajectory_facts
    from phalanx.planning.trajectory.retiming import RETIMINGS
    from phalanx.planning.trajectory.table import TrajectoryTable

    mechanism = loading.find(model)
    _check_source(path, path_options)
    limits = limit_options.of(mechanism)
    dynamics = Dynamics(mechanism, threads=1)
    if editor.edit:
        waypoints = _waypoints(mechanism, path, path_options)
        _edit(dynamics, waypoints, path_options.step, limits, editor)
        return
    motion = _motion(mechanism, path, path_options, limit_options)
    timed, note = RETIMINGS[path_options.scale](dynamics, motion, path_options.step, limits)
    table = TrajectoryTable.of(
        dynamics,
        timed.sample(path_options.step),
        torque_limits=limits.torque,
        rate_limits=limits.torque_rate,
    )
    console.print_facts(trajectory_facts(table, note), output.json)
    _keep(table, output)


def _check_options(
    path_options: PathOptions,
    limit_options: LimitOptions,
    output: TrajectoryOutput,
    editor: EditingOptions,
) -> None:
    """Fail before the work, not after it."""
    need("--edit", "view", wanted=editor.edit)
    from phalanx.planning.paths.splines import KINDS

    if path_options.through is None:
        if limit_options.velocity_limit is not None or limit_options.acceleration_limit is not None:
            raise InvalidInput(
                "--velocity-limit and --acceleration-limit choose times of --through; a path has "
                "its own."
            )
        if path_options.curve not in KINDS:
            raise InvalidInput(
                f"--curve {path_options.curve} chooses its own times; give points without times by "
                "--through, or --curve cubic or quintic."
            )
    elif editor.edit:
        raise InvalidInput("--edit drags points that have times; --through chooses them.")
    if editor.edit and output.json:
        raise InvalidInput("--edit opens a page and --json writes a table; choose one.")


def _check_source(path: Path | None, path_options: PathOptions) -> None:
    sources = [path is not None, path_options.demo, path_options.through is not None]
    if sum(sources) != 1:
        came = "several were given" if any(sources) else "none was given"
        raise InvalidInput(f"a trajectory needs a file with a path, --through or --demo; {came}.")


def _motion(
    mechanism: Mechanism, path: Path | None, path_options: PathOptions, limit_options: LimitOptions
) -> Motion:
    """Return the path with the timing of its source."""
    from phalanx.planning.trajectory.curves import CURVES
    from phalanx.planning.trajectory.path_file import read_motion, read_points

    kind: Any = path_options.curve
    if path_options.through is not None:
        limits = limit_options.of_motion(mechanism)
        return CURVES[kind](read_points(path_options.through, mechanism), *limits)
    if path is not None:
        return read_motion(path, mechanism, kind=kind)
    return _waypoints(mechanism, path, path_options).path()


def _waypoints(mechanism: Mechanism, path: Path | None, path_options: PathOptions) -> Waypoints:
    """Return the points of the editor, at most ``MOST_POINTS`` of a file."""
    from dataclasses import replace

    from phalanx.planning.trajectory.demo import demo_waypoints
    from phalanx.planning.trajectory.path_file import read_path

    kind: Any = path_options.curve
    if path is None:
        return replace(demo_waypoints(mechanism), kind=kind)
    read = read_path(path, mechanism, kind=kind)
    points, off = read.thinned(NEAR, MOST_POINTS)
    if len(points) < len(read):
        console.print_note(
            f"{len(read):,} points were reduced to {len(points)}; the curve changes by at most "
            f"{off:.2g} rad or m."
        )
    return points


def _keep(table: TrajectoryTable, output: TrajectoryOutput) -> None:
    if output.save is not None:
        table.to_csv(output.save)
        console.print_written("Rows", output.save)
    if output.plot is not None:
        from phalanx.view.plots.draw import save
        from phalanx.view.trajectory.figure import draw_trajectory

        save(draw_trajectory(table), output.plot)
        console.print_written("Plot", output.plot)


def _edit(
    dynamics: Dynamics, waypoints: Waypoints, step: float, limits: Limits, editor: EditingOptions
) -> None:
    from phalanx.view.trajectory import TrajectoryPage

    with TrajectoryPage(
        dynamics, waypoints, step, limits, host=editor.host, port=editor.port
    ) as page:
        serve(page, editor.opened)
