"""States for `phalanx evaluate`: one given by options, or those of a file."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from phalanx.base.errors import InvalidInput, shown
from phalanx.base.memory import check_memory
from phalanx.equations.expression import POSITIONS

if TYPE_CHECKING:
    from phalanx.kernel import Kernel

Array = np.ndarray[Any, Any]

INPUT_SUFFIXES = (".npz", ".npy", ".csv")
MOST_SAMPLES = 1e12
MOST_KEPT = 1e18  # for samples in memory; the memory check has the real limit


class States(Protocol):
    """States, in chunks."""

    @property
    def count(self) -> int:
        """Number of states."""

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Yield the inputs of at most ``size`` samples at a time, each array (samples, n)."""


class GivenStates:
    """States in arrays."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        """Store arrays of shape (samples, n), one for each input."""
        self.count = len(arrays[0])
        self._arrays = arrays

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Yield slices, without copies."""
        for start in range(0, self.count, size):
            yield [array[start : start + size] for array in self._arrays]


def sample_count(text: str, option: str = "--samples", most: float = MOST_SAMPLES) -> int:
    """Return a positive whole number, written as 1000000, 1_000_000 or 1e6.

    Args:
        text: The text of the option.
        option: Name of the option.
        most: Largest number.

    Raises:
        InvalidInput: When it is something else.
    """
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not (1 <= number < float("inf") and number == int(number)):
        raise InvalidInput(
            f"{option} {text}: expected a positive whole number such as 1000 or 1e6."
        )
    if number > most:
        raise InvalidInput(f"{option} {text}: that would take weeks; at most {most:g}.")
    return int(number)


def typed_state(kernel: Kernel, typed: dict[str, str | None]) -> GivenStates:
    """Return one state from numbers on the command line; inputs that are not given are zero.

    Raises:
        InvalidInput: When an input does not belong to the quantity, or is no list of numbers of
            the right length, or positions are missing.
    """
    names = {port.name for port in kernel.inputs}
    for name, text in typed.items():
        if text is not None and name not in names:
            taken = ", ".join(f"--{port.name}" for port in kernel.inputs)
            raise InvalidInput(f"--{name} does not belong here; this quantity takes {taken}.")
    for name in POSITIONS:
        if name in names and typed.get(name) is None:
            raise InvalidInput(
                f"--{name} is missing: a state needs positions; the rest may stay zero."
            )
    return GivenStates(
        [
            numbers(port.name, typed.get(port.name), port.size)
            .reshape(1, *port.shape)
            .astype(kernel.dtype)
            for port in kernel.inputs
        ]
    )


def numbers(name: str, text: str | None, size: int) -> Array:
    """Return the numbers of an option, ``0.1,0.2`` or ``[0.1, 0.2]``; zeros if not given.

    Raises:
        InvalidInput: When they are no finite numbers, or not ``size`` of them.
    """
    if text is None:
        return np.zeros(size)
    try:
        listed = text.lstrip().startswith("[")
        values = json.loads(text) if listed else text.split(",")
        if listed and not all(type(x) in (int, float) for x in values):
            raise TypeError("a list of something else")
        array = np.array([float(x) for x in values])
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise InvalidInput(
            f"--{name} {shown(text)}: expected numbers such as 0.1,0.2 or [0.1, 0.2]."
        ) from None
    if array.shape != (size,):
        raise InvalidInput(f"--{name} has {array.size} numbers; this model needs {size}.")
    if not np.isfinite(array).all():
        raise InvalidInput(f"--{name} holds a NaN or an infinity: {text}.")
    return array


def read_states(path: Path, kernel: Kernel) -> GivenStates:
    """Return the states of a file.

    An ``.npz`` has one array of shape (samples, n) for each input; ``.npy`` and ``.csv`` have the
    inputs in columns (a CSV may have a header line).

    Raises:
        InvalidInput: When the file does not hold what the quantity takes.
    """
    suffix = path.suffix.lower()
    if suffix not in INPUT_SUFFIXES:
        raise InvalidInput(f"--input {path.name}: expected one of {', '.join(INPUT_SUFFIXES)}.")
    if not os.path.isfile(path):
        raise InvalidInput(f"--input: there is no file {path}.")
    try:
        arrays = _npz(path, kernel) if suffix == ".npz" else _columns(path, kernel)
    except InvalidInput:
        raise
    except Exception as error:  # the readers of archives have no common error
        raise InvalidInput(f"--input {path.name} cannot be read: {error}") from None
    for port, array in zip(kernel.inputs, arrays, strict=True):
        if array.ndim != 2 or array.shape[1] != port.size:
            raise InvalidInput(
                f"'{port.name}' in {path.name} has shape {array.shape}; expected "
                f"(samples, {port.size})."
            )
        if len(array) != len(arrays[0]) or not len(array):
            raise InvalidInput(
                f"'{port.name}' in {path.name} has {len(array)} samples and "
                f"'{kernel.inputs[0].name}' {len(arrays[0])}; expected equally many, at least one."
            )
        if not np.isfinite(array).all():
            raise InvalidInput(f"'{port.name}' in {path.name} holds a NaN or an infinity.")
    return GivenStates(
        [
            np.ascontiguousarray(array, dtype=kernel.dtype).reshape(len(array), *port.shape)
            for port, array in zip(kernel.inputs, arrays, strict=True)
        ]
    )


def _npz(path: Path, kernel: Kernel) -> list[Array]:
    # an archive of a megabyte may hold gigabytes of zeros
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    check_memory(f"the arrays in {path.name}", 2 * size, "Take fewer samples.")
    with np.load(path, allow_pickle=False) as file:
        missing = [port.name for port in kernel.inputs if port.name not in file]
        if missing:
            has = ", ".join(file) or "nothing"
            raise InvalidInput(f"{path.name} has no array '{missing[0]}'. It has: {has}.")
        return [np.atleast_2d(file[port.name]) for port in kernel.inputs]


def _columns(path: Path, kernel: Kernel) -> list[Array]:
    if path.suffix.lower() == ".npy":
        table = np.atleast_2d(np.load(path, allow_pickle=False))
    else:
        from phalanx.base.table_file import read_table

        table = read_table(path)
    sizes = [port.size for port in kernel.inputs]
    if table.ndim != 2 or table.shape[1] != sum(sizes):
        wanted = ", ".join(f"{port.name} ({port.size})" for port in kernel.inputs)
        raise InvalidInput(
            f"{path.name} has shape {table.shape}; expected (samples, {sum(sizes)}): {wanted} "
            "side by side."
        )
    return list(np.split(table, np.cumsum(sizes)[:-1], axis=1))
