"""Forces of machines with loops: in the loops, of motors, and of the free joints."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from phalanx.dynamics.compiled import Evaluate, called
from phalanx.dynamics.loop_motions import LoopMotions
from phalanx.equations.loops.numbers.loop_forces import (
    LoopRow,
    LoopWrench,
    loop_rows,
    wrenches_by_loop,
)


class LoopForces(LoopMotions):
    """Forces that go with motions which keep loops closed."""

    def actuation(
        self,
        q: Any,
        v: Any,
        a: Any,
        *extra: Any,
        check: bool = True,
        out: Any = None,
        **named: Any,
    ) -> Any:
        """``(q, v, a) -> (tau, loop_force)``: forces of the ``actuated`` joints, loops closed.

        The motion is that of all joints, see ``complete_motion``.

        Raises:
            InconsistentMotion: The motion opens the loops; not looked for with ``check=False``,
                which gives numbers that mean nothing for such a motion.
            InvalidInput: The motors do not determine the motion at this posture.
        """
        kernel = self.kernel("actuation")
        if check:
            self.check_loops(q, v, a, *extra, **named)
            if self._free_joints == self.actuated:
                self._check_determined(q, extra, named)
        return called(kernel, q, v, a, *extra, out=out, **named)

    @cached_property
    def loop_forces(self) -> Evaluate:
        """``(q, v, tau) -> (a, loop_force)``: accelerations and forces that keep loops closed.

        ``loop_force`` has a number for each closure equation, see ``loop_rows``: Lagrange's
        multipliers in M a + c = tau - Aᵀ lambda. ``loop_wrenches`` makes forces and moments
        of them that have a direction and a point.
        """
        return self.kernel("loop_forces").call

    @cached_property
    def loop_rows(self) -> tuple[LoopRow, ...]:
        """For each number of ``loop_force`` its loop, equation and unit."""
        return loop_rows(self.mechanism)

    def loop_wrenches(self, q: Any, loop_force: Any, *parameters: Any) -> dict[str, LoopWrench]:
        """``(q, loop_force) ->`` loop name to force and moment in it.

        ``loop_force`` is that of ``loop_forces`` or ``actuation``. What the body of ``frame_b``
        exerts on that of ``frame_a``, at the origin of ``frame_a`` and in its axes, and the
        reaction on ``frame_b`` in its own; see :class:`LoopWrench`.
        """
        W = self.kernel("loop_wrenches").call(q, loop_force, *parameters)
        return wrenches_by_loop(self.mechanism, W)

    @cached_property
    def loop_residuals(self) -> Evaluate:
        """``(q, v, a) -> (opening, rate, acceleration)`` of every loop, shape (..., loops) each.

        How far it is open [m or rad], how fast it opens and at what acceleration.
        """
        return self.kernel("loop_residuals").call

    def reduced_inverse_dynamics(
        self, q: Any, v_free: Any, a_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free, a_free) -> tau_free``: forces of the free joints alone, (..., freedoms).

        What ``actuation`` gives for the same motion when the free joints are the motors. Without
        loops it is ``inverse_dynamics``.
        """
        return self._reduced("inverse_dynamics", (q, v_free, a_free), extra, check, out)

    def reduced_mass_matrix(self, q: Any, *extra: Any, check: bool = True, out: Any = None) -> Any:
        """``(q) -> M_free``: inertia that the free joints feel, (..., freedoms, freedoms).

        v_freeᵀ M_free v_free / 2 is the kinetic energy of the machine. Without loops it is
        ``mass_matrix``.
        """
        return self._reduced("mass_matrix", (q,), extra, check, out)

    def reduced_bias(
        self, q: Any, v_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free) -> c_free``: forces of the free joints that keep their velocities.

        M_free a_free + c_free = tau_free, shape (..., freedoms). Without loops it is ``bias``.
        """
        return self._reduced("bias", (q, v_free), extra, check, out)

    def reduced_gravity(self, q: Any, *extra: Any, check: bool = True, out: Any = None) -> Any:
        """``(q) -> g_free``: forces of the free joints that hold the machine still.

        Shape (..., freedoms). Without loops it is ``gravity``.
        """
        return self._reduced("gravity", (q,), extra, check, out)

    def _reduced(
        self, name: str, state: tuple[Any, ...], extra: tuple[Any, ...], check: bool, out: Any
    ) -> Any:
        if not self.mechanism.loops:
            return called(self.kernel(name), *state, *extra, out=out)
        if check:
            self._check_posture(state[0], extra[: len(self.model.parameters.symbols)])
        return called(self.kernel(f"reduced_{name}"), *state, *extra, out=out)
