"""What the free joints of a machine feel with its loops closed."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array
from phalanx.dynamics.compiled import called
from phalanx.dynamics.loop_motions import LoopMotions


class ReducedQuantities(LoopMotions):
    """Dynamics of the free joints alone, see ``free_velocities``; without loops, of all joints.

    With loops, springs are counted in as gravity is, and damping is not; without loops these are
    the quantities of the tree, which know neither (see ``passive_forces``).
    """

    def reduced_inverse_dynamics(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        a_free: ArrayLike,
        *opened: ArrayLike,
        check: bool = True,
        out: Array | None = None,
    ) -> Array:
        """Forces of the free joints alone that produce a motion.

        What ``actuation`` gives for the same motion when the free joints are the motors. Without
        loops it is ``inverse_dynamics``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v_free: Velocities of the free joints, shape (..., freedoms).
            a_free: Accelerations of the free joints, shape (..., freedoms).
            *opened: Open numbers, wrenches, motion of the base; see ``Dynamics``.
            check: Whether to look if q closes the loops and the free joints determine the others.
            out: Array for the result, a new one when not given.

        Returns:
            Forces tau_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> d.reduced_inverse_dynamics(q, [1.0], [0.0]).shape
            (1,)
        """
        return self._reduced("inverse_dynamics", (q, v_free, a_free), opened, check, out)

    def reduced_mass_matrix(
        self, q: ArrayLike, *opened: ArrayLike, check: bool = True, out: Array | None = None
    ) -> Array:
        """Inertia that the free joints feel.

        v_freeᵀ M_free v_free / 2 is the kinetic energy of the machine. Without loops it is
        ``mass_matrix``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            check: Whether to look if q closes the loops and the free joints determine the others.
            out: Array for the result, a new one when not given.

        Returns:
            M_free, shape (..., freedoms, freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [2.0], [0.0])
            >>> np.allclose(d.reduced_mass_matrix(q) * 2.0**2 / 2, d.kinetic_energy(q, v))
            True
        """
        return self._reduced("mass_matrix", (q,), opened, check, out)

    def reduced_bias(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        *opened: ArrayLike,
        check: bool = True,
        out: Array | None = None,
    ) -> Array:
        """Forces of the free joints that keep their velocities.

        M_free a_free + c_free = tau_free. Without loops it is ``bias``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v_free: Velocities of the free joints, shape (..., freedoms).
            *opened: Open numbers of the machine; see ``Dynamics``.
            check: Whether to look if q closes the loops and the free joints determine the others.
            out: Array for the result, a new one when not given.

        Returns:
            Forces c_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> np.allclose(d.reduced_bias(q, [0.0]), d.reduced_gravity(q))
            True
        """
        return self._reduced("bias", (q, v_free), opened, check, out)

    def reduced_gravity(
        self, q: ArrayLike, *opened: ArrayLike, check: bool = True, out: Array | None = None
    ) -> Array:
        """Forces of the free joints that hold the machine still against gravity and springs.

        Without loops it is ``gravity``, which knows no springs.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            check: Whether to look if q closes the loops and the free joints determine the others.
            out: Array for the result, a new one when not given.

        Returns:
            Forces g_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> d.reduced_gravity(px.assemble(d.mechanism).q).shape
            (1,)
        """
        return self._reduced("gravity", (q,), opened, check, out)

    def _reduced(
        self, name: str, state: tuple[Any, ...], opened: tuple[Any, ...], check: bool, out: Any
    ) -> Any:
        if not self.mechanism.loops:
            return called(self.kernel(name), *state, *opened, out=out)
        if check:
            self._check_posture(state[0], opened[: len(self.model.parameters.symbols)])
        return called(self.kernel(f"reduced_{name}"), *state, *opened, out=out)
