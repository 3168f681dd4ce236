"""Quantities of a frame."""

from __future__ import annotations

from typing import Any

from phalanx.dynamics.compiled import CompiledQuantities, called


class FrameQuantities(CompiledQuantities):
    """Where a frame of the machine is and how it moves, in world axes."""

    def forward_kinematics(self, q: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Pose of a frame in the world, shape (..., 4, 4)."""
        return called(self.kernel("forward_kinematics", frame), q, *parameters, out=out)

    def jacobian(self, q: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Jacobian of a frame, rows (linear, angular) in world axes, shape (..., 6, nv)."""
        return called(self.kernel("jacobian", frame), q, *parameters, out=out)

    def jacobian_rate(self, q: Any, v: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Time derivative of the Jacobian, shape (..., 6, nv)."""
        return called(self.kernel("jacobian_rate", frame), q, v, *parameters, out=out)

    def frame_velocity(self, q: Any, v: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Velocity of a frame (linear, angular) in world axes, shape (..., 6)."""
        return called(self.kernel("frame_velocity", frame), q, v, *parameters, out=out)

    def frame_acceleration(
        self, q: Any, v: Any, a: Any, *parameters: Any, frame: str, out: Any = None
    ) -> Any:
        """Acceleration of a frame (linear, angular) in world axes, shape (..., 6)."""
        return called(self.kernel("frame_acceleration", frame), q, v, a, *parameters, out=out)
