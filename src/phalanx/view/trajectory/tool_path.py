"""Tool path, drawn as a line in the 3-D view."""

from __future__ import annotations

from typing import final

import numpy as np

from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.view.viewer.viewer import Viewer

POINTS = 120
COLOUR = (240, 136, 62)
NAME = "/trail"


@final
class ToolPath:
    """Line along which the last body moves."""

    def __init__(self, viewer: Viewer) -> None:
        self._scene = viewer.server.scene
        self._body = viewer.mechanism.moving_joints[-1].child

    def draw(self, table: TrajectoryTable) -> None:
        """Draw the way of a trajectory, instead of the one before."""
        rows = np.linspace(0, len(table) - 1, min(POINTS, len(table))).astype(int)
        poses = table.dynamics.forward_kinematics(table.q[rows], frame=self._body)
        points = np.asarray(poses)[:, :3, 3].astype(np.float32)
        self._scene.add_line_segments(
            NAME,
            points=np.stack([points[:-1], points[1:]], axis=1),
            colors=COLOUR,
            thickness=2.5,
            thickness_units="screen",
        )
