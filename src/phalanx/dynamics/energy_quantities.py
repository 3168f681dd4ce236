# what is written here describes; the bodies are kernels
# mypy: disable-error-code="empty-body"
"""Energy and momentum of the machine, and what its springs and dampers do."""

from __future__ import annotations

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array
from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.dynamics.quantity_method import compiled


class EnergyQuantities(CompiledQuantities):
    """Sums over all bodies that can move; loops change nothing about them."""

    @compiled
    def energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Mechanical energy: kinetic plus potential, springs included.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            E [J], shape (...).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = [0.1, 0.2], [1.0, -1.0]
            >>> np.allclose(d.energy(q, v), d.kinetic_energy(q, v) + d.potential_energy(q))
            True
        """

    @compiled
    def passive_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Joint forces of springs and dampers, in joints and between frames.

        Rigid-body dynamics has none of them: add them to what motors do.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Joint forces [N or N·m], shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v, tau = np.array([0.1, 0.2]), np.array([1.0, -1.0]), np.zeros(2)
            >>> a = d.forward_dynamics(q, v, tau + d.passive_forces(q, v))
            >>> a.shape
            (2,)
        """

    @compiled
    def kinetic_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Kinetic energy vᵀ M v / 2, that of geared rotors included.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            T [J], shape (...).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.kinetic_energy(np.zeros((5, 2)), [1.0, 0.0]).shape
            (5,)
        """

    @compiled
    def potential_energy(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Energy in gravity of everything that can move; zero at the root's origin.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            U [J], shape (...).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> bool(d.potential_energy([0.0, 0.0]) < d.potential_energy([np.pi, 0.0]))
            True
        """

    @compiled
    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Linear momentum, and angular momentum about the centre of mass, in world axes.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Linear [N·s], then angular [N·m·s], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.momentum(np.zeros((5, 2)), [1.0, 0.0]).shape
            (5, 6)
        """

    @compiled
    def center_of_mass(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Centre of mass of everything that can move, in the world.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Position [m], shape (..., 3).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.center_of_mass(np.zeros((5, 2))).shape
            (5, 3)
        """
