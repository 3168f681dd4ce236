"""Extension with the sources' reference trajectories for scenarios and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.simulation.extensions import Extension, MotorMotion, TrajectoryKind

if TYPE_CHECKING:
    from phalanx.planning.motions import Trajectory
    from phalanx.simulation.scenario.section import Section

LENGTHS = ("upper-arm", "forearm", "offset", "height")


def straight_line(table: Section, period: float, joints: int) -> Trajectory:
    """The wrist of an arm with an elbow from one point to another; the arm has three joints."""
    from phalanx.studies import dhanaraj  # its tables take a while to load, and few ask for it

    start, end = (table.numbers(key, 3, needed=True) for key in ("start", "end"))
    assert start is not None and end is not None
    lengths = {
        key.replace("-", "_"): value for key in LENGTHS if (value := table.number(key)) is not None
    }
    shoulder, elbow = (_branch(table, key) for key in ("shoulder", "elbow"))
    return dhanaraj.straight_line(period, start, end, dhanaraj.ElbowArm(**lengths), shoulder, elbow)


def planar_3rrr_motion() -> MotorMotion:
    """Khan's motion of the driven links."""
    from phalanx.mechanism.library.planar_3rrr import PERIOD, TURNS  # commands start without NumPy

    return MotorMotion(TURNS, PERIOD)


def _branch(table: Section, key: str) -> int:
    sign = table.whole(key)
    if sign not in (None, 1, -1):
        raise table.wrong(key, "1 or -1")
    return 1 if sign is None else sign


EXTENSION = Extension(
    trajectories={
        "straight-line": TrajectoryKind(
            ("start", "end", "shoulder", "elbow", *LENGTHS), straight_line
        )
    },
    motor_motions={"planar_3rrr": planar_3rrr_motion},
)
