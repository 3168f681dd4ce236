"""Forces of machines with loops: in the loops, and of motors."""

from __future__ import annotations

from numpy.typing import ArrayLike

from phalanx.base.cached import cached_property
from phalanx.dynamics.array_types import Actuation, Array, LoopedMotion, LoopResiduals
from phalanx.dynamics.compiled import called
from phalanx.dynamics.loop_motions import LoopMotions
from phalanx.dynamics.quantity_method import compiled
from phalanx.equations.expression import identifier
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
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        check: bool = True,
        out: tuple[Array, Array] | None = None,
        **named: ArrayLike,
    ) -> Actuation:
        """Forces of the ``actuated`` joints that produce a motion, loops closed.

        Springs are counted in, as gravity is; damping and friction are not.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities of all joints, shape (..., nv); see ``complete_motion``.
            a: Accelerations of all joints, shape (..., nv).
            *opened: Open numbers, wrenches, motion of the base; see ``Dynamics``.
            check: Whether to look if the motion keeps the loops closed; without it, numbers for one
                that does not mean nothing.
            out: Arrays for both results, new ones when not given.
            **named: The same by name.

        Returns:
            ``tau`` [N or N·m], shape (..., motors), and ``loop_force``, see ``loop_rows``.

        Raises:
            InconsistentMotion: The motion opens the loops.
            InvalidInput: The motors do not determine the motion at this posture.

        Example:
            >>> d = px.Dynamics(px.library.four_bar(), actuated=["crank"])
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [1.0], [0.0])
            >>> d.actuation(q, v, a).tau.shape
            (1,)
        """
        kernel = self.kernel("actuation")
        if check:
            count = len(self.model.parameters.symbols)
            names = {identifier(name) for name in self.model.parameters.symbols}
            numbers = {name: value for name, value in named.items() if name in names}
            self.check_loops(q, v, a, *opened[:count], **numbers)
            if self._free_joints == self.actuated:
                self._check_determined(q, opened[:count], numbers)
        return called(kernel, q, v, a, *opened, out=out, **named)

    @compiled
    def loop_forces(  # type: ignore[empty-body]
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *opened: ArrayLike,
        out: tuple[Array, Array] | None = None,
        **named: ArrayLike,
    ) -> LoopedMotion:
        """Accelerations under joint forces, and the forces that keep loops closed.

        ``loop_force`` has a number for each closure equation, see ``loop_rows``: Lagrange's
        multipliers in M a + c = tau - Aᵀ lambda. ``loop_wrenches`` makes forces and moments
        of them that have a direction and a point.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            tau: Joint forces [N or N·m], shape (..., nv).
            *opened: Open numbers, wrenches, motion of the base; see ``Dynamics``.
            out: Arrays for both results, new ones when not given.
            **named: The same by name.

        Returns:
            ``a``, shape (..., nv), and ``loop_force``, shape (..., closure equations).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q, none = px.assemble(d.mechanism).q, np.zeros(d.mechanism.nv)
            >>> a, loop_force = d.loop_forces(q, none, none)
            >>> np.allclose(a, d.forward_dynamics(q, none, none))
            True
        """

    @cached_property
    def loop_rows(self) -> tuple[LoopRow, ...]:
        """For each number of ``loop_force`` its loop, equation and unit."""
        return loop_rows(self.mechanism)

    def loop_wrenches(
        self, q: ArrayLike, loop_force: ArrayLike, *opened: ArrayLike
    ) -> dict[str, LoopWrench]:
        """Force and moment in every loop.

        What the body of ``frame_b`` exerts on that of ``frame_a``, at the origin of ``frame_a`` and
        in its axes, and the reaction on ``frame_b`` in its own; see :class:`LoopWrench`.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            loop_force: That of ``loop_forces`` or ``actuation``.
            *opened: Open numbers of the machine; see ``Dynamics``.

        Returns:
            Loop name to wrench.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q, none = px.assemble(d.mechanism).q, np.zeros(d.mechanism.nv)
            >>> wrenches = d.loop_wrenches(q, d.loop_forces(q, none, none).loop_force)
            >>> wrenches.keys() == {loop.name for loop in d.mechanism.loops}
            True
        """
        W = self.kernel("loop_wrenches").call(q, loop_force, *opened)
        return wrenches_by_loop(self.mechanism, W)

    @compiled
    def loop_residuals(  # type: ignore[empty-body]
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        out: tuple[Array, Array, Array] | None = None,
        **named: ArrayLike,
    ) -> LoopResiduals:
        """How far every loop is open, how fast it opens and at what acceleration.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Arrays for the three results, new ones when not given.
            **named: The same by name.

        Returns:
            ``opening`` [m or rad], ``rate`` and ``acceleration``, shape (..., loops) each.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q, none = px.assemble(d.mechanism).q, np.zeros(d.mechanism.nv)
            >>> bool((d.loop_residuals(q, none, none).opening < 1e-9).all())
            True
        """
