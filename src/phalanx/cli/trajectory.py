"""``phalanx trajectory``: the torques of a path, against what the joints can do."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json, check_picture, check_writable
from phalanx.cli.serving import Serving, serve
from phalanx.errors import InvalidInput, MissingExtra, PhalanxError

if TYPE_CHECKING:
    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Mechanism
    from phalanx.trajectory import Limits, TrajectoryRegister, Waypoints
    from phalanx.trajectory import Path as Motion

SHOWN = 12  # violations in the table
NEAR, MOST_POINTS = 1e-3, 40  # [rad or m] of a curve through fewer points, and how many of them

PathFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PATH]",
        help="A table of time [s] and positions [rad or m], .csv or .parquet; a header such as "
        "'time,joint_1 [deg]' names joints and units.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Course:
    """The path and how it is sampled."""

    demo: Annotated[bool, typer.Option("--demo", help="A made-up path instead of a file.")] = False
    curve: Annotated[
        str,
        OneOf("phalanx.trajectory.splines:KINDS"),
        typer.Option(help="Between the points of the path. quintic: no kinks in torques."),
    ] = "cubic"
    step: Annotated[float, typer.Option(help="Time between rows [s].")] = 1e-3


@dataclass(frozen=True)
class Bounds:
    """Limits beside those of the model."""

    torque_limit: Annotated[
        str | None,
        typer.Option(
            help="Of joint torques [N·m or N], one number for all or one a joint, 80,90,…; "
            "those of the model.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None
    rate_limit: Annotated[
        str | None,
        typer.Option(
            help="Of the change of torques [N·m/s or N/s], likewise; none.",
            show_default=False,
            metavar="NUMBERS",
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> Limits:
        """All limits of a machine."""
        from phalanx.cli.states import numbers
        from phalanx.trajectory.limits import Limits

        def given(name: str, text: str | None) -> Any:
            if text is None:
                return None
            one = "," not in text and not text.lstrip().startswith("[")
            return numbers(name, text, 1)[0] if one else numbers(name, text, mechanism.nv)

        torque = given("torque-limit", self.torque_limit)
        return Limits.of(mechanism, torque, given("rate-limit", self.rate_limit))


@dataclass(frozen=True)
class Written:
    """What is kept."""

    save: Annotated[
        Path | None,
        typer.Option(
            help="Rows as CSV: positions, velocities, accelerations, torques.", show_default=False
        ),
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option(help="Torques against limits (.png, .svg, .pdf).", show_default=False),
    ] = None


def trajectory(
    model: Model,
    path: PathFile = None,
    *,
    loading: Loading,
    course: Course,
    bounds: Bounds,
    scale: Annotated[
        str,
        OneOf("phalanx.trajectory.retiming:RETIMINGS"),
        typer.Option(
            help="uniform: one speed for the whole path, the highest that keeps all limits. "
            "optimal: the fastest timing along the path (needs the extra `trajectory`)."
        ),
    ] = "none",
    written: Written,
    edit: Annotated[
        bool, typer.Option("--edit", help="Open the page: drag points, see torques.")
    ] = False,
    serving: Serving,
    json: Json = False,
) -> None:
    """Check a path against what a machine's joints can do, make it possible, or edit it.

    phalanx trajectory puma560 --demo --torque-limit 97,186,89,24,20,21

    phalanx trajectory robot:ur5_robot path.csv --scale uniform --save possible.csv

    phalanx trajectory robot:panda --demo --scale optimal --plot torque.png

    phalanx trajectory puma560 --demo --edit
    """
    _check_options(written, edit, json)
    from phalanx.dynamics import Dynamics
    from phalanx.trajectory.register import TrajectoryRegister
    from phalanx.trajectory.retiming import RETIMINGS

    mechanism = loading.find(model)
    _check_source(path, course)
    limits = bounds.of(mechanism)
    dynamics = Dynamics(mechanism, threads=1)
    if edit:
        waypoints = _waypoints(mechanism, path, course)
        _edit(dynamics, waypoints, course.step, limits, serving)
        return
    motion = _motion(mechanism, path, course)
    timed, said = RETIMINGS[scale](dynamics, motion, course.step, limits)
    register = TrajectoryRegister.of(
        dynamics,
        timed.sample(course.step),
        torque_limits=limits.torque,
        rate_limits=limits.torque_rate,
    )
    advice = _advice(dynamics, register)
    if json:
        console.say_json(_facts(register, said, advice))
    else:
        _show(register, said, advice)
    _keep(register, written)


def _check_options(written: Written, edit: bool, json: bool) -> None:
    """Fail before the work, not after it."""
    if edit and find_spec("viser") is None:
        raise MissingExtra("--edit", "view")
    if edit and json:
        raise InvalidInput("--edit opens a page and --json writes a table; choose one.")
    if written.save is not None:
        check_writable(written.save, ".csv")
    if written.plot is not None:
        check_picture(written.plot)


def _check_source(path: Path | None, course: Course) -> None:
    if (path is None) != course.demo:
        both = "both were given" if course.demo else "neither was given"
        raise InvalidInput(f"a trajectory needs a file with a path, or --demo; {both}.")


def _motion(mechanism: Mechanism, path: Path | None, course: Course) -> Motion:
    """The path as it is."""
    from phalanx.trajectory.path_file import read_motion

    kind: Any = course.curve
    if path is not None:
        return read_motion(path, mechanism, kind=kind)
    return _waypoints(mechanism, path, course).path()


def _waypoints(mechanism: Mechanism, path: Path | None, course: Course) -> Waypoints:
    """Points to drag, few enough to be seen."""
    from dataclasses import replace

    from phalanx.trajectory.demo import demo_waypoints
    from phalanx.trajectory.path_file import read_path

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


def _advice(dynamics: Dynamics, register: TrajectoryRegister) -> str:
    """What speed the path allows, in words; or why none."""
    from phalanx.trajectory.scaling import uniform_scaling

    try:
        return str(uniform_scaling(dynamics, register.rows, register.limits))
    except PhalanxError as error:
        return str(error).rstrip(".")


def _show(register: TrajectoryRegister, said: str, advice: str) -> None:
    from rich.text import Text

    from phalanx.trajectory.peaks import joint_peaks

    rows = f"{len(register):,} rows at {register.step:g} s, {register.rows.duration:.4g} s in all"
    title = f"{register.mechanism.name}: {rows}"
    columns = ("torque", "limit", "share", "at", "speed", "limit")
    table = console.table(title, ("joint",), tuple(f"  {head}" for head in columns))
    for peak in joint_peaks(register):
        share = f"{peak.share:.0%}" if peak.share else ""
        table.add_row(
            peak.joint,
            f"{peak.torque:.4g}",
            _limit(peak.limit),
            Text(share, style="bold red") if peak.share > 1 else share,
            f"{peak.time:.3f} s",
            f"{peak.velocity:.3g}",
            _limit(peak.velocity_limit),
        )
    out = console.out()
    out.print(table)
    if said:
        out.print(f"\n{said}", soft_wrap=True, markup=False)
    found = register.violations
    if found:
        out.print(f"\n{len(found)} beyond limits:", style="bold red")
        for one in found[:SHOWN]:
            out.print(f"  {one}", soft_wrap=True, markup=False)
        if len(found) > SHOWN:
            out.print(f"  … and {len(found) - SHOWN} more")
    else:
        out.print("\nAll limits are kept.")
    out.print(f"Uniform scaling: {advice}.", soft_wrap=True, markup=False)


def _limit(value: float) -> str:
    return f"{value:.4g}" if abs(value) < float("inf") else "none"


def _facts(register: TrajectoryRegister, said: str, advice: str) -> dict[str, Any]:
    from dataclasses import asdict

    from phalanx.trajectory.peaks import joint_peaks

    def plain(facts: dict[str, Any]) -> dict[str, Any]:
        # JSON has no infinity
        return {k: None if v in (float("inf"), -float("inf")) else v for k, v in facts.items()}

    return {
        "machine": register.mechanism.name,
        "rows": len(register),
        "step": register.step,
        "duration": register.rows.duration,
        "retiming": said,
        "uniform_scaling": advice,
        "peaks": [plain(asdict(peak)) for peak in joint_peaks(register)],
        "violations": [asdict(one) for one in register.violations],
    }


def _keep(register: TrajectoryRegister, written: Written) -> None:
    if written.save is not None:
        from phalanx.trajectory.path_file import write_rows

        write_rows(register, written.save)
        console.err().print(f"Rows in {written.save}.", soft_wrap=True)
    if written.plot is not None:
        from phalanx.view.draw import save
        from phalanx.view.trajectory.figure import draw_trajectory

        save(draw_trajectory(register), written.plot)
        console.err().print(f"Plot in {written.plot}.", soft_wrap=True)


def _edit(
    dynamics: Dynamics, waypoints: Waypoints, step: float, limits: Limits, serving: Serving
) -> None:
    from phalanx.view.trajectory import TrajectoryPage

    with TrajectoryPage(
        dynamics, waypoints, step, limits, host=serving.host, port=serving.port
    ) as page:
        serve(page, serving.opened)
