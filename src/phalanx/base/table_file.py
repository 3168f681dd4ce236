"""Numeric tables in CSV files."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import ReadError, shown
from phalanx.base.files import read_text

LARGEST_FILE = 256 * 2**20
DIGITS = tuple("0123456789+-.")


@final
@dataclass(frozen=True, eq=False)
class NumberTable:
    """A table of numbers, and where it stood.

    Attributes:
        header: Names of its columns; none where the file has no header.
        numbers: Shape (rows, columns).
        lines: The line of the file in which each row stands, counted from 1.
    """

    header: tuple[str, ...]
    numbers: NDArray[np.float64]
    lines: tuple[int, ...]


def read_table(path: Path) -> NDArray[np.float64]:
    """The numbers of a file, shape (rows, columns), after one header line or none.

    A header begins with a name. A first line that begins as a number does and holds something else
    is a mistake, and not left out.

    Raises:
        ReadError: When the file cannot be read, or is not such a table; with the line.
    """
    return read_named_table(path).numbers


def read_named_table(path: Path) -> NumberTable:
    """The same with the names of the columns, and the lines of the rows.

    Raises:
        ReadError: As of :func:`read_table`.
    """
    text = read_text(path, LARGEST_FILE)
    first = text.partition("\n")[0]
    words = [word.strip().strip('"') for word in first.split(",")]  # spreadsheets quote names
    header = not _is_number(words[0]) and words[0][:1] not in DIGITS
    wrong = [] if header else [word for word in words if not _is_number(word)]
    if wrong:
        raise ReadError(f"line 1: {shown(wrong[0])} is no number.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty table is no error of its own
            table = np.loadtxt(StringIO(text), delimiter=",", skiprows=int(header), ndmin=2)
    except (ValueError, OverflowError) as error:
        raise ReadError(f"not a table of numbers: {error}") from error
    if not table.size:
        raise ReadError("not a table of numbers: it is empty.")
    lines = tuple(
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if number > int(header) and line.partition("#")[0].strip()
    )
    return NumberTable(tuple(words) if header else (), np.asarray(table, dtype=np.float64), lines)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
