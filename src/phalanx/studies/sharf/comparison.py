"""All parts of the study together, for tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from phalanx.base.errors import UnknownName
from phalanx.studies.sharf.parallel_model import (
    COMPUTERS,
    ChainComputer,
    ParallelWork,
    parallel_work,
)
from phalanx.studies.sharf.parallel_time import ParallelTimes, parallel_times
from phalanx.studies.sharf.scaling import LINKS, SOLUTIONS, Scaled, scaling
from phalanx.studies.sharf.table_2 import Simulated, table_2
from phalanx.studies.sharf.tolerance import Tied, sweep
from phalanx.studies.sharf.warm_starts import StartRow, warm_starts

PARTS = ("table2", "warm-starts", "figure2", "figure3", "tolerance")


@final
@dataclass(frozen=True)
class ParallelComparison:
    """Figure 3, counted, modelled and measured.

    Attributes:
        work: Operations of chains with joints of one and of two freedoms.
        computers: With a processor for each body.
        times: Measured on this machine.
    """

    work: list[ParallelWork]
    computers: tuple[ChainComputer, ...]
    times: list[ParallelTimes]


@final
@dataclass(frozen=True)
class Reproduction:
    """Measured parts of the study; None where a part was not requested."""

    table2: list[Simulated] | None = None
    warm_starts: list[StartRow] | None = None
    figure2: list[Scaled] | None = None
    figure3: ParallelComparison | None = None
    tolerance: list[Tied] | None = None


def compare_chains(
    parts: Sequence[str] = PARTS,
    *,
    solutions: int = SOLUTIONS,
    longest: int = LINKS[-1],
    threads: int | None = None,
    computers: Sequence[ChainComputer] = COMPUTERS,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Measure parts of the study.

    Args:
        parts: Of `PARTS`.
        solutions: For each length of figures 2 and 3; the paper has 1000.
        longest: Chain of figure 2, in bodies.
        threads: For measured times of figure 3; all processors unless given.
        computers: For modelled times of figure 3.
        progress: Told what is about to be measured.

    Raises:
        UnknownName: There is no such part.
    """
    for part in parts:
        if part not in PARTS:
            raise UnknownName("the comparison", "part", part, PARTS)
    report = progress or (lambda what: None)
    lengths = [*(count for count in LINKS if count < longest), longest]

    def of(part: str) -> Callable[[str], None]:
        return lambda what: report(f"{part}: {what}")

    return Reproduction(
        table_2(progress=of("table2")) if "table2" in parts else None,
        warm_starts(progress=of("warm-starts")) if "warm-starts" in parts else None,
        scaling(lengths, solutions=solutions, progress=of("figure2"))
        if "figure2" in parts
        else None,
        ParallelComparison(
            parallel_work(solutions=solutions, progress=of("figure3")),
            tuple(computers),
            parallel_times(threads=threads, progress=of("figure3")),
        )
        if "figure3" in parts
        else None,
        sweep(progress=of("tolerance")) if "tolerance" in parts else None,
    )
