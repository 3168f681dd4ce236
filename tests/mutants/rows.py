"""Rows of coverage.toml by their short names, and the functions behind each.

Policy: behind a row are functions that its tests execute, in the folders where docs/architecture.md
says that the row mainly is; those first that the tests of few rows execute, as far as rows have
been traced (out/mutants/traces, of any age: it only sorts), while modules take turns. Where these
folders give less than ``LEAST`` functions, others follow in the same order, but for what serves
everything (arguments, caches, calls, errors, printing) unless there is nothing else.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

from papers.coverage import COVERAGE, shown_by

from .operators import Mutation, functions, mutations

ROOT = Path(__file__).parents[2]
LIBRARIES = (
    "hypothesis.strategies",
    "numpy.testing",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.spatial.transform",
    "casadi",
    "llvmlite.binding",
)
LEAST = 4
GENERIC = (
    "base",
    "bench",
    "cli",
    "equations.expression",
    "equations.names",
    "kernel.call",
    "kernel.interrupts",
    "kernel.kernel",
    "kernel.llvm",
    "view",
)
# what a machine looks like: no row says
LOOKS = re.compile(r"visual_shapes|sticks")


def rows_of_coverage() -> dict[str, tuple[str, ...]]:
    """Tests of each row that has some, by its short name: L12 is F12 of Lathrop."""
    return {
        source[0].upper() + name[1:]: tuple(shown_by(row))
        for source, rows in COVERAGE.items()
        for name, row in rows.items()
        if shown_by(row)
    }


def source_of(row: str) -> str:
    """The source that a row's letter stands for."""
    return next((name for name in COVERAGE if name[0].upper() == row[0]), row[0])


def folders_of_rows(page: Path = ROOT / "docs" / "architecture.md") -> dict[str, tuple[str, ...]]:
    """Folders of the package, as "equations.tree", where the page says that a row mainly is."""
    (picture,) = re.findall(r"```\n(mechanism/.*?)```", page.read_text(encoding="utf-8"), re.S)
    found: dict[str, tuple[str, ...]] = {}
    path: list[str] = []
    for line in picture.splitlines():
        name = line.split("/")[0]
        path[(len(name) - len(name.lstrip())) // 2 :] = [name.strip()]
        for letter, first, last in re.findall(r"\b([LDWSK])(\d+)(?:-[LDWSK](\d+))?", line):
            for number in range(int(first), int(last or first) + 1):
                row = f"{letter}{number}"
                found[row] = (*found.get(row, ()), ".".join(path))
    return found


@dataclass(frozen=True)
class Project:
    """What is tested, and by what. The harness's own tests have a tiny one."""

    root: Path = ROOT
    package: str = "phalanx"
    out: Path = ROOT / "out" / "mutants"
    rows: dict[str, tuple[str, ...]] = field(default_factory=rows_of_coverage)
    folders: dict[str, tuple[str, ...]] = field(default_factory=folders_of_rows)
    libraries: tuple[str, ...] = LIBRARIES
    equivalent: Path = Path(__file__).parent / "equivalent.toml"
    caught: Path = Path(__file__).parent / "caught.toml"

    @property
    def src(self) -> Path:
        """The folder of the package's folder."""
        return self.root / "src"

    def path_of(self, module: str) -> Path:
        """The file of a module."""
        path = self.src.joinpath(*module.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def module_of(self, path: str) -> str:
        """The module of a file, whose path is relative to the package."""
        parts = [self.package, *Path(path).with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def traces(self) -> dict[str, set[str]]:
        """Functions that each row's tests executed when it was last traced."""
        return {
            file.stem: set(json.loads(file.read_text())["functions"])
            for file in sorted((self.out / "traces").glob("*.json"))
        }


@cache
def mutations_of(path: Path, module: str) -> list[Mutation]:
    """All mutations of a module's file."""
    return mutations(path.read_bytes(), module)


def executed_functions(project: Project, lines: dict[str, list[int]]) -> dict[str, list[int]]:
    """Executed lines by qualified name of the function, from lines by file of the package."""
    found: dict[str, list[int]] = {}
    for path, executed in lines.items():
        module = project.module_of(path)
        tree = ast.parse(project.path_of(module).read_bytes())
        for name, node in functions(tree).items():
            inside = [k for k in executed if node.lineno <= k <= (node.end_lineno or 0)]
            if inside:
                found[f"{module}:{name}"] = inside
    return found


def behind(
    project: Project, row: str, executed: dict[str, list[int]], traces: dict[str, set[str]]
) -> list[str]:
    """Functions that a row's tests execute: its own, then others, the most specific first."""
    rows = Counter(name for other, names in traces.items() if other != row for name in names)
    ranked = sorted(executed, key=lambda name: (rows[name], name))
    turns: Counter[str] = Counter()
    turn = {}
    for name in ranked:  # modules take turns: one file that nobody else uses is not all of a row
        module = name.split(":")[0]
        turn[name] = turns[module]
        turns[module] += 1
    return sorted(ranked, key=lambda name: (distance(project, row, name), turn[name]))


def distance(project: Project, row: str, function: str) -> int:
    """Where a function is: 0 in the row's folders, 2 among what serves everything, 1 elsewhere."""
    if within(project, function, project.folders.get(row, ())):
        return 0
    return 2 if within(project, function, GENERIC) else 1


def within(project: Project, function: str, places: tuple[str, ...]) -> bool:
    """Whether a function is in one of some folders or modules of the package."""
    module = function.split(":")[0].removeprefix(f"{project.package}.")
    return any(module == place or module.startswith(f"{place}.") for place in places)


def draw(
    project: Project,
    row: str,
    names: list[str],
    executed: dict[str, list[int]],
    count: int,
    most: int,
    random: Random,
) -> list[Mutation]:
    """A sample of mutations on executed lines of the first functions that have any.

    First a function is drawn, then a kind of fault, then a mutation: long functions and frequent
    kinds do not fill the sample.
    """
    choices: dict[str, dict[str, list[Mutation]]] = {}
    for name in names:
        if len(choices) >= (most, LEAST, 1)[distance(project, row, name)]:
            break
        module = name.split(":")[0]
        if LOOKS.search(module):
            continue
        lines = set(executed[name])
        kinds: dict[str, list[Mutation]] = {}
        for mutation in mutations_of(project.path_of(module), module):
            first, last = mutation.lines
            if mutation.function == name and lines.intersection(range(first, last + 1)):
                kinds.setdefault(mutation.kind, []).append(mutation)
        if kinds:
            choices[name] = kinds
    drawn: list[Mutation] = []
    while choices and len(drawn) < count:
        name = random.choice(list(choices))
        kind = random.choice(list(choices[name]))
        mutation = random.choice(choices[name][kind])
        drawn.append(mutation)
        choices[name][kind].remove(mutation)
        choices[name] = {kind: left for kind, left in choices[name].items() if left}
        choices = {name: kinds for name, kinds in choices.items() if kinds}
    return drawn


def find(project: Project, function: str, change: str) -> Mutation | None:
    """The first mutation of a function that makes a change; the function may have moved."""
    module, _, name = function.partition(":")
    last = f"def {name.rpartition('.')[2]}(".encode()
    path = project.path_of(module)
    elsewhere = (
        file
        for file in sorted((project.src / project.package).rglob("*.py"))
        if file != path and last in file.read_bytes()
    )
    for file in chain([path] if path.is_file() else [], elsewhere):
        home = project.module_of(str(file.relative_to(project.src / project.package)))
        for mutation in mutations_of(file, home):
            if mutation.function == f"{home}:{name}" and mutation.change == change:
                return mutation
    return None
