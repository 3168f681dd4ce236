"""Planning: paths, trajectories and their timing, before a machine moves.

A `Path` is a curve q(s) of all joints, of finite length; s is time [s] until `time_optimal`,
`uniform_scaling` or `Path.timed` give it another timing. A `Trajectory` is a motion q(t) for all
times, over symbols: what `px.track` and `px.computed_torque` follow; `path.trajectory` makes one.
`Rows` are a path at equal steps of time, and a `TrajectoryTable` is rows with their torques.
Postures for targets are `px.InverseKinematics`.
"""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
