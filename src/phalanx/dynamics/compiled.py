"""What is compiled for a machine, and when: each quantity on first use, from a table by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, TypedDict, Unpack

import casadi as ca

from phalanx.arguments import checked_but
from phalanx.dynamics.loop_table import completions, free_joints, loop_quantities
from phalanx.dynamics.methods import Equation, check_accelerations, default_forward, is_known
from phalanx.dynamics.quantities import ACTED_ON, INVERTING, LACKING, Quantity, quantities
from phalanx.equations import inverse_dynamics
from phalanx.equations.assembly.free_joints import independent_velocities
from phalanx.equations.assembly.model import model_of
from phalanx.equations.expression import expression, identifier
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput, UnknownName
from phalanx.kernel import Kernel, Operations, count_operations
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.keywords import Default, spelled_out
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import joints_without_inertia

Evaluate = Callable[..., Any]


class CodeKeywords(TypedDict, total=False):
    """How code is made."""

    threads: Annotated[int | None, Default(None)]
    dtype: Annotated[Literal["float64", "float32"], Default("float64")]
    cache: Annotated[bool, Default(True)]


class CompiledQuantities:
    """A machine, what is open in it, and the kernels that were asked for so far."""

    @checked_but("mechanism", "inverse", "forward", "dtype", "threads")
    @spelled_out
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
        **made: Unpack[CodeKeywords],
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
        threads = made["threads"]
        self.threads = None if threads is None else checked_threads(threads)
        self.dtype = checked_dtype(made["dtype"]).name
        self._cache = made["cache"]
        self._kernels: dict[tuple[str, str | None], Kernel] = {}
        model = self.model  # its loops close, or there is no Dynamics
        for frame in self.wrenches:
            model.place(frame)

    @cached_property
    def model(self) -> Model:
        """The node tree all equations share."""
        return model_of(self.mechanism, self.parameters)

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

        Numbers that are arguments are not known beforehand, so with ``parameters`` it is () too.
        """
        return joints_without_inertia(self.mechanism) if is_known(self.model) else ()

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """All quantities by name."""
        table = quantities(self.mechanism, self.inverse, self.forward)
        if not self.mechanism.loops:
            return table
        free = self._free_joints, len(self.free_velocities)
        return table | loop_quantities(self.mechanism, self.actuated, *free)

    @cached_property
    def _completions(self) -> dict[str, Quantity]:
        return completions(self._free_joints)

    def expression(
        self, name: str, frame: str | None = None, *, named: bool = False
    ) -> ca.Function:
        """The ``casadi.Function`` of a quantity, with this object's parameters and wrenches.

        With ``named``, the intermediate scalars that its method names are further outputs.
        """
        quantity = self._quantity(name, frame)
        acted_on = name in ACTED_ON
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
        if quantity is None and name in LACKING:
            raise InvalidInput(f"'{self.mechanism.name}' has no {name}: {LACKING[name]}.")
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


def called(kernel: Kernel, *arguments: Any, out: Any, **named: Any) -> Any:
    """A call without keywords where there are none: these take another, slower way."""
    return kernel.call(*arguments, **(named if out is None else named | {"out": out}))
