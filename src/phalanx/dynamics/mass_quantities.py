# what is written here describes; the bodies are kernels
# mypy: disable-error-code="empty-body"
"""The mass matrix of the spanning tree, its inverse, and products with both."""

from __future__ import annotations

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array
from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.dynamics.quantity_method import compiled, of_the_tree


class MassQuantities(CompiledQuantities):
    """Inertia along the joints; with loops, as if these were cut open."""

    @compiled
    def mass_matrix(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Mass matrix M(q), with which kinetic energy is vᵀ M v / 2.

        With loops: of the spanning tree; ``reduced_mass_matrix`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            M [kg, kg·m or kg·m²], shape (..., nv, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> M, v = d.mass_matrix([0.1, 0.2]), np.array([1.0, -1.0])
            >>> np.allclose(v @ M @ v / 2, d.kinetic_energy([0.1, 0.2], v))
            True
        """

    @compiled
    def mass_matrix_inverse(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """The inverse of the mass matrix, M(q)⁻¹: accelerations by joint forces.

        ``mass_solve`` multiplies with it without forming it, in less time. With loops: of the
        spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            M⁻¹ [1/kg, 1/(kg·m) or 1/(kg·m²)], shape (..., nv, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q = [0.1, 0.2]
            >>> np.allclose(d.mass_matrix_inverse(q) @ d.mass_matrix(q), np.eye(2))
            True
        """

    @compiled
    def mass_times(
        self,
        q: ArrayLike,
        x: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """M(q) x without forming M, in linear time.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            x: Accelerations or velocities, shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Joint forces or impulses M x, shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, x = [0.1, 0.2], [1.0, 0.0]
            >>> np.allclose(d.mass_times(q, x), d.mass_matrix(q) @ x)
            True
        """

    @compiled
    def mass_solve(
        self,
        q: ArrayLike,
        f: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """M(q)⁻¹ f without forming M, in linear time.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            f: Joint forces [N or N·m] or impulses, shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Accelerations or velocities M⁻¹ f, shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, x = [0.1, 0.2], [1.0, 0.0]
            >>> np.allclose(d.mass_solve(q, d.mass_times(q, x)), x)
            True
        """

    tree_mass_matrix = of_the_tree(mass_matrix)
    tree_mass_matrix_inverse = of_the_tree(mass_matrix_inverse)
    tree_mass_times = of_the_tree(mass_times)
    tree_mass_solve = of_the_tree(mass_solve)
