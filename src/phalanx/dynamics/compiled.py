"""What is compiled for a machine, and when: each quantity on first use, from a table by name."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Literal

import casadi as ca

from phalanx.base.arguments import checked_but
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName, UnsupportedLoad
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.method import Method
from phalanx.dynamics.long.choice import LONG, check_unrolled_size, node_count, why_unrolled
from phalanx.dynamics.long.dense import INSTEAD, too_large
from phalanx.dynamics.long.kernel import walked_kernel, walked_operations
from phalanx.dynamics.long.machine import LongMachine
from phalanx.dynamics.long.quantities import WALKED
from phalanx.dynamics.loop_table import completions, free_joints, loop_quantities
from phalanx.dynamics.methods import (
    Equation,
    check_accelerations,
    check_methods,
    default_forward,
    method_name,
)
from phalanx.dynamics.quantities import (
    ACTED_ON,
    INVERTING,
    LACKING,
    OF_UNLOADED,
    Quantity,
    quantities,
)
from phalanx.dynamics.quantity_method import describe
from phalanx.equations import inverse_dynamics, mass_matrix
from phalanx.equations.expression import (
    POSITIONS,
    acting_inputs,
    expression,
    identifier,
    identifiers,
    state_inputs,
)
from phalanx.equations.forward_dynamics import articulated_body
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.methods.reduced_inertia import joints_without_inertia_in_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.axes import ALIGNED, Axes, check_axes
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.parameters import Parameters
from phalanx.kernel import Kernel, Operations, count_operations
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.kernel.interrupts.repeated_interrupts import repeated_interrupts
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import no_accelerations

_log = logging.getLogger(__name__)


class CompiledQuantities:
    """A machine, what is open in it, and the kernels that were asked for so far."""

    @checked_but("mechanism", "inverse", "forward", "mass_matrix", "dtype", "threads")
    def __init__(
        self,
        mechanism: Mechanism,
        *,
        inverse: Equation = inverse_dynamics.recursive,
        forward: Equation | Method | None = None,
        mass_matrix: Equation = mass_matrix.composite_body,
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
        self._asked_forward = forward
        self.mechanism = mechanism
        self.parameters = tuple(parameters)
        self.wrenches = tuple(wrenches)
        self.moving_base = moving_base
        self.actuated = tuple(actuated)
        self.independent = None if independent is None else tuple(independent)
        self.threads = None if threads is None else checked_threads(threads)
        self.dtype = checked_dtype(dtype).name
        self._cache = cache
        self._kernels: dict[tuple[str, str | None, Axes | None], Kernel] = {}
        self.inverse = inverse
        self._inertia = mass_matrix
        self._nodes = node_count(mechanism)
        why = why_unrolled(mechanism, self.parameters, self.dtype, inverse, forward, mass_matrix)
        self._is_long = self._nodes > LONG and why is None
        if self._is_long:
            Parameters(mechanism, self.parameters)
            self.forward: Equation | Method = forward or Automatic()
        else:
            self._check_unrolled(why, forward)
            self.forward = forward or default_forward(self.model)
        for frame in self.wrenches:
            mechanism.frame(frame)

    def _check_unrolled(self, why: str | None, forward: Equation | Method | None) -> None:
        """That unrolled code can be compiled, and that the loops close: or there is no Dynamics."""
        m = self.mechanism
        if isinstance(forward, Method) and why is not None:
            raise InvalidInput(
                f"forward={forward!r} walks over the bodies of '{m.name}', and {why}; leave "
                "forward= out, or change that."
            )
        if why is not None:
            check_unrolled_size(m, self._nodes, why)
        if self._nodes > LONG:
            _log.info("'%s' is unrolled, for %s", m.name, why)
        _ = self.model

    @cached_property
    def model(self) -> Model:
        """The node tree all equations share; built when asked for where the machine is long."""
        check_unrolled_size(self.mechanism, self._nodes, "its symbolic model is asked for")
        return model_of(self.mechanism, self.parameters)

    @property
    def forward_name(self) -> str:
        """The method of forward dynamics in a word."""
        return method_name(self.forward)

    @cached_property
    def _long(self) -> LongMachine:
        """The machine as arrays of bodies."""
        method = self.forward if isinstance(self.forward, Method) else Automatic()
        threads = checked_threads(self.threads)
        return LongMachine(self.mechanism, method, threads, self.wrenches, self._cache)

    @cached_property
    def _free_joints(self) -> tuple[str, ...] | None:
        """The joints that the user calls free, or None for those that the machine suggests."""
        return free_joints(self.mechanism, self.actuated, self.independent)

    @cached_property
    def free_velocities(self) -> tuple[int, ...]:
        """Numbers of the velocities that ``v_free`` and ``a_free`` list, in their order."""
        return tuple(independent_velocities(self.mechanism, self._free_joints))

    @cached_property
    def singular_joints(self) -> tuple[str, ...]:
        """Joints that make the mass matrix singular in every posture: () where M⁻¹ exists.

        A joint that follows others through closed loops needs no inertia of its own.

        Numbers that are arguments are not known beforehand, so with ``parameters`` it is () too.
        """
        if set(self.parameters) - {"gravity"}:
            return ()
        if self._is_long:
            return self._long.singular_joints
        return joints_without_inertia_in_loops(self.mechanism)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """All quantities by name."""
        forward = articulated_body if isinstance(self.forward, Method) else self.forward
        table = quantities(self.mechanism, self.inverse, forward, self._inertia)
        if not self.mechanism.loops:
            return table
        free = self._free_joints, len(self.free_velocities)
        return table | loop_quantities(self.mechanism, self.actuated, *free)

    @cached_property
    def _completions(self) -> dict[str, Quantity]:
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
        acted_on = name in ACTED_ON
        return expression(
            quantity.equation,
            self.model,
            wrenches=self.wrenches if acted_on else (),
            moving_base=self.moving_base and acted_on,
            named=named,
            **({"frame": frame} if frame is not None else {}),
            **({"axes": axes or ALIGNED} if quantity.in_axes else {}),
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
        if self._is_walked(name):
            made = self._walked_kernel(name, frame, axes)
        else:
            self._check_matrix(name, quantity)
            with repeated_interrupts():
                made = compile_kernel(
                    self.expression(name, frame, axes),
                    shapes=self.shapes(name),
                    dtype=self.dtype,
                    threads=self.threads,
                    cache=self._cache,
                )
        describe(made, type(self), name)
        self._kernels[name, frame, axes] = made
        return made

    def operations(
        self, name: str, frame: str | None = None, axes: Axes | None = None
    ) -> Operations:
        """Arithmetic of one evaluation of a quantity."""
        quantity = self._quantity(name, frame, axes)
        if self._is_walked(name):
            return walked_operations(self._long, name)
        self._check_matrix(name, quantity)
        return count_operations(self.expression(name, frame, axes))

    def _is_walked(self, name: str) -> bool:
        """Whether a quantity comes from walks over the bodies."""
        by_method = name == "forward_dynamics" and isinstance(self.forward, Method)
        return by_method or (self._is_long and name in WALKED)

    def _walked_kernel(self, name: str, frame: str | None, axes: Axes | None) -> Kernel:
        """The kernel of a quantity that comes from walks."""
        quantity, m = self._quantity(name, frame, axes), self.mechanism
        states = dict.fromkeys(POSITIONS, m.nq) | {"s": 1}
        sizes = {state: states.get(state, m.nv) for state in state_inputs(quantity.equation)}
        sizes |= dict.fromkeys(self.parameters, 3)  # gravity, if any
        if name in ACTED_ON:
            sizes |= acting_inputs(self.wrenches, self.moving_base)
        (output,) = getattr(quantity.equation, "outputs")  # noqa: B009 - equations have it
        inputs = zip(identifiers(sizes, quantity.equation.__name__), sizes.values(), strict=True)
        return walked_kernel(
            self._long,
            name,
            identifier(f"{m.name}_{quantity.equation.__name__}"),
            {port: quantity.shapes.get(port, (size,)) for port, size in inputs},
            output,
            quantity.shapes.get(output),
            frame,
            axes or ALIGNED,
        )

    def is_too_large(self, name: str) -> bool:
        """Whether a quantity is a matrix whose code would be too large for so long a machine."""
        return self._is_long and name in INSTEAD and not self._is_walked(name)

    def _check_matrix(self, name: str, quantity: Quantity) -> None:
        if self.is_too_large(name):
            shape = next(iter(quantity.shapes.values()))
            raise too_large(self.mechanism, name, shape, self._nodes)

    def _quantity(self, name: str, frame: str | None, axes: Axes | None = None) -> Quantity:
        quantity = (self.quantities | self._completions).get(name)
        if quantity is None and name in LACKING:
            raise InvalidInput(f"'{self.mechanism.name}' has no {name}: {LACKING[name]}.")
        if quantity is None:
            raise UnknownName("Dynamics", "quantity", name, self.quantities)
        if name in OF_UNLOADED and (self.wrenches or self.moving_base):
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
        if name in INVERTING and self._is_long and self.singular_joints:
            raise no_accelerations(self.mechanism, self.singular_joints)
        if name in INVERTING and not self._is_long:
            check_accelerations(self.model, quantity.equation)
        return quantity


def called(kernel: Kernel, *arguments: Any, out: Any, **named: Any) -> Any:
    """A call without keywords where there are none: these take another, slower way."""
    return kernel.call(*arguments, **(named if out is None else named | {"out": out}))
