"""The front door: every quantity of a mechanism as a compiled, batched function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from phalanx import equations
from phalanx.arguments import checked_but
from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix
from phalanx.equations.expression import expression, identifier
from phalanx.equations.loops.actuation import motor_velocities
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
    loop_wrenches,
)
from phalanx.equations.loops.projection import independent_velocities
from phalanx.equations.tree.build import model_of
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput, UnknownName
from phalanx.kernel import Kernel, Operations, count_operations
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.mechanism import Mechanism
from phalanx.mechanism.describe import describe
from phalanx.mechanism.inertia import check_invertible, joints_without_inertia

Equation = Callable[..., Any]
Evaluate = Callable[..., Any]

# Beyond this many freedoms linear-time forward dynamics needs fewer operations than factorizing M
# (UR5 516 against 586, Solo with 18 freedoms 2870 against 2814, Talos with 44 11003 against 9214).
FACTORIZE_UP_TO = 12


@dataclass(frozen=True)
class Quantity:
    """An equation and the trailing shape of its outputs, where it is not a column's.

    Attributes:
        equation: The function of symbols.
        shapes: Output to trailing shape.
        of_frame: Whether it takes a frame.
        options: Further keywords of the equation.
        closed: Whether it means something only at states that close the loops.
    """

    equation: Equation
    shapes: dict[str, tuple[int, ...]]
    of_frame: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    closed: bool = False


# quantities on which wrenches and the motion of the base act
_ACTED_ON = ("inverse_dynamics", "forward_dynamics", "loop_forces", "reduced_inverse_dynamics")
# quantities of the spanning tree, in which loops are open
OF_THE_TREE = (
    "inverse_dynamics",
    "mass_matrix",
    "bias",
    "gravity",
    "coriolis_matrix",
    "inverse_dynamics_derivatives",
    "regressor",
)
# what solves for accelerations, and loop methods that solve for fewer of them than the tree has
INVERTING = ("forward_dynamics", "loop_forces", "forward_dynamics_derivatives")
_OF_INDEPENDENT_MOTION = (loops.projection, loops.recursive)

# why a machine may not have a quantity
_LACKING = {
    "loop_forces": "it has no loops",
    "loop_wrenches": "it has no loops",
    "loop_residuals": "it has no loops",
    "actuation": "it has no loops, or no actuated= says which of its joints have motors",
    "forward_dynamics_derivatives": "its loops are closed; differentiate forward_dynamics along "
    "motions that they allow",
}


@final
class Dynamics:
    """All quantities of a mechanism, compiled on first use and kept in a disk cache.

    Every quantity takes arrays of shape ``(..., n)``; leading axes are batch axes and broadcast
    together. Results come back in new arrays or in ``out=``. Symbols kept open by ``parameters``,
    ``wrenches`` and ``moving_base`` are further arguments, in that order, batched like the rest.

    A machine with loops has some quantities twice. ``inverse_dynamics``, ``mass_matrix``, ``bias``,
    ``gravity``, ``coriolis_matrix``, ``inverse_dynamics_derivatives`` and ``regressor`` are those
    of its spanning tree, as if the loops were cut open; their full names begin with ``tree_``.
    ``reduced_...`` are what the free joints feel with closed loops, and ``actuation`` what motors
    do. Forward dynamics, energies and quantities of frames are those of the machine itself.
    ``actuation``, ``complete_...`` and ``reduced_...`` check that what they are given closes the
    loops; ``check=False`` leaves that out.

    >>> d = Dynamics(library.puma560())
    >>> tau = d.inverse_dynamics(q, v, a)
    """

    @checked_but("mechanism", "inverse", "forward", "dtype", "threads")
    def __init__(
        self,
        mechanism: Mechanism,
        *,
        inverse: Equation = inverse_dynamics.recursive,
        forward: Equation | None = None,
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
            forward: Method of forward dynamics; chosen by size when not given.
            parameters: Numbers that become arguments: ``["forearm.mass", "gravity"]``; see
                :mod:`phalanx.equations.tree.parameters`.
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
        for method in (inverse, forward):
            if not (method is None or callable(method)):
                raise InvalidInput(
                    f"a method is a function such as phalanx.inverse_dynamics.recursive, got "
                    f"{method!r}."
                )
        self.mechanism = mechanism
        self.parameters = tuple(parameters)
        self.wrenches = tuple(wrenches)
        self.moving_base = moving_base
        self.actuated = tuple(actuated)
        self.independent = None if independent is None else tuple(independent)
        self.inverse = inverse
        self.forward = forward or default_forward(self.model)
        self.threads = None if threads is None else checked_threads(threads)
        self.dtype = checked_dtype(dtype).name
        self._cache = cache
        self._kernels: dict[tuple[str, str | None], Kernel] = {}
        model = self.model  # its loops close, or there is no Dynamics
        for frame in self.wrenches:
            model.place(frame)

    @cached_property
    def model(self) -> Model:
        """The node tree all equations share."""
        return model_of(self.mechanism, self.parameters)

    # -- quantities of the whole machine ---------------------------------------------------------

    @cached_property
    def inverse_dynamics(self) -> Evaluate:
        """``(q, v, a) -> tau``: joint forces that produce accelerations ``a``, shape (..., nv).

        With loops: of the spanning tree, the forces with which nothing goes through the loops.
        ``actuation`` and ``reduced_inverse_dynamics`` are those of the machine.
        """
        return self.kernel("inverse_dynamics").call

    @cached_property
    def forward_dynamics(self) -> Evaluate:
        """``(q, v, tau) -> a``: accelerations under joint forces, shape (..., nv).

        With loops: of the machine, at states that close them.
        """
        return self.kernel("forward_dynamics").call

    @cached_property
    def mass_matrix(self) -> Evaluate:
        """``(q) -> M``, shape (..., nv, nv).

        With loops: of the spanning tree; ``reduced_mass_matrix`` is that of the machine.
        """
        return self.kernel("mass_matrix").call

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
    def forward_dynamics_derivatives(self) -> Evaluate:
        """``(q, v, tau) -> (da_dq, da_dv, da_dtau)``, each (..., nv, nv)."""
        return self.kernel("forward_dynamics_derivatives").call

    @cached_property
    def regressor(self) -> Evaluate:
        """``(q, v, a) -> Y``, linear in ten inertial parameters a body, (..., nv, 10·bodies).

        With loops: of the spanning tree.
        """
        return self.kernel("regressor").call

    @cached_property
    def energy(self) -> Evaluate:
        """``(q, v) -> E``: kinetic plus potential energy [J], shape (...)."""
        return self.kernel("energy").call

    @cached_property
    def kinetic_energy(self) -> Evaluate:
        """``(q, v) -> T`` [J], shape (...)."""
        return self.kernel("kinetic_energy").call

    @cached_property
    def potential_energy(self) -> Evaluate:
        """``(q) -> U`` [J], shape (...)."""
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

    # -- of the spanning tree, by their full names ------------------------------------------------

    @property
    def tree_inverse_dynamics(self) -> Evaluate:
        """``(q, v, a) -> tau`` of the spanning tree: the same as ``inverse_dynamics``."""
        return self.inverse_dynamics

    @property
    def tree_mass_matrix(self) -> Evaluate:
        """``(q) -> M`` of the spanning tree: the same as ``mass_matrix``."""
        return self.mass_matrix

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

    # -- with loops: motions that keep them closed -----------------------------------------------

    @cached_property
    def free_velocities(self) -> tuple[int, ...]:
        """Numbers of the velocities that ``v_free`` and ``a_free`` list, in their order."""
        return tuple(independent_velocities(self.mechanism, self._free_joints))

    def check_loops(
        self, q: Any, v: Any = None, a: Any = None, *parameters: Any, **named: Any
    ) -> None:
        """Raise InconsistentMotion unless a motion keeps the loops closed.

        Openings may be 1e-6 m or rad, all loops together, their rates 1e-6 of √(1 + |v|²), their
        accelerations 1e-6 of √(1 + |a|² + |v|⁴); 1e-4 in single precision. What is not given is
        not looked at.
        """
        if not self.mechanism.loops:
            return
        still = np.zeros(self.mechanism.nv)
        motion = (q, still if v is None else v, still if a is None else a)
        found = self.kernel("loop_inconsistency").call(*motion, *parameters, **named)
        if a is None:
            found = found[..., :1] if v is None else found[..., :2]
        tolerance = CONSISTENT[self.dtype]
        if not is_within(found, tolerance):
            residuals = self.kernel("loop_residuals").call(*motion, *parameters, **named)
            raise inconsistency_error(self.mechanism, motion, found, residuals, tolerance)

    def complete_motion(
        self, q: Any, v_free: Any, a_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free, a_free) -> (v, a)``: motion of all joints from that of the free ones.

        The free joints are ``independent``, see ``free_velocities``. Results have shape (..., nv).

        Raises:
            InvalidInput: The positions do not close the loops, or the free joints do not determine
                the others there; not looked for with ``check=False``.
        """
        if check:
            self._check_posture(q, extra)
        return _called(self.kernel("complete_motion"), q, v_free, a_free, *extra, out=out)

    def complete_motion_of_frame(
        self,
        q: Any,
        V: Any,
        A: Any,
        *extra: Any,
        frame: str,
        check: bool = True,
        out: Any = None,
    ) -> Any:
        """``(q, V, A) -> (v, a, …)``: motion of all joints from that of a frame.

        V and A are velocity and acceleration (linear, angular) of the frame in world axes, shape
        (..., 6), as ``frame_velocity`` and ``frame_acceleration`` give them; v and a have shape
        (..., nv). Further results are ``residual``, how far from V and A the frame then moves,
        shape (..., 2), and ``amplification``, the speed of all joints for unit velocities of the
        frame, shape (...).

        Raises:
            InvalidInput: The frame's motion does not determine that of the machine, or the frame
                cannot move so by more than 1e-6 (1e-4 in single precision) of √(1 + |V|²) and of
                √(1 + |A|² + |V|⁴), or q is open; not looked for with ``check=False``.
        """
        kernel = self.kernel("complete_motion_of_frame", frame)
        result = _called(kernel, q, V, A, *extra, out=out)
        if check:
            self.check_loops(q, None, None, *extra)
            found, tolerance = (result.residual, result.amplification), CONSISTENT[self.dtype]
            check_frame_moves(self.model, frame, (q, V, A), *found, tolerance)
        return result

    # -- with loops: forces ----------------------------------------------------------------------

    def actuation(
        self,
        q: Any,
        v: Any,
        a: Any,
        *extra: Any,
        check: bool = True,
        out: Any = None,
        **named: Any,
    ) -> Any:
        """``(q, v, a) -> (tau, loop_force)``: forces of the ``actuated`` joints, loops closed.

        The motion is that of all joints, see ``complete_motion``.

        Raises:
            InconsistentMotion: The motion opens the loops; not looked for with ``check=False``,
                which gives numbers that mean nothing for such a motion.
            InvalidInput: The motors do not determine the motion at this posture.
        """
        kernel = self.kernel("actuation")
        if check:
            self.check_loops(q, v, a, *extra, **named)
            if self._free_joints == self.actuated:
                self._check_determined(q, extra, named)
        return _called(kernel, q, v, a, *extra, out=out, **named)

    @cached_property
    def loop_forces(self) -> Evaluate:
        """``(q, v, tau) -> (a, loop_force)``: accelerations and forces that keep loops closed.

        ``loop_force`` has a number for each closure equation, see ``loop_rows``: Lagrange's
        multipliers in M a + c = tau - Aᵀ lambda. ``loop_wrenches`` makes forces and moments
        of them that have a direction and a point.
        """
        return self.kernel("loop_forces").call

    @cached_property
    def loop_rows(self) -> tuple[LoopRow, ...]:
        """For each number of ``loop_force`` its loop, equation and unit."""
        return loop_rows(self.mechanism)

    def loop_wrenches(self, q: Any, loop_force: Any, *parameters: Any) -> dict[str, LoopWrench]:
        """``(q, loop_force) ->`` loop name to force and moment in it.

        ``loop_force`` is that of ``loop_forces`` or ``actuation``. What the body of ``frame_b``
        exerts on that of ``frame_a``, at the origin of ``frame_a`` and in its axes, and the
        reaction on ``frame_b`` in its own; see :class:`LoopWrench`.
        """
        W = self.kernel("loop_wrenches").call(q, loop_force, *parameters)
        return loop_wrenches(self.mechanism, W)

    @cached_property
    def loop_residuals(self) -> Evaluate:
        """``(q, v, a) -> (opening, rate, acceleration)`` of every loop, shape (..., loops) each.

        How far it is open [m or rad], how fast it opens and at what acceleration.
        """
        return self.kernel("loop_residuals").call

    def reduced_inverse_dynamics(
        self, q: Any, v_free: Any, a_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free, a_free) -> tau_free``: forces of the free joints alone, (..., freedoms).

        What ``actuation`` gives for the same motion when the free joints are the motors. Without
        loops it is ``inverse_dynamics``.
        """
        return self._reduced("inverse_dynamics", (q, v_free, a_free), extra, check, out)

    def reduced_mass_matrix(self, q: Any, *extra: Any, check: bool = True, out: Any = None) -> Any:
        """``(q) -> M_free``: inertia that the free joints feel, (..., freedoms, freedoms).

        v_freeᵀ M_free v_free / 2 is the kinetic energy of the machine. Without loops it is
        ``mass_matrix``.
        """
        return self._reduced("mass_matrix", (q,), extra, check, out)

    def reduced_bias(
        self, q: Any, v_free: Any, *extra: Any, check: bool = True, out: Any = None
    ) -> Any:
        """``(q, v_free) -> c_free``: forces of the free joints that keep their velocities.

        M_free a_free + c_free = tau_free, shape (..., freedoms). Without loops it is ``bias``.
        """
        return self._reduced("bias", (q, v_free), extra, check, out)

    def reduced_gravity(self, q: Any, *extra: Any, check: bool = True, out: Any = None) -> Any:
        """``(q) -> g_free``: forces of the free joints that hold the machine still.

        Shape (..., freedoms). Without loops it is ``gravity``.
        """
        return self._reduced("gravity", (q,), extra, check, out)

    # -- quantities of a frame -------------------------------------------------------------------

    def forward_kinematics(self, q: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Pose of a frame in the world, shape (..., 4, 4)."""
        return self.kernel("forward_kinematics", frame).call(q, *parameters, out=out)

    def jacobian(self, q: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Jacobian of a frame, rows (linear, angular) in world axes, shape (..., 6, nv)."""
        return self.kernel("jacobian", frame).call(q, *parameters, out=out)

    def jacobian_rate(self, q: Any, v: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Time derivative of the Jacobian, shape (..., 6, nv)."""
        return self.kernel("jacobian_rate", frame).call(q, v, *parameters, out=out)

    def frame_velocity(self, q: Any, v: Any, *parameters: Any, frame: str, out: Any = None) -> Any:
        """Velocity of a frame (linear, angular) in world axes, shape (..., 6)."""
        return self.kernel("frame_velocity", frame).call(q, v, *parameters, out=out)

    def frame_acceleration(
        self, q: Any, v: Any, a: Any, *parameters: Any, frame: str, out: Any = None
    ) -> Any:
        """Acceleration of a frame (linear, angular) in world axes, shape (..., 6)."""
        return self.kernel("frame_acceleration", frame).call(q, v, a, *parameters, out=out)

    # -- behind them -----------------------------------------------------------------------------

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """All quantities by name."""
        n = self.mechanism.nv
        square = (n, n)
        bodies = len(self.mechanism.bodies) - 1
        e = equations
        return {
            "inverse_dynamics": Quantity(self.inverse, {}),
            "forward_dynamics": Quantity(self.forward, {}, closed=bool(self.mechanism.loops)),
            **self._depending_on_loops(square),
            "mass_matrix": Quantity(mass_matrix.composite_body, {"M": square}),
            "bias": Quantity(e.bias, {}),
            "gravity": Quantity(e.gravity, {}),
            "coriolis_matrix": Quantity(e.coriolis_matrix, {"C": square}),
            "inverse_dynamics_derivatives": Quantity(
                inverse_dynamics.derivatives,
                {"dtau_dq": square, "dtau_dv": square, "dtau_da": square},
            ),
            "regressor": Quantity(inverse_dynamics.regressor, {"Y": (n, 10 * bodies)}),
            "energy": Quantity(e.energy, {"E": ()}),
            "kinetic_energy": Quantity(e.kinetic_energy, {"T": ()}),
            "potential_energy": Quantity(e.potential_energy, {"U": ()}),
            "momentum": Quantity(e.momentum, {}),
            "center_of_mass": Quantity(e.center_of_mass, {}),
            "integrate": Quantity(e.integrate, {}),
            "forward_kinematics": Quantity(e.forward_kinematics, {"X": (4, 4)}, of_frame=True),
            "jacobian": Quantity(e.jacobian, {"J": (6, n)}, of_frame=True),
            "jacobian_rate": Quantity(e.jacobian_rate, {"dJ": (6, n)}, of_frame=True),
            "frame_velocity": Quantity(e.frame_velocity, {}, of_frame=True),
            "frame_acceleration": Quantity(e.frame_acceleration, {}, of_frame=True),
        }

    def _depending_on_loops(self, square: tuple[int, int]) -> dict[str, Quantity]:
        """Quantities that only machines with loops have, or only those without."""
        if not self.mechanism.loops:
            shapes: dict[str, tuple[int, ...]]
            shapes = {"da_dq": square, "da_dv": square, "da_dtau": square}
            return {"forward_dynamics_derivatives": Quantity(forward_dynamics.derivatives, shapes)}
        free = {"independent": self._free_joints}
        freedoms = len(self.free_velocities)
        count = len(self.mechanism.loops)
        motors = {"actuated": self.actuated}
        matrix: dict[str, tuple[int, ...]] = {"M_free": (freedoms, freedoms)}
        at_closed_loops: dict[str, tuple[Equation, dict[str, tuple[int, ...]], dict[str, Any]]] = {
            "loop_forces": (loops.constrained, {}, {}),
            **({"actuation": (loops.actuation, {}, motors)} if self.actuated else {}),
            "loop_wrenches": (loops.loop_wrenches, {"W": (count, 12)}, {}),
            "free_amplification": (loops.free_amplification, {"amplification": ()}, free),
            "reduced_inverse_dynamics": (loops.reduced_inverse_dynamics, {}, free),
            "reduced_mass_matrix": (loops.reduced_mass_matrix, matrix, free),
            "reduced_bias": (loops.reduced_bias, {}, free),
            "reduced_gravity": (loops.reduced_gravity, {}, free),
        }
        return {
            **{
                name: Quantity(equation, shapes, options=options, closed=True)
                for name, (equation, shapes, options) in at_closed_loops.items()
            },
            "loop_residuals": Quantity(loops.loop_residuals, {}),
            "loop_inconsistency": Quantity(loops.inconsistency, {}),
        }

    @cached_property
    def _completions(self) -> dict[str, Quantity]:
        """Motions of all joints from those of some: not every frame and every joint determines."""
        free = {"independent": self._free_joints}
        of_frame = Quantity(loops.complete_motion_of_frame, {"amplification": ()}, of_frame=True)
        return {
            "complete_motion": Quantity(loops.complete_motion, {}, options=free),
            "complete_motion_of_frame": of_frame,
        }

    @cached_property
    def _free_joints(self) -> tuple[str, ...] | None:
        """The joints that the user calls free, or None for those that the machine suggests."""
        if self.independent is not None or not (self.actuated and self.mechanism.loops):
            return self.independent
        freedoms = len(independent_velocities(self.mechanism))
        is_enough = len(motor_velocities(self.mechanism, self.actuated)) == freedoms
        return self.actuated if is_enough else None

    def _reduced(
        self, name: str, state: tuple[Any, ...], extra: tuple[Any, ...], check: bool, out: Any
    ) -> Any:
        if not self.mechanism.loops:
            return _called(self.kernel(name), *state, *extra, out=out)
        if check:
            self._check_posture(state[0], extra[: len(self.model.parameters.symbols)])
        return _called(self.kernel(f"reduced_{name}"), *state, *extra, out=out)

    def _check_posture(self, q: Any, parameters: tuple[Any, ...]) -> None:
        """InvalidInput unless loops are closed and the free joints determine the others."""
        if self.mechanism.loops:
            self.check_loops(q, None, None, *parameters)
            self._check_determined(q, parameters, {})

    def _check_determined(self, q: Any, parameters: tuple[Any, ...], named: dict[str, Any]) -> None:
        found = self.kernel("free_amplification").call(q, *parameters, **named)
        check_determined(self.mechanism, self.free_velocities, found)

    def expression(
        self, name: str, frame: str | None = None, *, named: bool = False
    ) -> ca.Function:
        """The ``casadi.Function`` of a quantity, with this object's parameters and wrenches.

        With ``named``, the intermediate scalars that its method names are further outputs.
        """
        quantity = self._quantity(name, frame)
        acted_on = name in _ACTED_ON
        return expression(
            quantity.equation,
            self.model,
            wrenches=self.wrenches if acted_on else (),
            moving_base=self.moving_base and acted_on,
            named=named,
            **({"frame": frame} if frame is not None else {}),
            **quantity.options,
        )

    def shapes(self, name: str) -> dict[str, tuple[int, ...]]:
        """Trailing shapes of inputs and outputs that are not columns."""
        scalars = {
            identifier(parameter): ()
            for parameter, symbol in self.model.parameters.symbols.items()
            if symbol.numel() == 1
        }
        return scalars | (self.quantities | self._completions)[name].shapes

    def kernel(self, name: str, frame: str | None = None) -> Kernel:
        """The compiled kernel of a quantity; made on first use."""
        made = self._kernels.get((name, frame))
        if made is None:
            with insistent():
                made = compile_kernel(
                    self.expression(name, frame),
                    shapes=self.shapes(name),
                    dtype=self.dtype,
                    threads=self.threads,
                    cache=self._cache,
                )
            self._kernels[name, frame] = made
        return made

    def operations(self, name: str, frame: str | None = None) -> Operations:
        """Arithmetic of one evaluation of a quantity."""
        return count_operations(self.expression(name, frame))

    def _quantity(self, name: str, frame: str | None) -> Quantity:
        quantity = (self.quantities | self._completions).get(name)
        if quantity is None and name in _LACKING:
            raise InvalidInput(f"'{self.mechanism.name}' has no {name}: {_LACKING[name]}.")
        if quantity is None:
            raise UnknownName("Dynamics", "quantity", name, self.quantities)
        if quantity.of_frame and frame is None:
            known = ", ".join(self.mechanism.frame_names[:8])
            raise InvalidInput(f"{name} needs frame=, one of {known} …")
        if frame is not None and not quantity.of_frame:
            raise InvalidInput(f"{name} is of the whole machine and takes no frame.")
        if name in INVERTING:
            check_accelerations(self.model, quantity.equation)
        return quantity

    @cached_property
    def singular_joints(self) -> tuple[str, ...]:
        """Joints that make the mass matrix singular in every posture: () where M⁻¹ exists.

        Numbers that are arguments are not known beforehand, so with ``parameters`` it is () too.
        """
        return joints_without_inertia(self.mechanism) if is_known(self.model) else ()

    # -- to look at ------------------------------------------------------------------------------

    def full_name(self, name: str) -> str:
        """The name of a quantity that says whether it is one of the spanning tree only."""
        return f"tree_{name}" if self.mechanism.loops and name in OF_THE_TREE else name

    def info(self) -> str:
        """The tree, the sizes and the operation counts of the main quantities, as text."""
        lines = [describe(self.mechanism), "", "operations of one evaluation:"]
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
            if not (self.singular_joints and name in INVERTING)
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
            f"forward by {self.forward.__name__}; compiled: {compiled or 'nothing yet'}>"
        )


def _called(kernel: Kernel, *arguments: Any, out: Any, **named: Any) -> Any:
    """A call without keywords where there are none: these take another, slower way."""
    return kernel.call(*arguments, **(named if out is None else named | {"out": out}))


def default_forward(model: Model) -> Equation:
    """The method of forward dynamics with fewest operations for a machine, loops closed."""
    if model.mechanism.loops:
        return loops.multipliers
    if model.has_mimics or model.nv <= FACTORIZE_UP_TO:
        return forward_dynamics.factorized
    return forward_dynamics.articulated_body


def is_known(model: Model) -> bool:
    """Whether masses and lengths of a machine are numbers, all of them."""
    return set(model.parameters.symbols) <= {"gravity"}


def check_accelerations(model: Model, method: Equation) -> None:
    """Raise InvalidModel where a method would have to invert a matrix that has no inverse."""
    if is_known(model) and method not in _OF_INDEPENDENT_MOTION:
        check_invertible(model.mechanism)
