"""Trajectory editor in the browser: waypoints to drag, torques against limits, the arm."""

from phalanx.view.trajectory.trajectory_page import TrajectoryPage

__all__ = ["TrajectoryPage"]
__dir__ = __all__.copy
