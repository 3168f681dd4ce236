# The public names and where each is defined; base/lazy_imports.py loads them when asked for.

from phalanx.planning.paths.frame_following import UnreachablePath, follow_frame
from phalanx.planning.paths.joins import join, overlap, round_corner
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.point_to_point import quintic
from phalanx.planning.paths.polynomials import Polynomials
from phalanx.planning.paths.pose_paths import PosePath, arc, line
from phalanx.planning.paths.rows import Row, Rows
from phalanx.planning.paths.rows_file import write_table
from phalanx.planning.paths.splines import Waypoints, spline
from phalanx.planning.paths.through_rows import through
from phalanx.planning.paths.trapezoids import trapezoid
from phalanx.planning.paths.via_points import parabolic_blends

__all__ = [
    "Path",
    "Polynomials",
    "PosePath",
    "Row",
    "Rows",
    "UnreachablePath",
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
