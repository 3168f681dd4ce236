# The public names and where each is defined; base/lazy_imports.py loads them when asked for.

from phalanx.planning.motions import Trajectory, cycloid, wave
from phalanx.planning.paths.frame_following import UnreachablePath, follow_frame
from phalanx.planning.paths.joins import join, overlap, round_corner
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.point_to_point import quintic
from phalanx.planning.paths.polynomials import Polynomials
from phalanx.planning.paths.pose_paths import PosePath, arc, line
from phalanx.planning.paths.rows import Row, Rows
from phalanx.planning.paths.rows_file import write_rows
from phalanx.planning.paths.splines import Waypoints, spline
from phalanx.planning.paths.through_rows import through
from phalanx.planning.paths.trapezoids import trapezoid
from phalanx.planning.paths.via_points import parabolic_blends
from phalanx.planning.trajectory.alternatives import Alternatives
from phalanx.planning.trajectory.demo import demo_waypoints
from phalanx.planning.trajectory.integrated import IntegratedTable
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.optimal import OptimalTiming, time_optimal
from phalanx.planning.trajectory.path_file import read_motion, read_path, read_points
from phalanx.planning.trajectory.peaks import Peak, joint_peaks
from phalanx.planning.trajectory.scaling import Infeasible, UniformScaling, uniform_scaling
from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.planning.trajectory.violations import LimitViolation

__all__ = [
    # paths between postures and through points
    "Path",
    "quintic",
    "trapezoid",
    "spline",
    "parabolic_blends",
    "through",
    "Waypoints",
    "Polynomials",
    "join",
    "overlap",
    "round_corner",
    # paths of a frame in space
    "PosePath",
    "line",
    "arc",
    "follow_frame",
    "UnreachablePath",
    # trajectories over symbols
    "Trajectory",
    "cycloid",
    "wave",
    # timing within limits
    "Limits",
    "time_optimal",
    "OptimalTiming",
    "uniform_scaling",
    "UniformScaling",
    "Infeasible",
    # rows and their torques
    "Row",
    "Rows",
    "TrajectoryTable",
    "IntegratedTable",
    "Alternatives",
    "LimitViolation",
    "Peak",
    "joint_peaks",
    # files
    "read_path",
    "read_motion",
    "read_points",
    "write_rows",
    "demo_waypoints",
]
