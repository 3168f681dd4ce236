"""The table ``[control]`` of a scenario as a control law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators import Smooth
from phalanx.actuators.drive import Drives
from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory, cycloid, wave
from phalanx.simulation.extensions import TrajectoryKind, trajectory_kinds
from phalanx.simulation.scenario.section import Section, of_kind
from phalanx.simulation.setup.feedforward import feedforward
from phalanx.simulation.setup.laws import Law, computed_torque, proportional_derivative
from phalanx.simulation.setup.profile import Profile
from phalanx.simulation.setup.track import motor_names, start_of_motors, track
from phalanx.simulation.setup.true_model import with_true_model

Array = NDArray[np.float64]
Start = tuple[Array, Array] | None

# laws that go to a posture, and hold it
LAWS: dict[str, Callable[..., Law]] = {
    "pd": proportional_derivative,
    "computed-torque": computed_torque,
}
# keys beside "kind"
KINDS = {
    "none": (),
    "pd": ("target", "stiffness", "damping", "model"),
    "computed-torque": ("target", "stiffness", "damping", "model"),
    "profile": ("file", "between"),
    "inverse-dynamics": ("trajectory", "friction", "slip", "model"),
    "track": ("trajectory", "stiffness", "damping", "motors", "model"),
}
MODELS = ("nominal", "true")


def read_control(
    table: Section | None, mechanism: Mechanism, drives: Drives | None = None
) -> tuple[Any, Start]:
    """The control, and where a wanted motion begins (q, v); None without one.

    Args:
        table: The table ``[control]``.
        mechanism: The machine.
        drives: Whose friction the control may know.

    Raises:
        ReadError: When a value is wrong.
        UnknownName: When a key or choice does not exist.
    """
    if table is None:
        return None, None
    kind, table = of_kind(table, KINDS)
    if kind == "none":
        return None, None
    if kind == "profile":
        return read_profile(table, mechanism.nv), None
    law, start = _law(kind, table, mechanism, drives)
    known = table.choice("model", MODELS)
    return with_true_model(law) if known == "true" else law, start


def _law(
    kind: str, table: Section, mechanism: Mechanism, drives: Drives | None
) -> tuple[Law, Start]:
    match kind:
        case "inverse-dynamics":
            trajectory = _trajectory(table, mechanism.nq)
            q, v, _ = trajectory(0.0)
            return _feedforward(table, trajectory, drives), (q, v)
        case "track":
            return _track(table, mechanism)
        case _:
            return _feedback(LAWS[kind], table, mechanism), None


def read_profile(table: Section, columns: int) -> Profile:
    """Numbers over time, from a table with the keys ``file`` and ``between``.

    Raises:
        ReadError: When the file is no such table, or has not so many columns.
    """
    path = table.path("file", needed=True)
    between = table.choice("between", ("hold", "linear"))
    assert path is not None
    try:
        profile = Profile.from_csv(path, "linear" if between == "linear" else "hold")
    except InvalidInput as error:
        raise ReadError(f"{table.owner} file: {error}") from error
    if profile.values.shape[1] != columns:
        raise table.wrong("file", f"a table with time and {columns} columns of values")
    return profile


def _feedback(law: Callable[..., Law], table: Section, mechanism: Mechanism) -> Law:
    target = table.numbers("target", mechanism.nq, needed=True)
    options: dict[str, Any] = {
        key: table.numbers(key, mechanism.nv, needed=True) for key in ("stiffness", "damping")
    }
    try:
        return law(target, **options)
    except InvalidInput as error:
        raise ReadError(f"{table.owner}: {error}") from error


def _feedforward(table: Section, trajectory: Trajectory, drives: Drives | None) -> Law:
    slip = table.number("slip")
    if not table.flag("friction"):
        if slip is not None:
            raise table.wrong("slip", "no slip without friction = true")
        return feedforward(trajectory)
    if drives is None:
        raise table.wrong("friction", "drives = ... at the top, whose friction is known")
    try:
        return feedforward(trajectory, drives, None if slip is None else Smooth(slip))
    except InvalidInput as error:
        raise ReadError(f"{table.owner}: {error}") from error


def _track(table: Section, mechanism: Mechanism) -> tuple[Law, Start]:
    """Motors along a motion, which begins where they are on it with all loops closed."""
    motors = table.words("motors") or motor_names(mechanism)
    gains = {key: table.numbers(key, len(motors), needed=True) for key in ("stiffness", "damping")}
    trajectory = _trajectory(table, len(motors))
    try:
        law = track(trajectory, motors=motors, **gains)  # type: ignore[arg-type]
        return law, start_of_motors(mechanism, motors, trajectory)
    except (InvalidInput, UnknownName, OpenLoop) as error:
        raise ReadError(f"{table.owner}: {error}") from error


def _trajectory(control: Section, joints: int) -> Trajectory:
    inner = control.section("trajectory", None)
    if inner is None:
        raise ReadError(f"{control.owner} has no table [control.trajectory].")
    # extensions with further kinds are asked only where the file has none of the general ones
    known = TRAJECTORIES if inner.values.get("kind") in TRAJECTORIES else _all_trajectories()
    kind, table = of_kind(inner, {name: ("period", *x.keys) for name, x in known.items()})
    period = table.number("period", needed=True)
    assert period is not None
    try:
        return known[kind].read(table, period, joints)
    except InvalidInput as error:
        raise ReadError(f"{table.owner}: {error}") from error


def _all_trajectories() -> dict[str, TrajectoryKind]:
    return TRAJECTORIES | trajectory_kinds()


def _cycloid(table: Section, period: float, joints: int) -> Trajectory:
    start, end = (table.numbers(key, joints, needed=True) for key in ("start", "end"))
    assert start is not None and end is not None
    return cycloid(period, start, end)


def _wave(table: Section, period: float, joints: int) -> Trajectory:
    width = table.numbers("width", joints, needed=True)
    middle, phase = (table.numbers(key, joints) for key in ("middle", "phase"))
    assert width is not None
    still = np.zeros(joints)
    return wave(
        period, still if middle is None else middle, width, still if phase is None else phase
    )


# those of every machine; extensions add others
TRAJECTORIES = {
    "cycloid": TrajectoryKind(("start", "end"), _cycloid),
    "wave": TrajectoryKind(("middle", "width", "phase"), _wave),
}
