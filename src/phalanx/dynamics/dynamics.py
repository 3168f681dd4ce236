"""The front door: every quantity of a mechanism as a compiled, batched function."""

from __future__ import annotations

from functools import cached_property
from typing import final

from phalanx.dynamics.compiled import Evaluate
from phalanx.dynamics.frame_quantities import FrameQuantities
from phalanx.dynamics.loop_forces import LoopForces
from phalanx.dynamics.quantities import INVERTING, OF_THE_TREE
from phalanx.dynamics.tree_quantities import TreeQuantities
from phalanx.mechanism.describe import describe


@final
class Dynamics(TreeQuantities, LoopForces, FrameQuantities):
    """All quantities of a mechanism, compiled on first use and kept in a disk cache.

    Every quantity takes arrays of shape ``(..., n)``; leading axes are batch axes and broadcast
    together. Results come back in new arrays or in ``out=``. Symbols kept open by ``parameters``,
    ``wrenches`` and ``moving_base`` are further arguments, in that order, batched like the rest.

    A machine with loops has some quantities twice. ``inverse_dynamics``, ``mass_matrix``,
    ``mass_times``, ``mass_solve``, ``bias``, ``gravity``, ``coriolis_matrix``,
    ``inverse_dynamics_derivatives`` and ``regressor`` are those of its spanning tree, as if the
    loops were cut open; their full names begin with ``tree_``.
    ``reduced_...`` are what the free joints feel with closed loops, and ``actuation`` what motors
    do. Forward dynamics, energies and quantities of frames are those of the machine itself.
    ``actuation``, ``complete_...`` and ``reduced_...`` check that what they are given closes the
    loops; ``check=False`` leaves that out.

    >>> d = Dynamics(library.puma560())
    >>> tau = d.inverse_dynamics(q, v, a)
    """

    # -- of the machine itself, loops closed -----------------------------------------------------

    @cached_property
    def forward_dynamics(self) -> Evaluate:
        """``(q, v, tau) -> a``: accelerations under joint forces, shape (..., nv).

        With loops: of the machine, at states that close them.
        """
        return self.kernel("forward_dynamics").call

    @cached_property
    def forward_dynamics_derivatives(self) -> Evaluate:
        """``(q, v, tau) -> (da_dq, da_dv, da_dtau)``, each (..., nv, nv)."""
        return self.kernel("forward_dynamics_derivatives").call

    @cached_property
    def passive_forces(self) -> Evaluate:
        """``(q, v) -> tau``: joint forces of springs and dampers, shape (..., nv).

        Rigid-body dynamics has none of them: ``forward_dynamics(q, v, tau + passive_forces)`` does.
        """
        return self.kernel("passive_forces").call

    @cached_property
    def energy(self) -> Evaluate:
        """``(q, v) -> E``: kinetic plus potential energy [J], springs included, shape (...)."""
        return self.kernel("energy").call

    @cached_property
    def kinetic_energy(self) -> Evaluate:
        """``(q, v) -> T`` [J], shape (...)."""
        return self.kernel("kinetic_energy").call

    @cached_property
    def potential_energy(self) -> Evaluate:
        """``(q) -> U`` [J], in gravity and in springs, shape (...)."""
        return self.kernel("potential_energy").call

    @cached_property
    def momentum(self) -> Evaluate:
        """``(q, v) -> `` linear momentum, and angular about the centre of mass, (..., 6)."""
        return self.kernel("momentum").call

    @cached_property
    def center_of_mass(self) -> Evaluate:
        """``(q) -> com`` [m], shape (..., 3)."""
        return self.kernel("center_of_mass").call

    @cached_property
    def integrate(self) -> Evaluate:
        """``(q, d) -> q``: the position after a displacement d along the velocities, (..., nq)."""
        return self.kernel("integrate").call

    @cached_property
    def body_poses(self) -> Evaluate:
        """``(q) -> X``: poses of all ``mechanism.bodies`` in the root, (..., bodies, 4, 4)."""
        return self.kernel("body_poses").call

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
        compiled = ", ".join(
            name if frame is None else f"{name}[{frame}]" for name, frame in self._kernels
        )
        m = self.mechanism
        return (
            f"<Dynamics of '{m.name}': nq={m.nq}, nv={m.nv}, {self.dtype}, "
            f"forward by {self.forward_name}; compiled: {compiled or 'nothing yet'}>"
        )
