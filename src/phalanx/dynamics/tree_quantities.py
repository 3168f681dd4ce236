# what is written here describes; the bodies are kernels
# mypy: disable-error-code="empty-body"
"""Forces of the spanning tree, in which loops are open."""

from __future__ import annotations

from numpy.typing import ArrayLike

from phalanx.dynamics.array_types import Array, InverseDerivatives
from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.dynamics.quantity_method import compiled, of_the_tree


class TreeQuantities(CompiledQuantities):
    """Those of the machine where it has no loops; with loops, as if these were cut open.

    Each has a short name, and a full one that says so.
    """

    @compiled
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Joint forces that produce accelerations: tau = M(q) a + c(q, v).

        With loops: of the spanning tree, the forces with which nothing goes through the loops.
        ``actuation`` and ``reduced_inverse_dynamics`` are those of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            *opened: Open numbers, wrenches, motion of the base; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Joint forces tau [N or N·m], shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.inverse_dynamics(np.zeros((100, 2)), [0.0, 0.0], [1.0, 0.0]).shape
            (100, 2)
        """

    @compiled
    def bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Joint forces at zero acceleration: Coriolis, centrifugal and gravity, c(q, v).

        With loops: of the spanning tree; ``reduced_bias`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Joint forces c [N or N·m], shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = [0.1, 0.2], [1.0, -1.0]
            >>> np.allclose(d.bias(q, v), d.inverse_dynamics(q, v, [0.0, 0.0]))
            True
        """

    @compiled
    def gravity(
        self, q: ArrayLike, *opened: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Joint forces that hold the machine still against gravity, g(q).

        With loops: of the spanning tree; ``reduced_gravity`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Joint forces g [N or N·m], shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> hold = np.empty((3, 2))
            >>> d.gravity(np.zeros((3, 2)), out=hold) is hold
            True
        """

    @compiled
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The matrix C(q, v) with c = C v + g and dM/dt - 2 C skew.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            C, shape (..., nv, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = [0.1, 0.2], [1.0, -1.0]
            >>> np.allclose(d.coriolis_matrix(q, v) @ v + d.gravity(q), d.bias(q, v))
            True
        """

    @compiled
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        out: tuple[Array, Array, Array] | None = None,
        **named: ArrayLike,
    ) -> InverseDerivatives:
        """Derivatives of ``inverse_dynamics`` by positions, velocities and accelerations.

        Those by positions are along displacements as ``integrate`` takes them, so that all are
        square, also where positions are quaternions. With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Arrays for the three results, new ones when not given.
            **named: The same by name.

        Returns:
            ``dtau_dq``, ``dtau_dv`` and ``dtau_da`` (the mass matrix), shape (..., nv, nv) each.

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v, a = [0.1, 0.2], [1.0, -1.0], [0.0, 2.0]
            >>> by_q, by_v, by_a = d.inverse_dynamics_derivatives(q, v, a)
            >>> np.allclose(by_a, d.mass_matrix(q))
            True
        """

    @compiled
    def regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *opened: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The matrix Y with tau = Y p: inverse dynamics is linear in inertial parameters p.

        Ten a body but the root, in the order of ``mechanism.bodies[1:]``: mass, first moments
        (x, y, z), and xx, xy, yy, xz, yz, zz of the inertia about the body's origin. With loops: of
        the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            *opened: Open numbers of the machine; see ``Dynamics``.
            out: Array for the result, a new one when not given.
            **named: The same by name.

        Returns:
            Y, shape (..., nv, 10·bodies).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.regressor([0.1, 0.2], [1.0, -1.0], [0.0, 2.0]).shape
            (2, 20)
        """

    tree_inverse_dynamics = of_the_tree(inverse_dynamics)
    tree_bias = of_the_tree(bias)
    tree_gravity = of_the_tree(gravity)
    tree_coriolis_matrix = of_the_tree(coriolis_matrix)
    tree_inverse_dynamics_derivatives = of_the_tree(inverse_dynamics_derivatives)
    tree_regressor = of_the_tree(regressor)
