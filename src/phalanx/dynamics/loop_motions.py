"""Motions of machines with loops: checked, and completed from the motion of some joints."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        self, q: Any, v: Any = None, a: Any = None, *parameters: Any, **named: Any
    ) -> None:
        """Raise InconsistentMotion unless a motion keeps the loops closed.

        Openings may be 1e-6 m or rad, all loops together, their rates 1e-6 of √(1 + |v|²), their
        accelerations 1e-6 of √(1 + |a|² + |v|⁴); 1e-4 in single precision. What is not given is
        not looked at.
        """
        if not self.mechanism.loops:
            return
        still = np.zeros(self.mechanism.nv)
        motion = (q, still if v is None else v, still if a is None else a)
        found = self.kernel("loop_inconsistency").call(*motion, *parameters, **named)
        if a is None:
            found = found[..., :1] if v is None else found[..., :2]
        tolerance = CONSISTENT[self.dtype]
        if not is_within(found, tolerance):
            residuals = self.kernel("loop_residuals").call(*motion, *parameters, **named)
            raise inconsistency_error(self.mechanism, motion, found, residuals, tolerance)

    def complete_motion(
        self, q: Any, v_free: Any, a_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free, a_free) -> (v, a)``: motion of all joints from that of the free ones.

        The free joints are ``independent``, see ``free_velocities``. Results have shape (..., nv).

        Raises:
            InvalidInput: The positions do not close the loops, or the free joints do not determine
                the others there; not looked for with ``check=False``.
        """
        if check:
            self._check_posture(q, extra)
        return called(self.kernel("complete_motion"), q, v_free, a_free, *extra, out=out)

    def complete_motion_of_frame(
        self,
        q: Any,
        V: Any,
        A: Any,
        *extra: Any,
        frame: str,
        check: bool = True,
        out: Any = None,
    ) -> Any:
        """``(q, V, A) -> (v, a, …)``: motion of all joints from that of a frame.

        V and A are velocity and acceleration (linear, angular) of the frame in world axes, shape
        (..., 6), as ``frame_velocity`` and ``frame_acceleration`` give them; v and a have shape
        (..., nv). Further results are ``residual``, how far from V and A the frame then moves,
        shape (..., 2), and ``amplification``, the speed of all joints for unit velocities of the
        frame, shape (...).

        Raises:
            InvalidInput: The frame's motion does not determine that of the machine, or the frame
                cannot move so by more than 1e-6 (1e-4 in single precision) of √(1 + |V|²) and of
                √(1 + |A|² + |V|⁴), or q is open; not looked for with ``check=False``.
        """
        kernel = self.kernel("complete_motion_of_frame", frame)
        result = called(kernel, q, V, A, *extra, out=out)
        if check:
            self.check_loops(q, None, None, *extra)
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
