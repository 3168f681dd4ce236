"""A study: the run, its cases, the results that are kept. All that a worker needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from phalanx.base import arguments
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, shown
from phalanx.base.short_repr import short_repr
from phalanx.base.version import __version__
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable
from phalanx.distribute.sweeps.described_cases import as_cases
from phalanx.distribute.sweeps.fingerprint import fingerprint
from phalanx.distribute.sweeps.run import SweepRun, each_by_itself
from phalanx.simulation.setup.content_hash import NoContent

RESERVED = ("status", "case")


@final
@dataclass(frozen=True)
class Size:
    """How large a study is.

    Attributes:
        cases: How many.
        chunks: Into how many parts they are cut; none until a chunk size is chosen.
        bytes: Of all that is kept, before it is compressed.
        bytes_of_case: The same of one case.
    """

    cases: int
    chunks: int | None
    bytes: int
    bytes_of_case: int


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Study:
    """What is run, over which cases, and what is kept; checked, and nothing is run yet.

    Attributes:
        run: What is run with every case.
        over: The cases; also any iterable of tables from name to value.
        keep: Names of what is kept; what the run suggests when not given.
        seed: From which random cases are drawn.
        chunk: How many cases are run in one go; measured by ``sweep`` when not given.
    """

    run: SweepRun
    over: Cases
    keep: Sequence[str] | None = None
    seed: int = 0
    chunk: int | None = None

    def __post_init__(self) -> None:
        """Check that names exist and fit together.

        Raises:
            UnknownName: When the run has no such number to vary, or no such result.
            InvalidInput: When shapes do not fit, or values are unusable.
        """
        put = object.__setattr__
        if not isinstance(self.run, SweepRun):
            raise InvalidInput(
                f"run is {shown(self.run)}; expected Rollout, Simulation, Evaluation or Call of "
                "phalanx.sweeps."
            )
        put(self, "over", as_cases(self.over))
        put(self, "seed", arguments.whole("seed", self.seed, 0))
        if self.chunk is not None:
            put(self, "chunk", min(arguments.whole("chunk", self.chunk), len(self.over)))
        self.run.check(self.over.columns)
        if isinstance(self.keep, str):
            raise InvalidInput(f"keep={self.keep!r} is one text; expected a list of names.")
        keep = tuple(self.run.default_keep() if self.keep is None else self.keep)
        if not keep or len(set(keep)) < len(keep):
            raise InvalidInput(f"keep={list(keep)}; expected some names, each once.")
        put(self, "keep", keep)
        taken = {*self.variables, *self.axes, *RESERVED}
        for name in self.over.names:
            if name in taken:
                raise InvalidInput(
                    f"'{name}' is varied, and is also the name of a result; rename one of them."
                )

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """What is kept of every case."""
        return self.run.variables(self.keep or ())

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """What stands along the dimensions of what is kept."""
        return self.run.axes(self.keep or ())

    @property
    def cases(self) -> int:
        """How many."""
        return len(self.over)

    @property
    def chunks(self) -> int:
        """Into how many parts the cases are cut."""
        return -(-self.cases // self.cut)

    @property
    def cut(self) -> int:
        """Cases of a chunk.

        Raises:
            InvalidInput: When the chunk size is not chosen.
        """
        if self.chunk is None:
            raise InvalidInput("the study has no chunk=, the number of cases that run in one go.")
        return self.chunk

    def numbers(self, chunk: int) -> range:
        """The cases of a chunk."""
        return range(chunk * self.cut, min((chunk + 1) * self.cut, self.cases))

    def values(self, numbers: range) -> dict[str, Array]:
        """What is varied, of some cases."""
        return self.over.values(numbers.start, len(numbers), self.seed)

    def prepare(self) -> None:
        """Compile what the run needs; a second time there is nothing to do.

        Raises:
            PhalanxError: When that cannot be: it would be no failure of single cases.
        """
        self.run.prepare(self.over.names, self.keep or ())

    def of(self, numbers: range) -> Chunk:
        """Run some cases that follow each other."""
        self.prepare()
        values = self.values(numbers)
        return each_by_itself(self.run, values, numbers, self.seed, self.keep or ())

    def work(self, chunk: int) -> Chunk:
        """Run a chunk: a function of the study and this number alone, wherever it is called."""
        return self.of(self.numbers(chunk))

    def with_chunk(self, chunk: int) -> Study:
        """The same, cut into chunks of so many cases."""
        return replace(self, chunk=chunk)

    def size(self) -> Size:
        """How much there is to do and to keep."""
        columns = self.over.columns.values()
        varied = sum(max(1, *column.shape, 1) * column.dtype.itemsize for column in columns)
        of_case = 1 + varied + sum(variable.size for variable in self.variables.values())
        chunks = None if self.chunk is None else self.chunks
        return Size(self.cases, chunks, self.cases * of_case, of_case)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides results.

        Raises:
            InvalidInput: When what is run holds something that cannot be looked into.
        """
        return fingerprint((*self.to_data()["hash"].values(), self.seed))

    def to_data(self) -> dict[str, Any]:
        """As plain data: what a person wants to know, and hashes of what decides results."""
        try:
            run = fingerprint(self.run.identity())
        except NoContent:
            raise InvalidInput(
                "what is run holds something that cannot be looked into (an open file, a "
                "generator, an object of another language), so a store could not tell it from "
                "another. Use numbers, arrays and functions of them."
            ) from None
        over = self.over.to_data()
        return {
            "phalanx": __version__,
            "run": self.run.to_data(),
            "over": over,
            "keep": list(self.keep or ()),
            "seed": self.seed,
            "chunk": self.chunk,
            "hash": {"run": run, "over": fingerprint(over), "keep": fingerprint(self.keep)},
        }
