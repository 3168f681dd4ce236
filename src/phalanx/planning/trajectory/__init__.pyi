# The public names and where each is defined; base/lazy_imports.py loads them when asked for.

from phalanx.planning.paths.path import Path
from phalanx.planning.paths.rows import Row, Rows
from phalanx.planning.paths.splines import Waypoints
from phalanx.planning.trajectory.alternatives import Alternatives
from phalanx.planning.trajectory.demo import demo_waypoints
from phalanx.planning.trajectory.integrated import IntegratedRegister
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.optimal import OptimalTiming, time_optimal
from phalanx.planning.trajectory.path_file import read_motion, read_path, read_points, write_rows
from phalanx.planning.trajectory.peaks import Peak, joint_peaks
from phalanx.planning.trajectory.scaling import Infeasible, UniformScaling, uniform_scaling
from phalanx.planning.trajectory.table import TrajectoryRegister
from phalanx.planning.trajectory.violations import LimitViolation

__all__ = [
    "Alternatives",
    "Infeasible",
    "IntegratedRegister",
    "LimitViolation",
    "Limits",
    "OptimalTiming",
    "Path",
    "Peak",
    "Row",
    "Rows",
    "TrajectoryRegister",
    "UniformScaling",
    "Waypoints",
    "demo_waypoints",
    "joint_peaks",
    "read_motion",
    "read_path",
    "read_points",
    "time_optimal",
    "uniform_scaling",
    "write_rows",
]
