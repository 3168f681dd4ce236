"""Typed access to JSON fields; errors name the file and the place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from phalanx.base.errors import ReadError, shown


@dataclass(frozen=True)
class Fields:
    """A JSON object and where it was found.

    Attributes:
        values: What ``json`` made of it.
        place: For messages: ``plan.json: placement 3``.
    """

    values: dict[str, Any]
    place: str

    @staticmethod
    def of(value: Any, place: str) -> Fields:
        """The fields of a value that must be an object."""
        if not isinstance(value, dict):
            raise ReadError(f"{place} is {shown(value)}; expected an object.")
        return Fields(value, place)

    def text(self, key: str) -> str:
        """A string."""
        value = self._value(key)
        return value if isinstance(value, str) else self.wrong(key, "a text")

    def number(self, key: str) -> float:
        """A finite number."""
        value = self._value(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(key, "a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        return number if math.isfinite(number) else self.wrong(key, "a finite number")

    def count(self, key: str, below: int | None = None) -> int:
        """A whole number from 0, less than ``below`` when that is given."""
        value = self._value(key)
        expected = "a whole number" + (f" from 0 to {below - 1}" if below is not None else "")
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.wrong(key, expected)
        if below is not None and value >= below:
            self.wrong(key, expected)
        return value

    def flag(self, key: str) -> bool:
        """True or false; false when it is not there."""
        value = self.values.get(key, False)
        return value if isinstance(value, bool) else self.wrong(key, "true or false")

    def items(self, key: str) -> list[Any]:
        """A list."""
        value = self._value(key)
        return value if isinstance(value, list) else self.wrong(key, "a list")

    def object(self, key: str) -> Fields:
        """An object inside."""
        return Fields.of(self._value(key), f"{self.place}: {key}")

    def objects(self, key: str, name: str) -> Iterator[Fields]:
        """The objects of a list, called ``name`` and their number in messages."""
        for number, value in enumerate(self.items(key), start=1):
            yield Fields.of(value, f"{self.place}: {name} {number}")

    def is_null(self, key: str) -> bool:
        """Whether the value is null or not there."""
        return self.values.get(key) is None

    def wrong(self, key: str, expected: str) -> NoReturn:
        """Say what came and what was expected."""
        came = shown(self.values[key])
        raise ReadError(f"{self.place}: '{key}' is {came}; expected {expected}.")

    def _value(self, key: str) -> Any:
        if key not in self.values:
            raise ReadError(f"{self.place} has no '{key}'.")
        return self.values[key]
