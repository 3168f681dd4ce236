"""Study files (TOML): what is varied, what is run, what is kept.

``docs/sweeps.md`` has all keys. Studies that come with the package are read by name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, final

from phalanx.base.arguments import checked
from phalanx.base.errors import ReadError, UnknownName
from phalanx.base.files import home_path, naming_file
from phalanx.base.guarded_toml import parse_toml
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.distribute.sweeps.study_files.named_function import NamedFunction, named_function
from phalanx.distribute.sweeps.study_files.run import read_run
from phalanx.distribute.sweeps.study_files.vary import read_cases
from phalanx.simulation.scenario.section import Section

KEYS = (
    *("name", "description", "seed", "chunk", "most-failures", "keep", "judge", "better"),
    *("run", "vary"),
)
BETTER = ("less", "more")
# by name: those that come with the package
STUDIES = {
    path.stem: path
    for path in sorted(Path(str(files("phalanx") / "data" / "sweep_studies")).glob("*.toml"))
}


@short_repr
@final
@dataclass(frozen=True, eq=False)
class StudyFile:
    """A study as its file describes it.

    Attributes:
        path: The file.
        name: What to call it.
        description: What it shows.
        run: What is run with every case.
        over: The cases.
        keep: What is kept; what the run keeps by itself when None.
        seed: Of random numbers.
        chunk: Cases in one call; chosen when None.
        most_failures: Failed cases after which to give up; never when None.
        judge: The result that reports rank cases by; the first when None.
        is_less_better: Whether the least of it is the best.
    """

    path: Path
    name: str
    description: str
    run: SweepRun
    over: Cases
    keep: tuple[str, ...] | None
    seed: int = 0
    chunk: int | None = None
    most_failures: int | None = None
    judge: str | None = None
    is_less_better: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """As :func:`phalanx.sweep` takes them beside run and cases."""
        return {
            "keep": self.keep,
            "seed": self.seed,
            "chunk": self.chunk,
            "most_failures": self.most_failures,
        }


@checked
def read_study(source: str | PathLike[str], *, trust: bool = False) -> StudyFile:
    """A study from a file, or from the package by its name.

    Args:
        source: A ``.toml`` file, or the name of a study that comes with the package.
        trust: Whether the function of a study of kind ``call`` is imported. A file is data
            otherwise, and nothing that it names is imported or run. Studies of the package name
            functions of the package, and need no trust.

    Raises:
        ReadError: When the file cannot be read, or a key has a wrong value; file and key are named.
        UnknownName: When a key, choice or name does not exist.
        InvalidInput: When the study names a function, and is not trusted; the message names it.
    """
    top = _top(source)
    return _study(top, trust or top.file in STUDIES.values())


def function_named(source: str | PathLike[str]) -> NamedFunction | None:
    """Return the function that a study names, without importing it; None where it names none."""
    run = _top(source).section("run", None)
    return None if run is None else named_function(run)


def _top(source: str | PathLike[str]) -> Section:
    path = home_path(source)
    if path.suffix != ".toml":
        if str(source) not in STUDIES:
            raise UnknownName("phalanx", "study", str(source), STUDIES)
        path = STUDIES[str(source)]
    if not os.path.exists(path):
        raise ReadError(f"there is no file {path}.")
    with naming_file(path.name):
        values = parse_toml(path)
    return Section(path, "", values, KEYS)


def _study(top: Section, trust: bool) -> StudyFile:
    run, vary = (top.section(key, None) for key in ("run", "vary"))
    for key, table in (("run", run), ("vary", vary)):
        if table is None:
            raise ReadError(f"{top.owner} has no table [{key}].")
    assert run is not None and vary is not None
    over = read_cases(vary)
    what = read_run(run, trust)
    top.made("[vary.values]", lambda: what.check(over.columns))
    keep = top.words("keep")
    if keep is not None:
        top.made("keep", lambda: what.variables(keep))
    return StudyFile(
        path=top.file.resolve(),
        name=top.text("name") or top.file.stem,
        description=top.text("description") or "",
        run=what,
        over=over,
        keep=None if keep is None else tuple(keep),
        seed=_least(top, "seed", 0) or 0,
        chunk=_least(top, "chunk", 1),
        most_failures=_least(top, "most-failures", 0),
        judge=top.text("judge"),
        is_less_better=(top.choice("better", BETTER) or "less") == "less",
    )


def _least(top: Section, key: str, least: int) -> int | None:
    value = top.whole(key)
    if value is not None and value < least:
        raise top.wrong(key, f"a whole number of at least {least}")
    return value
