"""``phalanx trajectory``: the torques of a path, against what the joints can do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

NEAR, MOST_POINTS = 1e-3, 40  # [rad or m] of a curve through fewer points, and how many of them

PathFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="PATH",
        help="A table of time [s] and positions [rad or m], .csv or .parquet; a header such as "
        "'time,joint_1 [deg]' names joints and units.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class PathOptions:
    """The path and how it is sampled."""

    demo: Annotated[bool, typer.Option("--demo", help="A made-up path instead of a file.")] = False
    through: Annotated[
        Path | None,
        typer.Option(
            help="Points without times instead of a path, a column a joint; times are chosen "
            "within the limits of velocity and acceleration.",
            show_default=False,
            metavar="POINTS",
        ),
    ] = None
    curve: Annotated[
        str,
        OneOf("phalanx.planning.trajectory.curves:CURVES"),
        typer.Option(
            help="Between the points of the path. quintic: no kinks in torques. With --through "
            "also trapezoid, which stops at points, and blends, which pass them by."
        ),
    ] = "cubic"
    step: Annotated[float, typer.Option(help="Time between rows [s].")] = 1e-3
    scale: Annotated[
        str,
        OneOf("phalanx.planning.trajectory.retiming:RETIMINGS"),
        typer.Option(
            help="uniform: one speed for the whole path, the highest that keeps all limits. "
            "optimal: the fastest timing along the path (needs the extra `trajectory`)."
        ),
    ] = "none"


@dataclass(frozen=True)
class LimitOptions:
    """Limits beside those of the model."""

    torque_limit: Annotated[
        str | None,
        typer.Option(
            help="Limits of joint torques [N·m or N], one number for all or one a joint, 80,90,…; "
            "those of the model.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None
    velocity_limit: Annotated[
        str | None,
        typer.Option(
            help="Of joint velocities [rad/s or m/s], likewise; those of the model. For --through.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    acceleration_limit: Annotated[
        str | None,
        typer.Option(
            help="Of joint accelerations [rad/s² or m/s²], likewise. For --through.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    rate_limit: Annotated[
        str | None,
        typer.Option(
            help="Limits of the change of torques [N·m/s or N/s], likewise; none.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> Limits:
        """All limits of a machine."""
        from phalanx.planning.trajectory.limits import Limits

        torque = _numbers("torque-limit", self.torque_limit, mechanism)
        return Limits.of(mechanism, torque, _numbers("rate-limit", self.rate_limit, mechanism))

    def of_motion(self, mechanism: Mechanism) -> tuple[Any, Any]:
        """Those of velocity and acceleration, for curves whose times are chosen."""
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
    """One number for all joints, or one a joint."""
    from phalanx.cli.states import numbers

    if text is None:
        return None
    one = "," not in text and not text.lstrip().startswith("[")
    return numbers(name, text, 1)[0] if one else numbers(name, text, mechanism.nv)


@dataclass(frozen=True)
class TrajectoryOutput:
    """What is kept."""

    save: Annotated[
        Path | None,
        Writes((".csv",)),
        typer.Option(
            help="Rows as CSV: positions, velocities, accelerations, torques.", show_default=False
        ),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Torques against limits (.png, .svg, .pdf).", show_default=False),
    ] = None
    json: Json = False


@dataclass(frozen=True)
class EditingOptions:
    """The page, and where it is served."""

    edit: Annotated[
        bool, typer.Option("--edit", help="Open the page: drag points, see torques.")
    ] = False
    host: Host = "127.0.0.1"
    port: Port = 8080
    opened: Open = True


def trajectory(
    model: Model,
    path: PathFile = None,
    *,
    loading: Loading,
    course: PathOptions,
    bounds: LimitOptions,
    written: TrajectoryOutput,
    editing: EditingOptions,
) -> None:
    """Check a path against what a machine's joints can do, make it possible, or edit it.

    phalanx trajectory puma560 --demo --torque-limit 97,186,89,24,20,21

    phalanx trajectory robot:ur5_robot path.csv --scale uniform --save possible.csv

    phalanx trajectory robot:panda --demo --scale optimal --plot torque.png

    phalanx trajectory puma560 --through points.csv --curve blends --acceleration-limit 4

    phalanx trajectory puma560 --demo --edit
    """
    _check_options(course, bounds, written, editing)
    need("--scale optimal", "trajectory", wanted=course.scale == "optimal")
    need(f"{path}", "parquet", wanted=path is not None and path.suffix.lower() == ".parquet")
    from phalanx.dynamics import Dynamics
    from phalanx.planning.trajectory.facts import trajectory_facts
    from phalanx.planning.trajectory.retiming import RETIMINGS
    from phalanx.planning.trajectory.table import TrajectoryTable

    mechanism = loading.find(model)
    _check_source(path, course)
    limits = bounds.of(mechanism)
    dynamics = Dynamics(mechanism, threads=1)
    if editing.edit:
        _edit(dynamics, _waypoints(mechanism, path, course), course.step, limits, editing)
        return
    motion = _motion(mechanism, path, course, bounds)
    timed, said = RETIMINGS[course.scale](dynamics, motion, course.step, limits)
    table = TrajectoryTable.of(
        dynamics,
        timed.sample(course.step),
        torque_limits=limits.torque,
        rate_limits=limits.torque_rate,
    )
    console.say(trajectory_facts(table, said), written.json)
    _keep(table, written)


def _check_options(
    course: PathOptions, bounds: LimitOptions, written: TrajectoryOutput, editing: EditingOptions
) -> None:
    """Fail before the work, not after it."""
    need("--edit", "view", wanted=editing.edit)
    from phalanx.planning.paths.splines import KINDS

    if course.through is None:
        if bounds.velocity_limit is not None or bounds.acceleration_limit is not None:
            raise InvalidInput(
                "--velocity-limit and --acceleration-limit choose times of --through; a path has "
                "its own."
            )
        if course.curve not in KINDS:
            raise InvalidInput(
                f"--curve {course.curve} chooses its own times; give points without times by "
                "--through, or --curve cubic or quintic."
            )
    elif editing.edit:
        raise InvalidInput("--edit drags points that have times; --through chooses them.")
    if editing.edit and written.json:
        raise InvalidInput("--edit opens a page and --json writes a table; choose one.")


def _check_source(path: Path | None, course: PathOptions) -> None:
    sources = [path is not None, course.demo, course.through is not None]
    if sum(sources) != 1:
        came = "several were given" if any(sources) else "none was given"
        raise InvalidInput(f"a trajectory needs a file with a path, --through or --demo; {came}.")


def _motion(
    mechanism: Mechanism, path: Path | None, course: PathOptions, bounds: LimitOptions
) -> Motion:
    """The path as it is."""
    from phalanx.planning.trajectory.curves import CURVES
    from phalanx.planning.trajectory.path_file import read_motion, read_points

    kind: Any = course.curve
    if course.through is not None:
        limits = bounds.of_motion(mechanism)
        return CURVES[kind](read_points(course.through, mechanism), *limits)
    if path is not None:
        return read_motion(path, mechanism, kind=kind)
    return _waypoints(mechanism, path, course).path()


def _waypoints(mechanism: Mechanism, path: Path | None, course: PathOptions) -> Waypoints:
    """Points to drag, few enough to be seen."""
    from dataclasses import replace

    from phalanx.planning.trajectory.demo import demo_waypoints
    from phalanx.planning.trajectory.path_file import read_path

    kind: Any = course.curve
    if path is None:
        return replace(demo_waypoints(mechanism), kind=kind)
    read = read_path(path, mechanism, kind=kind)
    points, off = read.thinned(NEAR, MOST_POINTS)
    if len(points) < len(read):
        console.err().print(
            f"{len(read):,} points became {len(points)} to drag; the curve is off by at most "
            f"{off:.2g} rad or m.",
            soft_wrap=True,
        )
    return points


def _keep(table: TrajectoryTable, written: TrajectoryOutput) -> None:
    if written.save is not None:
        table.to_csv(written.save)
        console.err().print(f"Rows in {written.save}.", soft_wrap=True)
    if written.plot is not None:
        from phalanx.view.plots.draw import save
        from phalanx.view.trajectory.figure import draw_trajectory

        save(draw_trajectory(table), written.plot)
        console.err().print(f"Plot in {written.plot}.", soft_wrap=True)


def _edit(
    dynamics: Dynamics, waypoints: Waypoints, step: float, limits: Limits, editing: EditingOptions
) -> None:
    from phalanx.view.trajectory import TrajectoryPage

    with TrajectoryPage(
        dynamics, waypoints, step, limits, host=editing.host, port=editing.port
    ) as page:
        serve(page, editing.opened)
