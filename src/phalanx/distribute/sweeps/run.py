"""Interface of what a sweep runs with every case; errors of a case as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from phalanx.base.errors import PhalanxError
from phalanx.distribute.sweeps.cases import ColumnType
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable, joined, nothing


class SweepRun(ABC):
    """A description of what is run; frozen, and nothing is compiled before it is needed.

    Attributes:
        is_one_by_one: Whether the cases of a chunk run one after the other, each in its own time.
    """

    is_one_by_one: ClassVar[bool] = False

    @abstractmethod
    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """Check that it has what is varied.

        Raises:
            UnknownName: When it has no such thing, with the nearest that it has.
            InvalidInput: When a value has another shape.
        """

    @abstractmethod
    def default_keep(self) -> tuple[str, ...]:
        """Return the results that are kept by default."""

    @abstractmethod
    def variables(self, keep: Sequence[str]) -> dict[str, Variable]:
        """Return the arrays that are kept.

        Raises:
            UnknownName: When there is no such result.
        """

    @abstractmethod
    def axes(self, keep: Sequence[str]) -> dict[str, Axis]:
        """Return the coordinates along the dimensions of what is kept."""

    def prepare(self, names: Sequence[str], keep: Sequence[str]) -> None:
        """Compile what is needed; what cannot be compiled is no failure of a case.

        Args:
            names: What is varied.
            keep: What is kept.
        """
        return None

    @abstractmethod
    def chunk(
        self, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
    ) -> Chunk:
        """Run some cases in one go.

        Args:
            values: Of what is varied, shape (cases, ...).
            numbers: Of the cases, in the study.
            seed: Of the study.
            keep: What is kept.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return a description for readers, as plain data."""

    @abstractmethod
    def identity(self) -> Any:
        """Return all that decides its results, for its hash."""

    def unit(self, name: str) -> str:
        """Return the unit of something that is varied."""
        return ""


def printable(text: str) -> str:
    """A text without what a terminal takes for a command, or what no file in UTF-8 can hold."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def text_of(error: BaseException) -> str:
    """The text of an error; also of one whose ``__str__`` raises."""
    try:
        return printable(str(error))
    except Exception:  # whatever a stranger's error does
        return "its text cannot be had"


def reason_of(error: BaseException) -> str:
    """Why a case failed."""
    text = text_of(error)
    return text if isinstance(error, PhalanxError) else f"{type(error).__name__}: {text}"


def each_by_itself(
    run: SweepRun, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
) -> Chunk:
    """A chunk, also when some of its cases cannot even begin: those fail by themselves.

    Cases that a compiled call refuses as a whole are halved until the offender stands alone. A
    result does not depend on its neighbours, so the others have what they would have had.
    """
    try:
        return run.chunk(values, numbers, seed, keep)
    except PhalanxError as error:
        if len(numbers) == 1:
            return nothing(run.variables(keep), {numbers[0]: reason_of(error)})
    half = len(numbers) // 2
    parts = []
    for cut in (slice(None, half), slice(half, None)):
        some = {name: array[cut] for name, array in values.items()}
        parts.append(each_by_itself(run, some, numbers[cut], seed, keep))
    return joined(parts)
