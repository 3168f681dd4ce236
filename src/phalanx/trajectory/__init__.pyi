# The public names and where each is defined; phalanx/on_demand.py loads them when asked for.

from phalanx.paths.path import Path
from phalanx.paths.rows import Row, Rows
from phalanx.paths.splines import Waypoints
from phalanx.trajectory.alternatives import Alternatives
from phalanx.trajectory.demo import demo_waypoints
from phalanx.trajectory.integrated import IntegratedRegister
from phalanx.trajectory.limits import Limits
from phalanx.trajectory.optimal import OptimalTiming, time_optimal
from phalanx.trajectory.path_file import read_motion, read_path, read_points, write_rows
from phalanx.trajectory.peaks import Peak, joint_peaks
from phalanx.trajectory.register import TrajectoryRegister
from phalanx.trajectory.scaling import Infeasible, UniformScaling, uniform_scaling
from phalanx.trajectory.violations import Violation

__all__ = [
    "Alternatives",
    "Infeasible",
    "IntegratedRegister",
    "Limits",
    "OptimalTiming",
    "Path",
    "Peak",
    "Row",
    "Rows",
    "TrajectoryRegister",
    "UniformScaling",
    "Violation",
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
