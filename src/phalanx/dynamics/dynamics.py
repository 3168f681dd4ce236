# a quantity is described here; its body is a kernel
# mypy: disable-error-code="empty-body"
# inputs that all quantities share are described once, in the class
# ruff: noqa: D417
"""Dynamics: every quantity of a mechanism as a compiled, batched function."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Literal, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked_but
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName, UnsupportedLoad
from phalanx.dynamics.array_types import (
    Array,
    ForwardDerivatives,
    InverseDerivatives,
    JointMotion,
    LoopedMotion,
    LoopResiduals,
    MotionOfFrame,
    MotorForces,
)
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.choice import (
    check_methods,
    check_unrolled_size,
    chosen,
    default_forward,
    is_long,
    method_name,
    why_unrolled,
)
from phalanx.dynamics.evaluators.evaluator import Evaluator
from phalanx.dynamics.evaluators.method import Method
from phalanx.dynamics.evaluators.traversed.evaluator import Traversed
from phalanx.dynamics.evaluators.unrolled import Unrolled
from phalanx.dynamics.quantities import (
    LACKING,
    QuantityEquation,
    completions,
    free_joints,
    loop_quantities,
    quantities,
)
from phalanx.dynamics.quantity_method import compiled, describe, of_the_tree
from phalanx.equations.equation import Equation
from phalanx.equations.expression import identifier
from phalanx.equations.forward_dynamics import articulated_body
from phalanx.equations.inverse_dynamics import recursive
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.numbers.consistency import (
    CONSISTENT,
    check_determined,
    check_frame_moves,
    inconsistency_error,
    is_within,
)
from phalanx.equations.loops.numbers.loop_forces import (
    LoopRow,
    LoopWrench,
    loop_rows,
    wrenches_by_loop,
)
from phalanx.equations.mass_matrix import composite_body
from phalanx.equations.quantities.axes import ALIGNED, Axes, check_axes
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.parameters import Parameters
from phalanx.kernel import Kernel, Operations
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.mechanism import Mechanism

_log = logging.getLogger(__name__)


@final
class Dynamics:
    """All quantities of a mechanism, compiled on first use and kept in a disk cache.

    Every quantity takes arrays of shape ``(..., n)``; leading axes are batch axes and broadcast
    together. After the state it takes further ``*inputs``: what ``parameters``, ``wrenches`` and
    ``moving_base`` make arguments, in that order or by name (``**named``), batched like the rest.
    ``inspect.signature(d.inverse_dynamics)`` lists those of an object, and
    ``help(d.inverse_dynamics)`` their shapes. Results come back in new arrays or in ``out=``.

    A machine with loops has some quantities twice. ``inverse_dynamics``, ``mass_matrix``,
    ``mass_matrix_inverse``, ``mass_times``, ``mass_solve``, ``bias``, ``gravity``,
    ``coriolis_matrix``, ``inverse_dynamics_derivatives`` and ``regressor`` are those of its
    spanning tree, as if the loops were cut open; their full names begin with ``tree_``.
    ``reduced_...`` are what the free joints feel with closed loops, and ``actuation`` what motors
    do. Forward dynamics, energies and quantities of frames are those of the machine itself.
    ``actuation``, ``complete_...`` and ``reduced_...`` check that what they are given closes the
    loops; ``check=False`` leaves that out.

    Velocities and Jacobians of frames list the linear part first. ``axes`` says what the linear
    part is of and along which axes; names and meanings are Pinocchio's:

    - ``"local_world_aligned"``: the velocity of the frame's origin, along the axes of the world.
    - ``"local"``: the same velocity along the frame's own axes, as an observer on it sees it.
    - ``"world"``: along the axes of the world, but the velocity of that point of the body (as if it
      were large enough) that is at the world's origin, not at the frame's: a spatial velocity.

    Two are equal when machine and options are; a pickle has these and no machine code.

    >>> d = Dynamics(library.puma560())
    >>> tau = d.inverse_dynamics(q, v, a)
    """

    @checked_but("mechanism", "inverse", "forward", "mass_matrix", "dtype", "threads")
    def __init__(
        self,
        mechanism: Mechanism,
        *,
        inverse: Equation = recursive,
        forward: Equation | Method | None = None,
        mass_matrix: Equation = composite_body,
        parameters: Sequence[str] = (),
        wrenches: Sequence[str] = (),
        moving_base: bool = False,
        actuated: Sequence[str] = (),
        independent: Sequence[str] | None = None,
        threads: int | None = None,
        dtype: Literal["float64", "float32"] = "float64",
        cache: bool = True,
    ) -> None:
        """Describe what to compile; nothing is compiled yet.

        Args:
            mechanism: The machine.
            inverse: Method of inverse dynamics.
            forward: Method of forward dynamics, an equation or one of ``px.evaluators``; chosen by
                size when not given.
            mass_matrix: Method of the mass matrix, for the quantity of that name.
            parameters: Numbers that become arguments: ``["forearm.mass", "gravity"]``; see
                :mod:`phalanx.equations.tree.parameters`. Their values are not checked, which would
                cost as much as a call: a negative mass computes as written. Runs and sweeps check.
            wrenches: Frames on which an external wrench (force, moment), in the frame's axes, is an
                argument of inverse and forward dynamics.
            moving_base: Whether velocity and acceleration of the root (linear, angular, root axes)
                are arguments of inverse and forward dynamics.
            actuated: Joints with motors, for ``actuation`` of a machine with loops.
            independent: The free joints, whose velocities determine all others, for
                ``complete_motion`` and the reduced quantities; the ``actuated`` ones when they are
                as many as the freedoms, else the machine's motors, else what pivoting chooses.
            threads: For large batches; all cores when not given.
            dtype: Of arguments and results.
            cache: Whether compiled code is kept on disk.

        Raises:
            UnknownName: When a parameter or frame does not exist.
            InvalidInput: When an option is not one of those above.
            OpenLoop: When the loops of the machine do not close.

        A machine whose mass matrix is singular in every posture has all quantities but those that
        solve for accelerations; asking for one of these raises InvalidModel.
        """
        if not isinstance(mechanism, Mechanism):
            raise InvalidInput(
                f"Dynamics takes a Mechanism, got {type(mechanism).__name__}; load one with "
                "phalanx.load(path) or take one from phalanx.library."
            )
        check_methods(inverse, forward, mass_matrix)
        self.mechanism = mechanism
        self.parameters = tuple(parameters)
        self.wrenches = tuple(wrenches)
        self.moving_base = moving_base
        self.actuated = tuple(actuated)
        self.independent = None if independent is None else tuple(independent)
        self.threads = None if threads is None else checked_threads(threads)
        self.dtype = checked_dtype(dtype).name
        self.inverse = inverse
        self._asked_forward, self._inertia, self._cache = forward, mass_matrix, cache
        self._kernels: dict[tuple[str, str | None, Axes | None], Kernel] = {}
        self._unrolled = Unrolled(
            mechanism,
            parameters=self.parameters,
            wrenches=self.wrenches,
            moving_base=moving_base,
            dtype=self.dtype,
            threads=self.threads,
            cache=cache,
        )
        traversed = Traversed(
            mechanism,
            forward if isinstance(forward, Method) else Automatic(),
            parameters=self.parameters,
            wrenches=self.wrenches,
            moving_base=moving_base,
            threads=self.threads,
            cache=cache,
        )
        why = why_unrolled(mechanism, self.parameters, self.dtype, inverse, forward, mass_matrix)
        self._evaluator: Evaluator = self._unrolled
        if chosen(mechanism, "quantity", why) == "traversed":
            Parameters(mechanism, self.parameters)
            self._evaluator = traversed
            self.forward: Equation | Method = forward or Automatic()
        else:
            self._check_unrolled(why, forward)
            self.forward = forward or default_forward(self.model)
        by_method = isinstance(self.forward, Method)
        self._forward_evaluator = traversed if by_method else self._evaluator
        for frame in self.wrenches:
            mechanism.frame(frame)

    def _check_unrolled(self, why: str | None, forward: Equation | Method | None) -> None:
        """That unrolled code can be compiled, and that the loops close: or there is no Dynamics."""
        m = self.mechanism
        if isinstance(forward, Method) and why is not None:
            raise InvalidInput(
                f"forward={forward!r} traverses the bodies of '{m.name}', and {why}; leave "
                "forward= out, or change that."
            )
        if why is not None:
            check_unrolled_size(m, why)
            if is_long(m, "quantity"):
                _log.info("'%s' is unrolled, for %s", m.name, why)
        _ = self.model

    # -- forces and accelerations -----------------------------------------------------------------

    @compiled
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *inputs: ArrayLike,
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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Joint forces at zero acceleration: Coriolis, centrifugal and gravity, c(q, v).

        With loops: of the spanning tree; ``reduced_bias`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

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
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Joint forces that hold the machine still against gravity, g(q).

        With loops: of the spanning tree; ``reduced_gravity`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The matrix C(q, v) with c = C v + g and dM/dt - 2 C skew.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

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
        *inputs: ArrayLike,
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
        *inputs: ArrayLike,
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

        Returns:
            Y, shape (..., nv, 10·bodies).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.regressor([0.1, 0.2], [1.0, -1.0], [0.0, 2.0]).shape
            (2, 20)
        """

    @compiled
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Accelerations under joint forces: M(q) a + c(q, v) = tau.

        With loops: of the machine, at states that close them.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            tau: Joint forces [N or N·m], shape (..., nv).

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
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *inputs: ArrayLike,
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

        Returns:
            ``da_dq``, ``da_dv`` and ``da_dtau`` (M⁻¹), shape (..., nv, nv) each.

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v, tau = [0.1, 0.2], [1.0, -1.0], [0.0, 2.0]
            >>> found = d.forward_dynamics_derivatives(q, v, tau)
            >>> np.allclose(found.da_dtau, d.mass_matrix_inverse(q))
            True
        """

    # -- mass matrix ------------------------------------------------------------------------------

    @compiled
    def mass_matrix(
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Mass matrix M(q), with which kinetic energy is vᵀ M v / 2.

        With loops: of the spanning tree; ``reduced_mass_matrix`` is that of the machine.

        Args:
            q: Positions [m or rad], shape (..., nq).

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
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """The inverse of the mass matrix, M(q)⁻¹: accelerations by joint forces.

        ``mass_solve`` multiplies with it without forming it, in less time. With loops: of the
        spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """M(q) x without forming M, in linear time.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            x: Accelerations or velocities, shape (..., nv).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """M(q)⁻¹ f without forming M, in linear time.

        With loops: of the spanning tree.

        Args:
            q: Positions [m or rad], shape (..., nq).
            f: Joint forces [N or N·m] or impulses, shape (..., nv).

        Returns:
            Accelerations or velocities M⁻¹ f, shape (..., nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, x = [0.1, 0.2], [1.0, 0.0]
            >>> np.allclose(d.mass_solve(q, d.mass_times(q, x)), x)
            True
        """

    # -- energy and momentum: sums over all bodies that can move ----------------------------------

    @compiled
    def energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Mechanical energy: kinetic plus potential, springs included.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Joint forces of springs and dampers, in joints and between frames.

        Rigid-body dynamics has none of them: add them to what motors do.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Kinetic energy vᵀ M v / 2, that of geared rotors included.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

        Returns:
            T [J], shape (...).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.kinetic_energy(np.zeros((5, 2)), [1.0, 0.0]).shape
            (5,)
        """

    @compiled
    def potential_energy(
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Energy in gravity of everything that can move; zero at the root's origin.

        Args:
            q: Positions [m or rad], shape (..., nq).

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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Linear momentum, and angular momentum about the centre of mass, in world axes.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).

        Returns:
            Linear [N·s], then angular [N·m·s], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.momentum(np.zeros((5, 2)), [1.0, 0.0]).shape
            (5, 6)
        """

    @compiled
    def center_of_mass(
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Centre of mass of everything that can move, in the world.

        Args:
            q: Positions [m or rad], shape (..., nq).

        Returns:
            Position [m], shape (..., 3).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.center_of_mass(np.zeros((5, 2))).shape
            (5, 3)
        """

    # -- positions: along motions, between each other, and where they put the bodies --------------

    # Loops are not looked at: between two postures that close them lie others that do not.

    @compiled
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """The positions reached from ``q`` by a displacement along the velocities.

        Each joint moves along its own group, so quaternions stay of length one.
        ``integrate(q, v * h)`` is an explicit Euler step of length h.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Displacements [m or rad], shape (..., nv).

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
        *inputs: ArrayLike,
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
        *inputs: ArrayLike,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Positions on the way from ``q0`` to ``q1`` at constant velocity.

        ``integrate(q0, s * difference(q0, q1))``: all joints start and arrive together.

        Args:
            q0: Positions [m or rad] at s = 0, shape (..., nq).
            q1: Positions [m or rad] at s = 1, shape (..., nq).
            s: How much of the way [1], shape (...); outside of 0 … 1 the motion goes on.

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
        self, q: ArrayLike, *inputs: ArrayLike, out: Array | None = None, **named: ArrayLike
    ) -> Array:
        """Poses of all bodies in the world, in the order of ``mechanism.bodies``.

        Args:
            q: Positions [m or rad], shape (..., nq).

        Returns:
            Homogeneous matrices, shape (..., bodies, 4, 4).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.body_poses([0.1, 0.2]).shape
            (3, 4, 4)
        """

    # -- frames -----------------------------------------------------------------------------------

    def forward_kinematics(
        self,
        q: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Pose of a frame in the world.

        Args:
            q: Positions [m or rad], shape (..., nq).
            frame: Name of a frame or body.

        Returns:
            Homogeneous matrix, shape (..., 4, 4).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.forward_kinematics([0.1, 0.2], frame="tip")[:3, 3].shape
            (3,)
        """
        return self._of_frame("forward_kinematics", frame, None, (q, *inputs), out, named)

    def jacobian(
        self,
        q: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Jacobian of a frame: (velocity, angular velocity) = J(q) v.

        Args:
            q: Positions [m or rad], shape (..., nq).
            frame: Name of a frame or body.
            axes: ``"local_world_aligned"`` (velocity of the frame's origin, world axes),
                ``"local"`` (the same, frame axes) or ``"world"`` (spatial: at the world's origin).

        Returns:
            Rows linear x, y, z, angular x, y, z; shape (..., 6, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> q, v = [0.1, 0.2], [1.0, -1.0]
            >>> J = d.jacobian(q, frame="tip", axes="local")
            >>> np.allclose(J @ v, d.frame_velocity(q, v, frame="tip", axes="local"))
            True
        """
        return self._of_frame("jacobian", frame, axes, (q, *inputs), out, named)

    def jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Time derivative of ``jacobian`` in the same axes, entry by entry.

        In ``"local_world_aligned"`` axes, ``frame_acceleration`` is J a + dJ v.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            frame: Name of a frame or body.
            axes: As of ``jacobian``.

        Returns:
            dJ, shape (..., 6, nv).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.jacobian_rate([0.1, 0.2], [1.0, -1.0], frame="tip").shape
            (6, 2)
        """
        return self._of_frame("jacobian_rate", frame, axes, (q, v, *inputs), out, named)

    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        axes: Axes = ALIGNED,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Velocity and angular velocity of a frame.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            frame: Name of a frame or body.
            axes: ``"local_world_aligned"`` (velocity of the frame's origin, world axes),
                ``"local"`` (the same, frame axes) or ``"world"`` (spatial: at the world's origin).

        Returns:
            Linear [m/s], then angular [rad/s], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.frame_velocity(np.zeros((5, 2)), [1.0, 0.0], frame="tip").shape
            (5, 6)
        """
        return self._of_frame("frame_velocity", frame, axes, (q, v, *inputs), out, named)

    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        out: Array | None = None,
        **named: ArrayLike,
    ) -> Array:
        """Acceleration of a frame's origin and angular acceleration, in world axes.

        As an observer in the world sees it; an accelerometer on the frame reads this less gravity.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).
            frame: Name of a frame or body.

        Returns:
            Linear [m/s²], then angular [rad/s²], shape (..., 6).

        Example:
            >>> d = px.Dynamics(px.library.double_pendulum())
            >>> d.frame_acceleration([0.1, 0.2], [0.0, 0.0], [1.0, 0.0], frame="tip").shape
            (6,)
        """
        return self._of_frame("frame_acceleration", frame, None, (q, v, a, *inputs), out, named)

    # -- loops: motions that keep them closed, and the forces in them -----------------------------

    def check_loops(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *inputs: ArrayLike,
        **named: ArrayLike,
    ) -> None:
        """Raise InconsistentMotion unless a motion keeps the loops closed.

        Openings may be 1e-6 m or rad, all loops together, their rates 1e-6 of √(1 + |v|²), their
        accelerations 1e-6 of √(1 + |a|² + |v|⁴); 1e-4 in single precision.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv); not looked at when not given.
            a: Accelerations [m/s² or rad/s²], shape (..., nv); not looked at when not given.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> d.check_loops(px.assemble(d.mechanism).q)
        """
        if not self.mechanism.loops:
            return
        still = np.zeros(self.mechanism.nv)
        motion = (q, still if v is None else v, still if a is None else a)
        found = self.kernel("loop_inconsistency").call(*motion, *inputs, **named)
        if a is None:
            found = found[..., :1] if v is None else found[..., :2]
        tolerance = CONSISTENT[self.dtype]
        if not is_within(found, tolerance):
            residuals = self.kernel("loop_residuals").call(*motion, *inputs, **named)
            raise inconsistency_error(self.mechanism, motion, found, residuals, tolerance)

    def complete_motion(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        a_free: ArrayLike,
        *inputs: ArrayLike,
        check: bool = True,
        out: tuple[Array, Array] | None = None,
    ) -> JointMotion:
        """Motion of all joints from that of the free ones.

        The free joints are ``independent``, see ``free_velocities``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v_free: Velocities of the free joints, shape (..., freedoms).
            a_free: Accelerations of the free joints, shape (..., freedoms).
            check: Whether to look if q closes the loops and the free joints determine the others.


        Returns:
            ``v`` [m/s or rad/s] and ``a`` [m/s² or rad/s²], shape (..., nv) each.

        Raises:
            InvalidInput: What ``check`` looks for is not so.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [1.0], [0.0])
            >>> d.check_loops(q, v, a)
        """
        if check:
            self._check_posture(q, inputs)
        return _called(self.kernel("complete_motion"), q, v_free, a_free, *inputs, out=out)

    def complete_motion_of_frame(
        self,
        q: ArrayLike,
        V: ArrayLike,
        A: ArrayLike,
        *inputs: ArrayLike,
        frame: str,
        check: bool = True,
        out: tuple[Array, Array, Array, Array] | None = None,
    ) -> MotionOfFrame:
        """Motion of all joints from that of a frame.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            V: Velocity of the frame (linear, angular) in world axes, shape (..., 6), as
                ``frame_velocity`` gives it.
            A: Its acceleration, shape (..., 6), as ``frame_acceleration`` gives it.
            frame: Name of a frame or body.
            check: Whether to look if q closes the loops and the frame can move so.


        Returns:
            ``v`` and ``a``, shape (..., nv) each; ``residual``, how far from V and A the frame then
            moves, shape (..., 2); ``amplification``, the speed of all joints for unit velocities of
            the frame, shape (...).

        Raises:
            InvalidInput: The frame's motion does not determine that of the machine, or the frame
                cannot move so by more than 1e-6 (1e-4 in single precision) of √(1 + |V|²) and of
                √(1 + |A|² + |V|⁴), or q is open; not looked for with ``check=False``.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [1.0], [0.0])
            >>> V = d.frame_velocity(q, v, frame="coupler")
            >>> A = d.frame_acceleration(q, v, a, frame="coupler")
            >>> np.allclose(d.complete_motion_of_frame(q, V, A, frame="coupler").v, v)
            True
        """
        kernel = self.kernel("complete_motion_of_frame", frame)
        result: MotionOfFrame = _called(kernel, q, V, A, *inputs, out=out)
        if check:
            self.check_loops(q, None, None, *inputs)
            found, tolerance = (result.residual, result.amplification), CONSISTENT[self.dtype]
            check_frame_moves(self.model, frame, (q, V, A), *found, tolerance)
        return result

    def actuation(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *inputs: ArrayLike,
        check: bool = True,
        out: tuple[Array, Array] | None = None,
        **named: ArrayLike,
    ) -> MotorForces:
        """Forces of the ``actuated`` joints that produce a motion, loops closed.

        Springs are counted in, as gravity is; damping and friction are not.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities of all joints, shape (..., nv); see ``complete_motion``.
            a: Accelerations of all joints, shape (..., nv).
            check: Whether to look if the motion keeps the loops closed; without it, numbers for one
                that does not mean nothing.

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
            self.check_loops(q, v, a, *inputs[:count], **numbers)
            if self._free_joints == self.actuated:
                self._check_determined(q, inputs[:count], numbers)
        return _called(kernel, q, v, a, *inputs, out=out, **named)

    @compiled
    def loop_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *inputs: ArrayLike,
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
        self, q: ArrayLike, loop_force: ArrayLike, *inputs: ArrayLike
    ) -> dict[str, LoopWrench]:
        """Force and moment in every loop.

        What the body of ``frame_b`` exerts on that of ``frame_a``, at the origin of ``frame_a`` and
        in its axes, and the reaction on ``frame_b`` in its own; see :class:`LoopWrench`.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            loop_force: That of ``loop_forces`` or ``actuation``.


        Returns:
            Loop name to wrench.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q, none = px.assemble(d.mechanism).q, np.zeros(d.mechanism.nv)
            >>> wrenches = d.loop_wrenches(q, d.loop_forces(q, none, none).loop_force)
            >>> wrenches.keys() == {loop.name for loop in d.mechanism.loops}
            True
        """
        W = self.kernel("loop_wrenches").call(q, loop_force, *inputs)
        return wrenches_by_loop(self.mechanism, W)

    @compiled
    def loop_residuals(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *inputs: ArrayLike,
        out: tuple[Array, Array, Array] | None = None,
        **named: ArrayLike,
    ) -> LoopResiduals:
        """How far every loop is open, how fast it opens and at what acceleration.

        Args:
            q: Positions [m or rad], shape (..., nq).
            v: Velocities [m/s or rad/s], shape (..., nv).
            a: Accelerations [m/s² or rad/s²], shape (..., nv).

        Returns:
            ``opening`` [m or rad], ``rate`` and ``acceleration``, shape (..., loops) each.

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q, none = px.assemble(d.mechanism).q, np.zeros(d.mechanism.nv)
            >>> bool((d.loop_residuals(q, none, none).opening < 1e-9).all())
            True
        """

    # -- free joints: with loops, springs count as gravity does and damping does not --------------

    def reduced_inverse_dynamics(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        a_free: ArrayLike,
        *inputs: ArrayLike,
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
            check: Whether to look if q closes the loops and the free joints determine the others.


        Returns:
            Forces tau_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> d.reduced_inverse_dynamics(q, [1.0], [0.0]).shape
            (1,)
        """
        return self._reduced("inverse_dynamics", (q, v_free, a_free), inputs, check, out)

    def reduced_mass_matrix(
        self, q: ArrayLike, *inputs: ArrayLike, check: bool = True, out: Array | None = None
    ) -> Array:
        """Inertia that the free joints feel.

        v_freeᵀ M_free v_free / 2 is the kinetic energy of the machine. Without loops it is
        ``mass_matrix``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            check: Whether to look if q closes the loops and the free joints determine the others.


        Returns:
            M_free, shape (..., freedoms, freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> v, a = d.complete_motion(q, [2.0], [0.0])
            >>> np.allclose(d.reduced_mass_matrix(q) * 2.0**2 / 2, d.kinetic_energy(q, v))
            True
        """
        return self._reduced("mass_matrix", (q,), inputs, check, out)

    def reduced_bias(
        self,
        q: ArrayLike,
        v_free: ArrayLike,
        *inputs: ArrayLike,
        check: bool = True,
        out: Array | None = None,
    ) -> Array:
        """Forces of the free joints that keep their velocities.

        M_free a_free + c_free = tau_free. Without loops it is ``bias``.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            v_free: Velocities of the free joints, shape (..., freedoms).
            check: Whether to look if q closes the loops and the free joints determine the others.


        Returns:
            Forces c_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> q = px.assemble(d.mechanism).q
            >>> np.allclose(d.reduced_bias(q, [0.0]), d.reduced_gravity(q))
            True
        """
        return self._reduced("bias", (q, v_free), inputs, check, out)

    def reduced_gravity(
        self, q: ArrayLike, *inputs: ArrayLike, check: bool = True, out: Array | None = None
    ) -> Array:
        """Forces of the free joints that hold the machine still against gravity and springs.

        Without loops it is ``gravity``, which knows no springs.

        Args:
            q: Positions [m or rad] that close the loops, shape (..., nq).
            check: Whether to look if q closes the loops and the free joints determine the others.


        Returns:
            Forces g_free [N or N·m], shape (..., freedoms).

        Example:
            >>> d = px.Dynamics(px.library.four_bar())
            >>> d.reduced_gravity(px.assemble(d.mechanism).q).shape
            (1,)
        """
        return self._reduced("gravity", (q,), inputs, check, out)

    # -- full names of quantities of the spanning tree --------------------------------------------

    tree_inverse_dynamics = of_the_tree(inverse_dynamics)
    tree_bias = of_the_tree(bias)
    tree_gravity = of_the_tree(gravity)
    tree_coriolis_matrix = of_the_tree(coriolis_matrix)
    tree_inverse_dynamics_derivatives = of_the_tree(inverse_dynamics_derivatives)
    tree_regressor = of_the_tree(regressor)
    tree_mass_matrix = of_the_tree(mass_matrix)
    tree_mass_matrix_inverse = of_the_tree(mass_matrix_inverse)
    tree_mass_times = of_the_tree(mass_times)
    tree_mass_solve = of_the_tree(mass_solve)

    # -- what is compiled ------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The node tree all equations share; built when asked for where the machine is long."""
        return self._unrolled.model

    @property
    def forward_name(self) -> str:
        """The method of forward dynamics in a word."""
        return method_name(self.forward)

    @cached_property
    def _free_joints(self) -> tuple[str, ...] | None:
        """The joints that the user calls free, or None for those that the machine suggests."""
        return free_joints(self.mechanism, self.actuated, self.independent)

    @cached_property
    def free_velocities(self) -> tuple[int, ...]:
        """Numbers of the velocities that ``v_free`` and ``a_free`` list, in their order."""
        return tuple(independent_velocities(self.mechanism, self._free_joints))

    @property
    def singular_joints(self) -> tuple[str, ...]:
        """Joints that make the mass matrix singular in every posture: () where M⁻¹ exists.

        A joint that follows others through closed loops needs no inertia of its own.

        Numbers that are arguments are not known beforehand, so with ``parameters`` it is () too.
        """
        return self._evaluator.singular_joints

    @cached_property
    def quantities(self) -> dict[str, QuantityEquation]:
        """All quantities by name."""
        forward = articulated_body if isinstance(self.forward, Method) else self.forward
        table = quantities(self.mechanism, self.inverse, forward, self._inertia)
        if not self.mechanism.loops:
            return table
        free = self._free_joints, len(self.free_velocities)
        return table | loop_quantities(self.mechanism, self.actuated, *free)

    @cached_property
    def _completions(self) -> dict[str, QuantityEquation]:
        return completions(self._free_joints)

    def expression(
        self,
        name: str,
        frame: str | None = None,
        axes: Axes | None = None,
        *,
        named: bool = False,
    ) -> ca.Function:
        """The ``casadi.Function`` of a quantity, with this object's parameters and wrenches.

        With ``named``, the intermediate scalars that its method names are further outputs.
        """
        quantity = self._quantity(name, frame, axes)
        return self._unrolled.expression(quantity, frame, axes, named=named)

    def shapes(self, name: str) -> dict[str, tuple[int, ...]]:
        """Trailing shapes of inputs and outputs that are not columns."""
        return self._unrolled.shapes((self.quantities | self._completions)[name])

    def kernel(self, name: str, frame: str | None = None, axes: Axes | None = None) -> Kernel:
        """The compiled kernel of a quantity; made on first use.

        ``frame`` and ``axes`` are for quantities of frames, see ``jacobian``.
        """
        try:
            return self._kernels[name, frame, axes]
        except (KeyError, TypeError):  # not made yet, or no name at all
            quantity = self._quantity(name, frame, axes)
        if quantity.in_axes and axes is None:
            return self.kernel(name, frame, ALIGNED)
        made = self._evaluator_of(name, quantity).kernel(name, quantity, frame, axes)
        describe(made, type(self), name)
        self._kernels[name, frame, axes] = made
        return made

    def operations(
        self, name: str, frame: str | None = None, axes: Axes | None = None
    ) -> Operations:
        """Arithmetic of one evaluation of a quantity."""
        quantity = self._quantity(name, frame, axes)
        return self._evaluator_of(name, quantity).operations(name, quantity, frame, axes)

    def _evaluator_of(self, name: str, quantity: QuantityEquation) -> Evaluator:
        evaluator = self._forward_evaluator if name == "forward_dynamics" else self._evaluator
        lacks = evaluator.lacks(name, quantity)
        if lacks is not None:
            raise lacks
        return evaluator

    def is_too_large(self, name: str) -> bool:
        """Whether a quantity is a matrix whose code would be too large for so long a machine."""
        quantity = self.quantities.get(name)
        return quantity is not None and self._evaluator.lacks(name, quantity) is not None

    def _quantity(self, name: str, frame: str | None, axes: Axes | None = None) -> QuantityEquation:
        quantity = (self.quantities | self._completions).get(name)
        if quantity is None and name in LACKING:
            raise InvalidInput(f"'{self.mechanism.name}' has no {name}: {LACKING[name]}.")
        if quantity is None:
            raise UnknownName("Dynamics", "quantity", name, self.quantities)
        if quantity.unloaded and (self.wrenches or self.moving_base):
            raise UnsupportedLoad(
                f"Dynamics of '{self.mechanism.name}'",
                "wrenches" if self.wrenches else "a moving base",
                name,
                "Ask a Dynamics without it for that, or differentiate its other quantities.",
            )
        if quantity.of_frame and frame is None:
            known = ", ".join(self.mechanism.frame_names[:8])
            raise InvalidInput(f"{name} needs frame=, one of {known} …")
        if frame is not None and not quantity.of_frame:
            raise InvalidInput(f"{name} is of the whole machine and takes no frame.")
        if frame is not None:
            self.mechanism.frame(frame)
        if axes is not None and not quantity.in_axes:
            raise InvalidInput(f"{name} takes no axes.")
        if axes is not None:
            check_axes(axes)
        if quantity.inverting:
            self._evaluator.check_accelerations(quantity)
        return quantity

    # -- the object itself -----------------------------------------------------------------------

    @property
    def options(self) -> dict[str, Any]:
        """What was asked for: with these and its machine, another object like this one is made."""
        return {
            "inverse": self.inverse,
            "forward": self._asked_forward,
            "mass_matrix": self._inertia,
            "parameters": self.parameters,
            "wrenches": self.wrenches,
            "moving_base": self.moving_base,
            "actuated": self.actuated,
            "independent": self.independent,
            "threads": self.threads,
            "dtype": self.dtype,
            "cache": self._cache,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has the description, and machine code is made or found again where it is read.

        Functions that were given (``inverse=``) go by reference, as pickle does it.
        """
        return _from_description, (self.mechanism, self.options)

    def __eq__(self, other: object) -> bool:
        """Whether machine and options are equal; what is compiled so far does not count."""
        if not isinstance(other, Dynamics):
            return NotImplemented
        return self.mechanism == other.mechanism and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.mechanism, *self.options.values()))

    def full_name(self, name: str) -> str:
        """The name of a quantity that says whether it is one of the spanning tree only."""
        is_cut_open = bool(self.mechanism.loops) and self.quantities[name].of_the_tree
        return f"tree_{name}" if is_cut_open else name

    def info(self) -> str:
        """The tree, the sizes and the operation counts of the main quantities, as text."""
        lines = [self._evaluator.described(), "", "operations of one evaluation:"]
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
            if not (self.singular_joints and self.quantities[name].inverting)
            and not self.is_too_large(name)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
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

    # -- calls ------------------------------------------------------------------------------------

    def _of_frame(
        self,
        name: str,
        frame: str,
        axes: Axes | None,
        arguments: tuple[ArrayLike, ...],
        out: Array | None,
        named: dict[str, ArrayLike],
    ) -> Any:
        try:
            kernel = self._kernels[name, frame, axes]
        except (KeyError, TypeError):  # not made yet, or no name at all
            kernel = self.kernel(name, frame, axes)
        # without keywords where there are none: these take another, slower way
        if out is not None:
            named["out"] = out
        return kernel.call(*arguments, **named)

    def _reduced(
        self, name: str, state: tuple[Any, ...], inputs: tuple[Any, ...], check: bool, out: Any
    ) -> Any:
        if not self.mechanism.loops:
            return _called(self.kernel(name), *state, *inputs, out=out)
        if check:
            self._check_posture(state[0], inputs[: len(self.model.parameters.symbols)])
        return _called(self.kernel(f"reduced_{name}"), *state, *inputs, out=out)

    def _check_posture(self, q: Any, parameters: tuple[Any, ...]) -> None:
        """InvalidInput unless loops are closed and the free joints determine the others."""
        if self.mechanism.loops:
            self.check_loops(q, None, None, *parameters)
            self._check_determined(q, parameters, {})

    def _check_determined(self, q: Any, parameters: tuple[Any, ...], named: dict[str, Any]) -> None:
        found = self.kernel("free_amplification").call(q, *parameters, **named)
        check_determined(self.mechanism, self.free_velocities, found)


def _called(kernel: Kernel, *arguments: Any, out: Any, **named: Any) -> Any:
    """A call without keywords where there are none: these take another, slower way."""
    return kernel.call(*arguments, **(named if out is None else named | {"out": out}))


def _from_description(mechanism: Mechanism, options: dict[str, Any]) -> Dynamics:
    return Dynamics(mechanism, **options)
