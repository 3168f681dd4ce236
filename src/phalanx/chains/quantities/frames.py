"""Jacobians of a point, a column for every freedom: also of those that do not move the point."""

from __future__ import annotations

from casadi import SX

from phalanx.chains.quantities.motion import pose_of
from phalanx.chains.walks import Handed, Program, Walk
from phalanx.equations.quantities.kinematics import column, column_rate
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.node import Node

ROWS = ("row_0", "row_1", "row_2", "row_3", "row_4", "row_5")


def _columns(node: Node, tip: SX, pose: SX) -> Handed:
    return Handed(tip, results=_rows(column(node, pose_of(pose), tip)))


def _column_rates(node: Node, tip: SX, pose: SX, velocity: SX) -> Handed:
    dS = column_rate(node, pose_of(pose), Twist.of(velocity), tip[:3], tip[3:])
    return Handed(tip, results=_rows(dS))


def _rows(S: Twist) -> dict[str, SX]:
    return {name: S.numbers[k, :].T for k, name in enumerate(ROWS)}


# pose -> rows; the root hands on the point, in the world
COLUMNS = Program("columns", (Walk("outward", 3, _columns),))
# (pose, velocity) -> rows; the root hands on the point and its velocity, in the world
COLUMN_RATES = Program("column_rates", (Walk("outward", 6, _column_rates),))
