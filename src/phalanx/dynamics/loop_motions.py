"""Motions of machines with loops: checked, and completed from the motion of some joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array, JointMotion, MotionOfFrame
from phalanx.dynamics.compiled import CompiledQuantities, called
from phalanx.equations.loops.numbers.consistency import (
    CONSISTENT,
    check_determined,
    check_frame_moves,
    inconsistency_error,
    is_within,
)


class LoopMotions(CompiledQuantities):
    """Motions that keep loops closed."""

    def check_loops(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *opened: ArrayLike,
        **named: ArrayLike,
    ) -> None:
        """Raise InconsistentMotion unless a motion keeps the loops closed.

        Openings may be 1e-6 m or rad, all loops together, their rates 1e-6 of √(1 + |v|²), their
        accelerations 1e-6 of √(1 + |a|² + |v|⁴); 1e-4 in single precision.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv); not looked at when not given.
            a: Accelerations [m/s² or rad/s²], shape (..., nv); not looked at when not given.
            *opened: Open numbers of the machine; see ``Dynamics``.
            **named: The same by name.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> d.check_loops(px.assemble(d.mechanism).q)
        """
        if not self.mechanism.loops:
            return
        still = np.zeros(self.mechanism.nv)
        motion = (q, still if v is None else v, still if a is None else a)
        found = self.kernel("loop_inconsistency").call(*motion, *opened, **named)
        if a is None:
            found = found[..., :1] if v is None else found[..., :2]
        tolerance = CONSISTENT[self.dtype]
        if not is_within(found, tolerance):
            residuals = self.kernel("loop_residuals").call(*motion, *opened, **named)
            raise inconsistency_error(self.mechanism, motion, found, residuals, tolerance)

    def complete_motion(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        a_free: ArrayLike,
        *opened: ArrayLike,
        check: bool = True,
        out: tuple[Array, Array] | None = None,
    ) -> JointMotion:
        """Motion of all joints from that of the free ones.

        The free joints are ``independent``, see ``free_velocities``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v_free: Velocities of the free joints, shape (..., freedoms).
            a_free: Accelerations of the free joints, shape (..., freedoms).
            *opened: Open numbers of the machine; see ``Dynamics``.
            check: Whether to look if q closes the loops and the free joints determine the others.
            out: Arrays for both results, new ones when not given.

        Returns:
            ``v`` [m/s or rad/s] and ``a`` [m/s² or rad/s²], shape (..., nv) each.

        Raises:
            InvalidInput: What ``check`` looks for is not so.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [1.0], [0.0])
            >>> d.check_loops(q, v, a)
        """
        if check:
            self._check_posture(q, opened)
        return called(self.kernel("complete_motion"), q, v_free, a_free, *opened, out=out)

    def complete_motion_of_frame(
        self,
        q: ArrayLike,
        V: ArrayLike,
        A: ArrayLike,
        *opened: ArrayLike,
        frame: str,
        check: bool = True,
        out: tuple[Array, Array, Array, Array] | None = None,
    ) -> MotionOfFrame:
        """Motion of all joints from that of a frame.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            V: Velocity of the frame (linear, angular) in world axes, shape (..., 6), as
                ``frame_velocity`` gives it.
            A: Its acceleration, shape (..., 6), as ``frame_acceleration`` gives it.
            *opened: Open numbers of the machine; see ``Dynamics``.
            frame: Name of a frame or body.
            check: Whether to look if q closes the loops and the frame can move so.
            out: Arrays for the four results, new ones when not given.

        Returns:
            ``v`` and ``a``, shape (..., nv) each; ``residual``, how far from V and A the frame then
            moves, shape (..., 2); ``amplification``, the speed of all joints for unit velocities of
            the frame, shape (...).

        Raises:
            InvalidInput: The frame's motion does not determine that of the machine, or the frame
                cannot move so by more than 1e-6 (1e-4 in single precision) of √(1 + |V|²) and of
                √(1 + |A|² + |V|⁴), or q is open; not looked for with ``check=False``.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [1.0], [0.0])
            >>> V = d.frame_velocity(q, v, frame="coupler")
            >>> A = d.frame_acceleration(q, v, a, frame="coupler")
            >>> np.allclose(d.complete_motion_of_frame(q, V, A, frame="coupler").v, v)
            True
        """
        kernel = self.kernel("complete_motion_of_frame", frame)
        result: MotionOfFrame = called(kernel, q, V, A, *opened, out=out)
        if check:
            self.check_loops(q, None, None, *opened)
            found, tolerance = (result.residual, result.amplification), CONSISTENT[self.dtype]
            check_frame_moves(self.model, frame, (q, V, A), *found, tolerance)
        return result

    def _check_posture(self, q: Any, parameters: tuple[Any, ...]) -> None:
        """InvalidInput unless loops are closed and the free joints determine the others."""
        if self.mechanism.loops:
            self.check_loops(q, None, None, *parameters)
            self._check_determined(q, parameters, {})

    def _check_determined(self, q: Any, parameters: tuple[Any, ...], named: dict[str, Any]) -> None:
        found = self.kernel("free_amplification").call(q, *parameters, **named)
        check_determined(self.mechanism, self.free_velocities, found)
