# what is written here describes; the bodies are kernels
# mypy: disable-error-code="empty-body"
"""Positions: along motions, between each other, and where they put the bodies."""

from __future__ import annotations

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array
from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.dynamics.quantity_method import compiled


class ConfigurationQuantities(CompiledQuantities):
    """Positions may be no vectors (quaternions); displacements along the velocities always are.

    Loops are not looked at: between two postures that close them lie others that do not.
    """

    @compiled
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The positions reached from ``q`` by a displacement along the velocities.

        Each joint moves along its own group, so quaternions stay of length one.
        ``integrate(q, v * h)`` is an explicit Euler step of length h.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Displacements [m or rad], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Positions, shape (..., nq).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.integrate([0.5, 0.25], [1.0, -0.25])
            array([1.5, 0. ])
        """

    @compiled
    def difference(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The displacement that leads from ``q0`` to ``q1``, along the velocities.

        ``integrate(q0, difference(q0, q1))`` is the posture of ``q1``. Quaternions and planar
        joints turn the shorter way, by half a turn at most; hinges count turns, so theirs is
        q1 - q0 whatever it is.

        Args:
            q0: Positions [m or rad] to start from, shape (..., nq).
            q1: Positions [m or rad] to reach, shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Displacements [m or rad], in the axes of velocities, shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.with_floating_base(px.library.double_pendulum()))
            >>> q0, q1 = d.mechanism.random_positions(2, seed=0)
            >>> d.difference(q0, q1).shape
            (8,)
            >>> np.allclose(d.difference(q0, d.integrate(q0, np.full(8, 0.1))), 0.1)
            True
        """

    @compiled
    def interpolate(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        s: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Positions on the way from ``q0`` to ``q1`` at constant velocity.

        ``integrate(q0, s * difference(q0, q1))``: all joints start and arrive together.

        Args:
            q0: Positions [m or rad] at s = 0, shape (..., nq).
            q1: Positions [m or rad] at s = 1, shape (..., nq).
            s: How much of the way [1], shape (...); outside of 0 … 1 the motion goes on.
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Positions, shape (..., nq).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.interpolate([0.0, 1.0], [1.0, 3.0], np.linspace(0, 1, 3))
            array([[0. , 1. ],
                   [0.5, 2. ],
                   [1. , 3. ]])
        """

    @compiled
    def body_poses(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Poses of all bodies in the world, in the order of ``mechanism.bodies``.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Homogeneous matrices, shape (..., bodies, 4, 4).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.body_poses([0.1, 0.2]).shape
            (3, 4, 4)
        """
