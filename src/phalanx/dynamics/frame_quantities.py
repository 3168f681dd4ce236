"""Quantities of a frame."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array
from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.equations.quantities.axes import ALIGNED, Axes


class FrameQuantities(CompiledQuantities):
    """Where a frame of the machine is and how it moves.

    Velocities and Jacobians list the linear part first. ``axes`` says what the linear part is of
    and along which axes; names and meanings are Pinocchio's:

    - ``"local_world_aligned"``: the velocity of the frame's origin, along the axes of the world.
    - ``"local"``: the same velocity along the frame's own axes, as an observer on it says it.
    - ``"world"``: along the axes of the world, but the velocity of that point of the body (as if it
      were large enough) that is at the world's origin, not at the frame's: a spatial velocity.
    """

    def forward_kinematics(
        self,
        q: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Pose of a frame in the world.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            out: Array for the result, a new one when not given.
            **named: Open numbers by name.

        Returns:
            Homogeneous matrix, shape (..., 4, 4).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.forward_kinematics([0.1, 0.2], frame="tip")[:3, 3].shape
            (3,)
        """
        return self._of_frame("forward_kinematics", frame, None, (q, *opened), out, named)

    def jacobian(
        self,
        q: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Jacobian of a frame: (velocity, angular velocity) = J(q) v.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            axes: ``"local_world_aligned"`` (velocity of the frame's origin, world axes),
                ``"local"`` (the same, frame axes) or ``"world"`` (spatial: at the world's origin).
            out: Array for the result, a new one when not given.
            **named: Open numbers by name.

        Returns:
            Rows linear x, y, z, angular x, y, z; shape (..., 6, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = [0.1, 0.2], [1.0, -1.0]
            >>> J = d.jacobian(q, frame="tip", axes="local")
            >>> np.allclose(J @ v, d.frame_velocity(q, v, frame="tip", axes="local"))
            True
        """
        return self._of_frame("jacobian", frame, axes, (q, *opened), out, named)

    def jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Time derivative of ``jacobian`` in the same axes, entry by entry.

        In ``"local_world_aligned"`` axes, ``frame_acceleration`` is J a + dJ v.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            axes: As of ``jacobian``.
            out: Array for the result, a new one when not given.
            **named: Open numbers by name.

        Returns:
            dJ, shape (..., 6, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.jacobian_rate([0.1, 0.2], [1.0, -1.0], frame="tip").shape
            (6, 2)
        """
        return self._of_frame("jacobian_rate", frame, axes, (q, v, *opened), out, named)

    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Velocity and angular velocity of a frame.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            axes: ``"local_world_aligned"`` (velocity of the frame's origin, world axes),
                ``"local"`` (the same, frame axes) or ``"world"`` (spatial: at the world's origin).
            out: Array for the result, a new one when not given.
            **named: Open numbers by name.

        Returns:
            Linear [m/s], then angular [rad/s], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.frame_velocity(np.zeros((5, 2)), [1.0, 0.0], frame="tip").shape
            (5, 6)
        """
        return self._of_frame("frame_velocity", frame, axes, (q, v, *opened), out, named)

    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Acceleration of a frame's origin and angular acceleration, in world axes.

        As an observer in the world sees it; an accelerometer on the frame reads this less gravity.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            out: Array for the result, a new one when not given.
            **named: Open numbers by name.

        Returns:
            Linear [m/s²], then angular [rad/s²], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.frame_acceleration([0.1, 0.2], [0.0, 0.0], [1.0, 0.0], frame="tip").shape
            (6,)
        """
        return self._of_frame("frame_acceleration", frame, None, (q, v, a, *opened), out, named)

    def _of_frame(
        self,
        name: str,
        frame: str,
        axes: Axes | None,
        arguments: tuple[ArrayLike, ...],
        out: Array | None,
        named: dict[str, ArrayLike],
    ) -> Any:
        try:
            kernel = self._kernels[name, frame, axes]
        except (KeyError, TypeError):  # not made yet, or no name at all
            kernel = self.kernel(name, frame, axes)
        # without keywords where there are none: these take another, slower way
        if out is not None:
            named["out"] = out
        return kernel.call(*arguments, **named)
