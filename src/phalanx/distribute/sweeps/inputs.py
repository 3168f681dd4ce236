"""Named inputs of a compiled call that a sweep can vary, and arrays of cases from them.

``q0`` is a whole vector, ``q0[2]`` one of its numbers, ``q0.elbow`` the part of a joint;
``link_3.mass`` a number that can be opened, ``link_3.mass.factor`` that number times what is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.sweeps.cases import ColumnType
from phalanx.distribute.sweeps.chunk import Array
from phalanx.equations.tree.parameters import machine_numbers, parameter_value
from phalanx.mechanism import Mechanism

_ENTRY = re.compile(r"(.+)\[(\d+)\]")
FACTOR = ".factor"
UNITS = {
    **{"mass": "kg", "com": "m", "inertia": "kg·m²"},
    **{"position": "m", "rotor_inertia": "kg·m²", "gravity": "m/s²"},
    **{"stiffness": "N·m/rad or N/m", "damping": "N·m·s/rad or N·s/m", "rest": "rad or m"},
    **{"rest_length": "m", "preload": "N"},
}
# of springs between frames, which turn nothing
SPRING_UNITS = {"stiffness": "N/m", "damping": "N·s/m"}


def stem(name: str) -> str:
    """What a name is about: ``link_3.com`` of ``link_3.com[2].factor``."""
    base = name.removesuffix(FACTOR)
    entry = _ENTRY.fullmatch(base)
    return entry[1] if entry else base


@final
@dataclass(frozen=True)
class InputSlot:
    """The input, and its part, that a varied number goes to.

    Attributes:
        base: The input.
        part: Which of its numbers; all when None.
        factor: Whether what the input is otherwise is multiplied.
    """

    base: str
    part: slice | int | None = None
    factor: bool = False


@final
@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of a call and their nominal values.

    Attributes:
        owner: What has them, for messages.
        mechanism: The machine, whose numbers may be varied too.
        nominal: Input to its value, shape () or (n,).
        beside: Further numbers that can be opened: of forces and control, shape (n,).
        parts: Further names, of parts of inputs.
    """

    owner: str
    mechanism: Mechanism
    nominal: Mapping[str, Array]
    parts: Mapping[str, InputSlot] = field(default_factory=dict)
    beside: Mapping[str, Array] = field(default_factory=dict)

    def place(self, name: str) -> InputSlot:
        """Where a name points to.

        Raises:
            UnknownName: When there is no such thing.
        """
        if name in self.nominal or name in self._open:
            return InputSlot(name)
        if name in self.parts:
            return self.parts[name]
        if name.endswith(FACTOR):
            inner = self.place(name.removesuffix(FACTOR))
            return InputSlot(inner.base, inner.part, factor=True)
        entry = _ENTRY.fullmatch(name)
        if entry and (entry[1] in self.nominal or entry[1] in self._open):
            size, k = self.value(entry[1]).size, int(entry[2])
            if k < size:
                return InputSlot(entry[1], k)
            raise InvalidInput(f"{name}: {entry[1]} of {self.owner} has {size} numbers, from 0 on.")
        raise UnknownName(self.owner, "input", name, [*self.nominal, *self.parts, *self._open])

    def value(self, base: str) -> Array:
        """Return the nominal value of an input; one number has shape ()."""
        if base in self.nominal:
            return self.nominal[base]
        value = self.beside.get(base)
        value = np.asarray(parameter_value(self.mechanism, base) if value is None else value)
        return value.reshape(()) if value.size == 1 else value

    @cached_property
    def _open(self) -> dict[str, None]:
        """Names of numbers that are fixed unless they are opened."""
        return dict.fromkeys((*self.beside, *machine_numbers(self.mechanism)))

    def parameters(self, names: Iterable[str]) -> tuple[str, ...]:
        """The numbers that have to be opened for what is varied, each once."""
        bases = dict.fromkeys(self.place(name).base for name in names)
        return tuple(base for base in bases if base not in self.nominal)

    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """That names exist, shapes fit, and none is set twice.

        Raises:
            UnknownName: When there is no such thing.
            InvalidInput: When a shape does not fit, or a number is set twice.
        """
        owners: dict[tuple[str, int], str] = {}
        for name, column in columns.items():
            place = self.place(name)
            target = self.value(place.base)
            shape = target.shape if place.part is None else target[place.part].shape
            if column.labels:
                raise InvalidInput(f"'{name}' is a number; the cases have words for it.")
            if column.shape != shape and not (place.factor and column.shape == ()):
                numbers = f"{shape[0]} numbers" if shape else "one number"
                raise InvalidInput(
                    f"'{name}' is {numbers} a case; the cases have shape {column.shape}."
                )
            if place.factor:
                self._check_factor(name, place, columns)
                continue
            entries = np.arange(target.size).reshape(target.shape)
            for k in np.ravel(entries if place.part is None else entries[place.part]).tolist():
                if (place.base, k) in owners:
                    raise InvalidInput(
                        f"'{name}' and '{owners[place.base, k]}' set the same number."
                    )
                owners[place.base, k] = name

    def batch(self, values: Mapping[str, Array], count: int) -> dict[str, Array]:
        """Arrays of shape (count, ...) for all inputs that are varied; factors come last."""
        made: dict[str, Array] = {}
        places = {name: self.place(name) for name in values}
        for name in sorted(places, key=lambda name: places[name].factor):
            place = places[name]
            if place.base not in made:
                nominal = self.value(place.base)
                made[place.base] = np.repeat(nominal[None].astype(np.float64), count, axis=0)
            array, given = made[place.base], np.asarray(values[name], dtype=np.float64)
            where: Any = ... if place.part is None else np.s_[:, place.part]
            if place.factor:
                target = array[where]
                array[where] = target * given.reshape(
                    given.shape + (1,) * (target.ndim - given.ndim)
                )
            else:
                array[where] = given
        return made

    def unit(self, name: str, units: Mapping[str, str]) -> str:
        """What a name is measured in; a factor in nothing."""
        place = self.place(name)
        owner, _, attribute = place.base.rpartition(".")
        is_spring = any(owner == spring.name for spring in self.mechanism.springs)
        usual = UNITS | SPRING_UNITS if is_spring else UNITS
        return "" if place.factor else units.get(place.base) or usual.get(attribute, "")

    def _check_factor(self, name: str, place: InputSlot, columns: Mapping[str, ColumnType]) -> None:
        target = self.value(place.base)
        given = {self.place(other).base for other in columns if not other.endswith(FACTOR)}
        if place.base not in given and not np.any(
            target if place.part is None else target[place.part]
        ):
            base = name.removesuffix(FACTOR)
            raise InvalidInput(
                f"'{name}' multiplies {base}, which is 0: all cases would be alike. Vary '{base}'."
            )
