"""Quantities of the spanning tree, in which loops are open."""

from __future__ import annotations

from functools import cached_property

from phalanx.dynamics.compiled import CompiledQuantities, Evaluate


class TreeQuantities(CompiledQuantities):
    """Those of the machine where it has no loops; with loops, as if these were cut open.

    Each has a short name, and a full one that says so.
    """

    @cached_property
    def inverse_dynamics(self) -> Evaluate:
        """``(q, v, a) -> tau``: joint forces that produce accelerations ``a``, shape (..., nv).

        With loops: of the spanning tree, the forces with which nothing goes through the loops.
        ``actuation`` and ``reduced_inverse_dynamics`` are those of the machine.
        """
        return self.kernel("inverse_dynamics").call

    @cached_property
    def mass_matrix(self) -> Evaluate:
        """``(q) -> M``, shape (..., nv, nv).

        With loops: of the spanning tree; ``reduced_mass_matrix`` is that of the machine.
        """
        return self.kernel("mass_matrix").call

    @cached_property
    def mass_times(self) -> Evaluate:
        """``(q, x) -> M x`` without forming M, shape (..., nv); of the spanning tree."""
        return self.kernel("mass_times").call

    @cached_property
    def mass_solve(self) -> Evaluate:
        """``(q, f) -> M⁻¹ f`` without forming M, shape (..., nv); of the spanning tree."""
        return self.kernel("mass_solve").call

    @cached_property
    def bias(self) -> Evaluate:
        """``(q, v) -> c``: Coriolis, centrifugal and gravity forces, shape (..., nv).

        With loops: of the spanning tree; ``reduced_bias`` is that of the machine.
        """
        return self.kernel("bias").call

    @cached_property
    def gravity(self) -> Evaluate:
        """``(q) -> g``: joint forces that hold the machine still, shape (..., nv).

        With loops: of the spanning tree; ``reduced_gravity`` is that of the machine.
        """
        return self.kernel("gravity").call

    @cached_property
    def coriolis_matrix(self) -> Evaluate:
        """``(q, v) -> C`` with dM/dt - 2C skew, shape (..., nv, nv); of the spanning tree."""
        return self.kernel("coriolis_matrix").call

    @cached_property
    def inverse_dynamics_derivatives(self) -> Evaluate:
        """``(q, v, a) -> (dtau_dq, dtau_dv, dtau_da)``, each (..., nv, nv); of the tree."""
        return self.kernel("inverse_dynamics_derivatives").call

    @cached_property
    def regressor(self) -> Evaluate:
        """``(q, v, a) -> Y``, linear in ten inertial parameters a body, (..., nv, 10·bodies).

        With loops: of the spanning tree.
        """
        return self.kernel("regressor").call

    @property
    def tree_inverse_dynamics(self) -> Evaluate:
        """``(q, v, a) -> tau`` of the spanning tree: the same as ``inverse_dynamics``."""
        return self.inverse_dynamics

    @property
    def tree_mass_matrix(self) -> Evaluate:
        """``(q) -> M`` of the spanning tree: the same as ``mass_matrix``."""
        return self.mass_matrix

    @property
    def tree_mass_times(self) -> Evaluate:
        """``(q, x) -> M x`` of the spanning tree: the same as ``mass_times``."""
        return self.mass_times

    @property
    def tree_mass_solve(self) -> Evaluate:
        """``(q, f) -> M⁻¹ f`` of the spanning tree: the same as ``mass_solve``."""
        return self.mass_solve

    @property
    def tree_bias(self) -> Evaluate:
        """``(q, v) -> c`` of the spanning tree: the same as ``bias``."""
        return self.bias

    @property
    def tree_gravity(self) -> Evaluate:
        """``(q) -> g`` of the spanning tree: the same as ``gravity``."""
        return self.gravity

    @property
    def tree_coriolis_matrix(self) -> Evaluate:
        """``(q, v) -> C`` of the spanning tree: the same as ``coriolis_matrix``."""
        return self.coriolis_matrix

    @property
    def tree_inverse_dynamics_derivatives(self) -> Evaluate:
        """``inverse_dynamics_derivatives``, which is that of the spanning tree."""
        return self.inverse_dynamics_derivatives

    @property
    def tree_regressor(self) -> Evaluate:
        """``(q, v, a) -> Y`` of the spanning tree: the same as ``regressor``."""
        return self.regressor
