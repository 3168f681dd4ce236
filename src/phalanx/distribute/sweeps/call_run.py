"""Sweep over a Python function of the user, one case after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.cases import ColumnType, check_names
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable, nothing
from phalanx.distribute.sweeps.run import SweepRun, reason_of


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Case(Mapping[str, Any]):
    """One case: what is varied, by name.

    Attributes:
        number: Of the case in the study.
        seed: Of the study.
        given: What is varied: numbers, arrays or words.
    """

    number: int
    seed: int
    given: Mapping[str, Any]

    def generator(self) -> np.random.Generator:
        """Random numbers of this case, from the study's seed and the case's number alone."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, self.number]))

    def __getitem__(self, name: str) -> Any:
        """A value.

        Raises:
            UnknownName: When nothing of that name is varied.
        """
        if name not in self.given:
            raise UnknownName("a case", "value", name, self.given)
        return self.given[name]

    # a mapping finds these by KeyError, which an unknown name is not
    def __contains__(self, name: object) -> bool:
        """Whether something of that name is varied."""
        return name in self.given

    def get(self, name: str, default: Any = None) -> Any:
        """A value, or another where nothing of that name is varied."""
        return self.given.get(name, default)

    def __iter__(self) -> Iterator[str]:
        """Over names."""
        return iter(self.given)

    def __len__(self) -> int:
        """How many names."""
        return len(self.given)


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Call(SweepRun):
    """A function of a case; a case for which it raises is a failure with that reason.

    >>> px.sweeps.Call(lambda case: {"area": case["width"] * case["height"]}, gives={"area": ()})

    Attributes:
        function: ``function(case) -> {name: value}``, with a :class:`Case`; its results must depend
            on the case alone.
        gives: Name of each result to its shape.
        units: Of results and of what is varied, where they have some.
    """

    is_one_by_one: ClassVar[bool] = True

    function: Callable[[Case], Mapping[str, Any]]
    gives: Mapping[str, Sequence[int]]
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check names and shapes."""
        check_fields(self, but=("gives",))
        check_names(list(self.gives))
        try:
            shapes = {name: tuple(map(int, shape)) for name, shape in self.gives.items()}
        except (TypeError, ValueError):
            shapes = {}
        if not shapes or any(size < 1 for shape in shapes.values() for size in shape):
            raise InvalidInput(
                f"gives={shown(dict(self.gives))}; expected each result's name and shape, such as "
                "{'area': (), 'path': (100, 3)}."
            )
        object.__setattr__(self, "gives", shapes)

    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """A function may use any name."""

    def default_keep(self) -> tuple[str, ...]:
        """All."""
        return tuple(self.gives)

    def variables(self, keep: Sequence[str]) -> dict[str, Variable]:
        """What is kept."""
        for name in keep:
            if name not in self.gives:
                raise UnknownName("this function", "result", name, self.gives)
        return {
            name: Variable(
                tuple(f"{name}_axis_{k}" for k in range(len(self.gives[name]))),
                tuple(self.gives[name]),
                unit=self.units.get(name, ""),
            )
            for name in keep
        }

    def axes(self, keep: Sequence[str]) -> dict[str, Axis]:
        """None that it knows of."""
        return {}

    def unit(self, name: str) -> str:
        """Return the unit that was given."""
        return self.units.get(name, "")

    def chunk(
        self, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
    ) -> Chunk:
        """One case after the other."""
        variables = self.variables(keep)
        results = dict(nothing(variables, dict.fromkeys(numbers, "")).results)
        failures: dict[int, str] = {}
        for row, number in enumerate(numbers):
            case = Case(number, seed, {name: _plain(array[row]) for name, array in values.items()})
            try:
                found = self.function(case)
                kept = {name: self._checked(name, found) for name in keep}
            except (Exception, SystemExit) as error:  # whatever a function does, the rest goes on
                failures[number] = reason_of(error)
            else:
                for name, value in kept.items():
                    results[name][row] = value
        return Chunk(results, failures)

    def _checked(self, name: str, found: Mapping[str, Any]) -> Array:
        if not isinstance(found, Mapping) or name not in found:
            raise InvalidInput(f"the function gave {shown(found)}, which has no '{name}'.")
        value = np.asarray(found[name], dtype=np.float64)
        if value.shape != self.gives[name]:
            raise InvalidInput(
                f"the function gave '{name}' of shape {value.shape}; gives= says "
                f"{tuple(self.gives[name])}."
            )
        return value

    def to_data(self) -> dict[str, Any]:
        """The function's name and what it gives."""
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        module = getattr(self.function, "__module__", "")
        gives = {name: list(shape) for name, shape in self.gives.items()}
        return {"kind": "call", "function": f"{module}.{name}", "gives": gives}

    def identity(self) -> Any:
        """The function's code and all that it sees."""
        return self.function, dict(self.gives)


def _plain(value: Any) -> Any:
    """Numbers and words of Python; arrays as they are."""
    return value.item() if isinstance(value, np.generic) else value
