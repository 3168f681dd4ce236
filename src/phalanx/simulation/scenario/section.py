"""Strict reading of a TOML table: known keys only, right types, errors that name them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError, ReadError, UnknownName, shown
from phalanx.base.files import home_path

Array = NDArray[np.float64]
T = TypeVar("T")

LARGEST_WHOLE = 2**53  # up to which a double has all whole numbers


@final
class Section:
    """A table whose keys are taken one by one.

    A key that is not there gives None, or is an error where it is ``needed``.
    """

    def __init__(
        self, file: Path, place: str, values: Mapping[str, Any], known: Sequence[str] | None
    ) -> None:
        """Check the keys.

        Args:
            file: Where it comes from, for messages.
            place: The table's name, such as ``[control]``; empty for the top.
            values: What it holds.
            known: The keys it may have; any when None.

        Raises:
            UnknownName: When it has another key.
        """
        self.file, self.place, self.values = file, place, values
        self.owner = f"{file.name}: {place}" if place else file.name
        for key in values:
            if known is not None and key not in known:
                raise UnknownName(self.owner, "key", key, known)

    def text(self, key: str, *, needed: bool = False) -> str | None:
        """A string."""
        return self._take(key, needed, str, "text in quotes")

    def flag(self, key: str) -> bool | None:
        """A truth: true or false."""
        return self._take(key, False, bool, "true or false")

    def number(self, key: str, *, needed: bool = False) -> float | None:
        """A finite number."""
        value = self._take(key, needed, (int, float), "a number")
        if value is not None and not _is_finite(value):
            raise self.wrong(key, "a finite number")
        return None if value is None else float(value)

    def positive(self, key: str, *, needed: bool = False) -> float | None:
        """A finite number above zero."""
        value = self.number(key, needed=needed)
        if value is not None and not value > 0:
            raise self.wrong(key, "a positive number")
        return value

    def whole(self, key: str) -> int | None:
        """A whole number."""
        value = self._take(key, False, int, "a whole number")
        if value is not None and abs(value) >= LARGEST_WHOLE:
            raise self.wrong(key, f"a whole number below {LARGEST_WHOLE:g}")
        return value

    def choice(self, key: str, known: Sequence[str], *, needed: bool = False) -> str | None:
        """One of some words.

        Raises:
            UnknownName: When it is another.
        """
        word = self.text(key, needed=needed)
        if word is not None and word not in known:
            raise UnknownName(f"{self.owner} {key}".strip(), "choice", word, known)
        return word

    def numbers(self, key: str, size: int, *, needed: bool = False) -> Array | None:
        """A list of ``size`` numbers, or one number for all of them."""
        value = self._take(key, needed, (int, float, list), f"a number or a list of {size}")
        if value is None:
            return None
        if isinstance(value, list):
            if len(value) != size:
                raise self.wrong(key, f"{size} numbers, not {len(value)}")
        else:
            value = [value] * size
        for x in value:
            if isinstance(x, bool) or not isinstance(x, int | float) or not _is_finite(x):
                raise self.wrong(key, f"a list of {size} finite numbers")
        return np.array(value, dtype=np.float64)

    def words(self, key: str) -> list[str] | None:
        """A list of texts."""
        value = self._take(key, False, list, "a list of texts in quotes")
        if value is not None and not all(isinstance(word, str) for word in value):
            raise self.wrong(key, "a list of texts in quotes")
        return value

    def section(self, key: str, known: Sequence[str] | None) -> Section | None:
        """A table within; ``known`` are its keys, any when None."""
        value = self._take(key, False, dict, "a table")
        return None if value is None else Section(self.file, self._name(key), value, known)

    def sections(self, key: str, known: Sequence[str]) -> list[Section]:
        """A list of tables, ``[[key]]``; none when it is not there."""
        values = self._take(key, False, list, f"tables, each under [[{key}]]") or []
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(key, f"tables, each under [[{key}]]")
        return [
            Section(self.file, f"[{self._name(key)}] {k}", value, known)
            for k, value in enumerate(values, 1)
        ]

    def path(self, key: str, *, needed: bool = False) -> Path | None:
        """A file, relative to the folder of this one."""
        text = self.text(key, needed=needed)
        try:
            return None if text is None else self.file.parent / home_path(text)
        except ReadError as error:
            raise ReadError(f"{self.owner} {key}: {error}") from error

    def wrong(self, key: str, expected: str) -> ReadError:
        """The error of a key with a wrong value."""
        return ReadError(f"{self.owner} {key} = {shown(self.values[key])}; expected {expected}.")

    def made(self, place: str, make: Callable[[], T]) -> T:
        """What ``make`` makes; its errors say where in the file they come from.

        Raises:
            ReadError: With the error of ``make``.
        """
        try:
            return make()
        except PhalanxError as error:
            raise ReadError(f"{self.file.name}: {place}: {error}") from error

    def _name(self, key: str) -> str:
        return f"[{self.place.strip('[]')}.{key}]" if self.place else f"[{key}]"

    def _take(self, key: str, needed: bool, kind: Any, expected: str) -> Any:
        if key not in self.values:
            if needed:
                raise ReadError(f"{self.owner} has no key '{key}'; expected {expected}.")
            return None
        value = self.values[key]
        # true and false are numbers to Python, not to a reader
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(key, expected)
        return value


def _is_finite(number: float) -> bool:
    """Whether a double can hold it; TOML has whole numbers of any length."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def of_kind(table: Section, kinds: Mapping[str, tuple[str, ...]]) -> tuple[str, Section]:
    """A table's kind, and the table with the keys that belong to it checked."""
    kind = table.choice("kind", tuple(kinds), needed=True)
    assert kind is not None
    return kind, Section(table.file, table.place, table.values, ("kind", *kinds[kind]))
