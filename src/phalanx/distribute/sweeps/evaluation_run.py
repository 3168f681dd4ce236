"""Sweep over a quantity of a machine: a chunk is one compiled call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields, finite_numbers
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.cases import ColumnType
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable
from phalanx.distribute.sweeps.inputs import Inputs, InputSlot
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.dynamics import Dynamics
from phalanx.equations.expression import POSITIONS, identifier
from phalanx.equations.tree.parameters import check_parameter
from phalanx.mechanism import Mechanism
from phalanx.simulation.record.channels import run_channels


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Evaluation(SweepRun):
    """A quantity of :class:`phalanx.Dynamics` at many states or for many machines.

    Can be varied: its arguments (``q``, ``v[0]``, ``q.<joint>``), numbers of the machine and each
    with ``.factor``. What it gives can be kept, by the names that the quantity has for it.

    >>> px.sweeps.Evaluation(arm, "inverse_dynamics")

    Attributes:
        machine: The machine.
        quantity: Its name, as a method of Dynamics has it.
        frame: The frame that it is of, where it is of one.
        at: Arguments that are not varied; else positions are neutral and all else is zero.
        dtype: "float64" or "float32".
        threads: Of a call; all cores when not given.
    """

    machine: Mechanism
    quantity: str
    frame: str | None = None
    at: Mapping[str, ArrayLike] = field(default_factory=dict)
    dtype: Literal["float64", "float32"] = "float64"
    threads: int | None = None

    def __post_init__(self) -> None:
        """Check that there is such a quantity, and its arguments; nothing is compiled yet."""
        check_fields(self)
        for name in self.at:
            if name not in self._inputs.nominal:
                raise UnknownName(self.quantity, "argument", name, self._inputs.nominal)

    def dynamics(self, parameters: Sequence[str] = ()) -> Dynamics:
        """The machine with some numbers open; kept, with what is compiled for it."""
        made: dict[Any, Dynamics] = self.__dict__.setdefault("_made", {})
        key = tuple(parameters)
        if key not in made:
            made[key] = Dynamics(
                self.machine, parameters=key, dtype=self.dtype, threads=self.threads
            )
        return made[key]

    def __getstate__(self) -> dict[str, Any]:
        """The description alone: nothing compiled travels with it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def _inputs(self) -> Inputs:
        m, function = self.machine, self.dynamics().expression(self.quantity, self.frame)
        nominal: dict[str, Array] = {}
        for name in function.name_in():
            size = function.numel_in(name)
            value = m.neutral() if name in POSITIONS else np.zeros(size)
            value = finite_numbers(name, self.at.get(name, value))
            if value.shape not in ((size,), *(((),) if size == 1 else ())):
                raise InvalidInput(f"{name} has shape {value.shape}; expected ({size},).")
            nominal[name] = value
        parts = {
            f"{name}.{joint.name}": InputSlot(name, s.start if s.stop - s.start == 1 else s)
            for name, slices in (("q", m.q_slices), ("v", m.v_slices), ("a", m.v_slices))
            if name in nominal
            for joint in m.moving_joints
            for s in (slices[joint.name],)
        }
        return Inputs(f"{self.quantity} of '{m.name}'", m, nominal, parts)

    @cached_property
    def _outputs(self) -> dict[str, tuple[int, ...]]:
        dynamics = self.dynamics()
        function = dynamics.expression(self.quantity, self.frame)
        shapes = dynamics.shapes(self.quantity)
        return {name: shapes.get(name, (function.numel_out(name),)) for name in function.name_out()}

    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """That it has what is varied."""
        self._inputs.check(columns)

    def default_keep(self) -> tuple[str, ...]:
        """All that it gives."""
        return tuple(self._outputs)

    def variables(self, keep: Sequence[str]) -> dict[str, Variable]:
        """What is kept."""
        found = {}
        for name in keep:
            if name not in self._outputs:
                raise UnknownName(self._inputs.owner, "result", name, self._outputs)
            shape = self._outputs[name]
            dims = tuple(f"{name}_axis_{k}" for k in range(len(shape)))
            dims = ("joint",) if self._is_of_joints(name) else dims
            unit = self._units.get(name, "") if self._is_of_joints(name) else ""
            found[name] = Variable(dims, shape, np.dtype(self.dtype), unit, self.quantity)
        return found

    def axes(self, keep: Sequence[str]) -> dict[str, Axis]:
        """Entries of vectors as long as the machine has velocities belong to joints."""
        labels = [
            joint.name if joint.motion.nv == 1 else f"{joint.name}[{k}]"
            for joint in self.machine.moving_joints
            for k in range(joint.motion.nv)
        ]
        return {"joint": Axis(labels)} if any(map(self._is_of_joints, keep)) else {}

    def _is_of_joints(self, name: str) -> bool:
        return name in ("tau", "a") and self._outputs[name] == (self.machine.nv,)

    def unit(self, name: str) -> str:
        """Of something that is varied."""
        return self._inputs.unit(name, self._units)

    @cached_property
    def _units(self) -> dict[str, str]:
        """Of positions, velocities and joint forces of this machine."""
        known = {channel.name: channel.unit for channel in run_channels(self.machine)}
        return {name: known[name] for name in ("q", "v", "tau")}

    def prepare(self, names: Sequence[str], keep: Sequence[str]) -> None:
        """Compile the quantity."""
        self.dynamics(self._inputs.parameters(names)).kernel(self.quantity, self.frame)

    def chunk(
        self, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
    ) -> Chunk:
        """One compiled call."""
        count = len(numbers)
        parameters = self._inputs.parameters(values)
        kernel = self.dynamics(parameters).kernel(self.quantity, self.frame)
        given = dict(self._inputs.nominal) | self._inputs.batch(values, count)
        for name in parameters:
            check_parameter(self.machine, name, given[name])
        given |= {identifier(name): given[name] for name in parameters}
        found = kernel(*(given[port.name].astype(self.dtype) for port in kernel.inputs))
        arrays = found if isinstance(found, tuple) else (found,)
        results = {}
        for port, array in zip(kernel.outputs, arrays, strict=True):
            if port.name in keep:
                shape = (count, *self._outputs[port.name])
                results[port.name] = np.array(np.broadcast_to(np.asarray(array), shape))
        good = np.all(
            [np.isfinite(x.reshape(count, -1)).all(axis=1) for x in results.values()], axis=0
        )
        for array in results.values():
            array[~good] = np.nan
        why = f"its {self.quantity} is not finite"
        return Chunk(results, {numbers[int(row)]: why for row in np.flatnonzero(~good)})

    def to_data(self) -> dict[str, Any]:
        """What a person wants to know of it."""
        return {
            "kind": "evaluation",
            "machine": self.machine.name,
            "quantity": self.quantity,
            "frame": self.frame,
            "dtype": self.dtype,
        }

    def identity(self) -> Any:
        """All fields but the number of threads, on which no bit depends."""
        return {k: v for k, v in self.__getstate__().items() if k != "threads"}
