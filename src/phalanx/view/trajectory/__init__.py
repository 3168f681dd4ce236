"""A page on which trajectories are drawn: curves to drag, torques against limits, the arm beside."""

from phalanx.view.trajectory.trajectory_page import TrajectoryPage

__all__ = ["TrajectoryPage"]
__dir__ = __all__.copy
