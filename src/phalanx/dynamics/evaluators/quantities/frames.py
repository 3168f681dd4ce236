"""Frame kinematics: poses, motions and Jacobians of frames fixed in nodes.

Jacobians have a column for every freedom, also for those that do not move the point.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.quantities.motion import pose_of
from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.quantities.kinematics import column, column_rate
from phalanx.equations.spatial import Acceleration, Twist
from phalanx.equations.tree.node import Node

ROWS = ("row_0", "row_1", "row_2", "row_3", "row_4", "row_5")


def _columns(node: Node, tip: SX, pose: SX) -> StepResult:
    return StepResult(tip, results=_rows(column(node, pose_of(pose), tip)))


def _column_rates(node: Node, tip: SX, pose: SX, velocity: SX) -> StepResult:
    dS = column_rate(node, pose_of(pose), Twist.of(velocity), tip[:3], tip[3:])
    return StepResult(tip, results=_rows(dS))


def _rows(S: Twist) -> dict[str, SX]:
    return {name: S.numbers[k, :].T for k, name in enumerate(ROWS)}


# pose -> rows; the root hands on the point, in the world
COLUMNS = Recursion("columns", (Pass("outward", 3, _columns),))
# (pose, velocity) -> rows; the root hands on the point and its velocity, in the world
COLUMN_RATES = Recursion("column_rates", (Pass("outward", 6, _column_rates),))


def frame_pose() -> ca.Function:
    """(pose of a node, place of a frame in it) -> X: the frame's pose as a 4×4 matrix."""
    pose, place = SX.sym("pose", 12), SX.sym("place", 12)
    X = pose_of(pose).then(pose_of(place)).homogeneous()
    return ca.Function("frame_pose", [pose, place], [X], ["pose", "place"], ["X"])


def frame_velocity() -> ca.Function:
    """(pose and velocity of a node, place) -> V: the frame's velocity in world axes."""
    pose, place, velocity = SX.sym("pose", 12), SX.sym("place", 12), SX.sym("velocity", 6)
    V = Twist.of(velocity).at(place[9:]).in_parent_axes(pose_of(pose).rotation)
    names = ["pose", "place", "velocity"]
    return ca.Function("frame_velocity", [pose, place, velocity], [V.numbers], names, ["V"])


def frame_acceleration() -> ca.Function:
    """(pose and acceleration of a node, place) -> A: the frame's acceleration in world axes."""
    pose, place, numbers = SX.sym("pose", 12), SX.sym("place", 12), SX.sym("acceleration", 9)
    A = Acceleration(numbers[:3], numbers[3:6], numbers[6:])
    seen = Twist(A.dw, A.at(place[9:])).in_parent_axes(pose_of(pose).rotation)
    names = ["pose", "place", "acceleration"]
    return ca.Function("frame_acceleration", [pose, place, numbers], [seen.numbers], names, ["A"])
