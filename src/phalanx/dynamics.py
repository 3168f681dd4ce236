"""The front door: every quantity of a mechanism as a compiled, batched function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

import casadi as ca

from phalanx import equations
from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix
from phalanx.equations.build import model_of
from phalanx.equations.expression import expression, identifier
from phalanx.equations.model import Model
from phalanx.errors import InvalidInput, UnknownName
from phalanx.kernel import Kernel, Operations, count_operations
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.mechanism.describe import describe

Equation = Callable[..., Any]
Evaluate = Callable[..., Any]

# Beyond this many freedoms linear-time forward dynamics needs fewer operations than factorizing M
# (UR5 516 against 586, Solo with 18 freedoms 2870 against 2814, Talos with 44 11003 against 9214).
FACTORIZE_UP_TO = 12


@dataclass(frozen=True)
class Quantity:
    """An equation and the trailing shape of its outputs, where it is not a column's."""

    equation: Equation
    shapes: dict[str, tuple[int, ...]]
    of_frame: bool = False


# why a machine may not have a quantity
_LACKING = {
    "loop_forces": "it has no loops",
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

    >>> d = Dynamics(library.puma560())
    >>> tau = d.inverse_dynamics(q, v, a)
    """

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
                :mod:`phalanx.equations.parameters`.
            wrenches: Frames on which an external wrench (force, moment), in the frame's axes, is an
                argument of inverse and forward dynamics.
            moving_base: Whether velocity and acceleration of the root (linear, angular, root axes)
                are arguments of inverse and forward dynamics.
            actuated: Joints with motors, for ``actuation`` of a machine with loops.
            threads: For large batches; all cores when not given.
            dtype: Of arguments and results.
            cache: Whether compiled code is kept on disk.

        Raises:
            UnknownName: When a parameter or frame does not exist.
            InvalidInput: When an option is not one of those above.
            OpenLoop: When the loops of the machine do not close.
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
        self.inverse = inverse
        self.forward = forward or default_forward(self.model)
        self.threads = threads
        self.dtype = dtype
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

        With loops: the forces with which nothing goes through them; see ``actuation``.
        """
        return self.kernel("inverse_dynamics").call

    @cached_property
    def forward_dynamics(self) -> Evaluate:
        """``(q, v, tau) -> a``: accelerations under joint forces, shape (..., nv)."""
        return self.kernel("forward_dynamics").call

    @cached_property
    def loop_forces(self) -> Evaluate:
        """``(q, v, tau) -> (a, loop_force)``: accelerations and forces that keep loops closed."""
        return self.kernel("loop_forces").call

    @cached_property
    def actuation(self) -> Evaluate:
        """``(q, v, a) -> (tau, loop_force)``: forces of the ``actuated`` joints, loops closed."""
        return self.kernel("actuation").call

    @cached_property
    def mass_matrix(self) -> Evaluate:
        """``(q) -> M``, shape (..., nv, nv)."""
        return self.kernel("mass_matrix").call

    @cached_property
    def bias(self) -> Evaluate:
        """``(q, v) -> c``: Coriolis, centrifugal and gravity forces, shape (..., nv)."""
        return self.kernel("bias").call

    @cached_property
    def gravity(self) -> Evaluate:
        """``(q) -> g``: joint forces that hold the machine still, shape (..., nv)."""
        return self.kernel("gravity").call

    @cached_property
    def coriolis_matrix(self) -> Evaluate:
        """``(q, v) -> C`` with dM/dt - 2C skew, shape (..., nv, nv)."""
        return self.kernel("coriolis_matrix").call

    @cached_property
    def inverse_dynamics_derivatives(self) -> Evaluate:
        """``(q, v, a) -> (dtau_dq, dtau_dv, dtau_da)``, each (..., nv, nv)."""
        return self.kernel("inverse_dynamics_derivatives").call

    @cached_property
    def forward_dynamics_derivatives(self) -> Evaluate:
        """``(q, v, tau) -> (da_dq, da_dv, da_dtau)``, each (..., nv, nv)."""
        return self.kernel("forward_dynamics_derivatives").call

    @cached_property
    def regressor(self) -> Evaluate:
        """``(q, v, a) -> Y``, linear in ten inertial parameters a body, (..., nv, 10·bodies)."""
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
            "forward_dynamics": Quantity(self.forward, {}),
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
        motors = {"actuation": Quantity(loops.actuation, {})} if self.actuated else {}
        return {"loop_forces": Quantity(loops.constrained, {}), **motors}

    def expression(
        self, name: str, frame: str | None = None, *, named: bool = False
    ) -> ca.Function:
        """The ``casadi.Function`` of a quantity, with this object's parameters and wrenches.

        With ``named``, the intermediate scalars that its method names are further outputs.
        """
        quantity = self._quantity(name, frame)
        acted_on = name in ("inverse_dynamics", "forward_dynamics", "loop_forces")
        return expression(
            quantity.equation,
            self.model,
            wrenches=self.wrenches if acted_on else (),
            moving_base=self.moving_base and acted_on,
            named=named,
            **({"frame": frame} if frame is not None else {}),
            **({"actuated": self.actuated} if name == "actuation" else {}),
        )

    def shapes(self, name: str) -> dict[str, tuple[int, ...]]:
        """Trailing shapes of inputs and outputs that are not columns."""
        scalars = {
            identifier(parameter): ()
            for parameter, symbol in self.model.parameters.symbols.items()
            if symbol.numel() == 1
        }
        return scalars | self.quantities[name].shapes

    def kernel(self, name: str, frame: str | None = None) -> Kernel:
        """The compiled kernel of a quantity; made on first use."""
        made = self._kernels.get((name, frame))
        if made is None:
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
        quantity = self.quantities.get(name)
        if quantity is None and name in _LACKING:
            raise InvalidInput(f"'{self.mechanism.name}' has no {name}: {_LACKING[name]}.")
        if quantity is None:
            raise UnknownName("Dynamics", "quantity", name, self.quantities)
        if quantity.of_frame and frame is None:
            known = ", ".join(self.mechanism.frame_names[:8])
            raise InvalidInput(f"{name} needs frame=, one of {known} …")
        if frame is not None and not quantity.of_frame:
            raise InvalidInput(f"{name} is of the whole machine and takes no frame.")
        return quantity

    # -- to look at ------------------------------------------------------------------------------

    def info(self) -> str:
        """The tree, the sizes and the operation counts of the main quantities, as text."""
        lines = [describe(self.mechanism), "", "operations of one evaluation:"]
        main = (
            "inverse_dynamics",
            "forward_dynamics",
            "mass_matrix",
            "inverse_dynamics_derivatives",
        )
        lines += [f"  {name:<30} {self.operations(name)}" for name in main]
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


def default_forward(model: Model) -> Equation:
    """The method of forward dynamics with fewest operations for a machine, loops closed."""
    if model.mechanism.loops:
        return loops.multipliers
    if model.has_mimics or model.nv <= FACTORIZE_UP_TO:
        return forward_dynamics.factorized
    return forward_dynamics.articulated_body
