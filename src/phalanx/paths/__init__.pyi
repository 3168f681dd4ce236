# The public names and where each is defined; phalanx/on_demand.py loads them when asked for.

from phalanx.paths.frame_following import Unreachable, follow_frame
from phalanx.paths.joins import join, overlap, round_corner
from phalanx.paths.path import Path
from phalanx.paths.point_to_point import quintic
from phalanx.paths.polynomials import Polynomials
from phalanx.paths.pose_paths import PosePath, arc, line
from phalanx.paths.rows import Row, Rows
from phalanx.paths.rows_file import write_table
from phalanx.paths.splines import Waypoints, spline
from phalanx.paths.through_rows import through
from phalanx.paths.trapezoids import trapezoid
from phalanx.paths.via_points import parabolic_blends

__all__ = [
    "Path",
    "Polynomials",
    "PosePath",
    "Row",
    "Rows",
    "Unreachable",
    "Waypoints",
    "arc",
    "follow_frame",
    "join",
    "line",
    "overlap",
    "parabolic_blends",
    "quintic",
    "round_corner",
    "spline",
    "through",
    "trapezoid",
    "write_table",
]
