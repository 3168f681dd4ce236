"""The front door: every quantity of a mechanism as a compiled, batched function."""

from __future__ import annotations

from typing import final

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array, ForwardDerivatives
from phalanx.dynamics.by_description import ByDescription
from phalanx.dynamics.configuration_quantities import ConfigurationQuantities
from phalanx.dynamics.energy_quantities import EnergyQuantities
from phalanx.dynamics.frame_quantities import FrameQuantities
from phalanx.dynamics.loop_forces import LoopForces
from phalanx.dynamics.mass_quantities import MassQuantities
from phalanx.dynamics.quantities import INVERTING, OF_THE_TREE
from phalanx.dynamics.quantity_method import compiled
from phalanx.dynamics.reduced_quantities import ReducedQuantities
from phalanx.dynamics.tree_quantities import TreeQuantities
from phalanx.equations.quantities.axes import ALIGNED
from phalanx.mechanism.describe import describe


@final
class Dynamics(
    TreeQuantities,
    MassQuantities,
    EnergyQuantities,
    ConfigurationQuantities,
    FrameQuantities,
    LoopForces,
    ReducedQuantities,
    ByDescription,
):
    """All quantities of a mechanism, compiled on first use and kept in a disk cache.

    Every quantity takes arrays of shape ``(..., n)``; leading axes are batch axes and broadcast
    together. Results come back in new arrays or in ``out=``. Symbols kept open by ``parameters``,
    ``wrenches`` and ``moving_base`` are further arguments, in that order, batched like the rest;
    ``inspect.signature(d.inverse_dynamics)`` lists those of an object by name, and
    ``help(d.inverse_dynamics)`` their shapes.

    A machine with loops has some quantities twice. ``inverse_dynamics``, ``mass_matrix``,
    ``mass_matrix_inverse``, ``mass_times``, ``mass_solve``, ``bias``, ``gravity``,
    ``coriolis_matrix``, ``inverse_dynamics_derivatives`` and ``regressor`` are those of its
    spanning tree, as if the loops were cut open; their full names begin with ``tree_``.
    ``reduced_...`` are what the free joints feel with closed loops, and ``actuation`` what motors
    do. Forward dynamics, energies and quantities of frames are those of the machine itself.
    ``actuation``, ``complete_...`` and ``reduced_...`` check that what they are given closes the
    loops; ``check=False`` leaves that out.

    Two are equal when machine and options are; a pickle has these and no machine code.

    >>> d = Dynamics(library.puma560())
    >>> tau = d.inverse_dynamics(q, v, a)
    """

    # -- of the machine itself, loops closed -----------------------------------------------------

    @compiled
    def forward_dynamics(  # type: ignore[empty-body]
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Accelerations under joint forces: M(q) a + c(q, v) = tau.

        With loops: of the machine, at states that close them.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            tau: Joint forces [N or N·m], shape (..., nv).
            *opened: Open numbers, wrenches, motion of the base; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Accelerations a [m/s² or rad/s²], shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = np.array([0.1, 0.2]), np.array([1.0, -1.0])
            >>> a = d.forward_dynamics(q, v, [0.5, 0.0])
            >>> np.allclose(d.inverse_dynamics(q, v, a), [0.5, 0.0])
            True
        """

    @compiled
    def forward_dynamics_derivatives(  # type: ignore[empty-body]
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *opened: ArrayLike,
        out: tuple[Array, Array, Array] | None = None,
        **named: ArrayLike,
    ) -> ForwardDerivatives:
        """Derivatives of ``forward_dynamics`` by positions, velocities and forces; without loops.

        Those by positions are along displacements as ``integrate`` takes them, so that all are
        square, also where positions are quaternions.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            tau: Joint forces [N or N·m], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Arrays for the three results, new ones when not given.
            **named: The same by name.

        Returns:
            ``da_dq``, ``da_dv`` and ``da_dtau`` (M⁻¹), shape (..., nv, nv) each.

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v, tau = [0.1, 0.2], [1.0, -1.0], [0.0, 2.0]
            >>> found = d.forward_dynamics_derivatives(q, v, tau)
            >>> np.allclose(found.da_dtau, d.mass_matrix_inverse(q))
            True
        """

    # -- to look at ------------------------------------------------------------------------------

    def full_name(self, name: str) -> str:
        """The name of a quantity that says whether it is one of the spanning tree only."""
        return f"tree_{name}" if self.mechanism.loops and name in OF_THE_TREE else name

    def info(self) -> str:
        """The tree, the sizes and the operation counts of the main quantities, as text."""
        machine = self._long.described() if self._is_long else describe(self.mechanism)
        lines = [machine, "", "operations of one evaluation:"]
        main = (
            "inverse_dynamics",
            "forward_dynamics",
            "mass_matrix",
            "inverse_dynamics_derivatives",
            *(("reduced_inverse_dynamics", "reduced_mass_matrix") if self.mechanism.loops else ()),
        )
        lines += [
            f"  {self.full_name(name):<34} {self.operations(name)}"
            for name in main
            if not (self.singular_joints and name in INVERTING) and not self.is_too_large(name)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """One line: the machine and what is compiled so far."""
        usual = (None, ALIGNED)
        made = ", ".join(
            name + (f"[{frame}]" if frame else "") + (f" ({axes})" if axes not in usual else "")
            for name, frame, axes in self._kernels
        )
        m = self.mechanism
        return (
            f"<Dynamics of '{m.name}': nq={m.nq}, nv={m.nv}, {self.dtype}, "
            f"forward by {self.forward_name}; compiled: {made or 'nothing yet'}>"
        )
