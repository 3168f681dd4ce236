"""Survivors as a table, totals by source, and everything as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .judge import CAUGHT, SURVIVED, TIMED_OUT, UNDECIDED, Verdict
from .rows import source_of

KINDS = (CAUGHT, SURVIVED, TIMED_OUT, UNDECIDED)


@dataclass
class Result:
    """What came of a row."""

    row: str
    verdicts: list[Verdict] = field(default_factory=list)
    note: str = ""  # why there are no mutants, or fewer
    failed: str = ""  # what is wrong with the row's own tests
    must: bool = False  # from caught.toml, and so to be caught


def survivors(results: list[Result], verdict: str = SURVIVED) -> list[Verdict]:
    """Mutants of one verdict, row by row."""
    return [found for result in results for found in result.verdicts if found.verdict == verdict]


def table_of(found: list[Verdict]) -> str:
    """Row, function, place, and the line before and after."""
    lines = []
    for one in found:
        lines += [
            f"{one.row:<4} {one.function}  [{one.kind}: {one.change}]",
            f"     {one.file}:{one.line}",
            f"     - {one.before}",
            f"     + {one.after}",
        ]
    return "\n".join(lines)


def totals(results: list[Result]) -> str:
    """Verdicts by source."""
    counts: dict[str, Counter[str]] = {}
    rows: Counter[str] = Counter()
    for result in results:
        source = source_of(result.row)
        counts.setdefault(source, Counter()).update(v.verdict for v in result.verdicts)
        rows[source] += bool(result.verdicts)
    header = f"{'source':<24}{'rows':>6}{'mutants':>9}" + "".join(f"{kind:>11}" for kind in KINDS)
    lines = [header]
    for source, count in [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]:
        number = rows.total() if source == "all" else rows[source]
        cells = "".join(f"{count[kind]:>11}" for kind in KINDS)
        lines.append(f"{source:<24}{number:>6}{count.total():>9}{cells}")
    return "\n".join(lines)


def text(results: list[Result]) -> str:
    """The whole report."""
    parts = [totals(results)]
    for title, verdict in (
        ("Survivors: the row's tests do not notice", SURVIVED),
        ("Timed out, counted as caught", TIMED_OUT),
        ("Undecided: the row's tests need longer than the limit", UNDECIDED),
    ):
        if found := survivors(results, verdict):
            parts.append(f"{title}\n\n{table_of(found)}")
    if notes := [f"{result.row:<4} {result.note}" for result in results if result.note]:
        parts.append("Rows without mutants\n\n" + "\n".join(notes))
    if failed := [f"{result.row:<4} {result.failed}" for result in results if result.failed]:
        parts.append("Rows whose tests fail with the right product\n\n" + "\n".join(failed))
    return "\n\n".join(parts)


def write(path: Path, results: list[Result], settings: dict[str, object]) -> None:
    """Keep results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    content = {"settings": settings, "results": [asdict(result) for result in results]}
    aside.write_text(json.dumps(content, indent=1))
    aside.replace(path)


def read_survivors(path: Path) -> list[tuple[str, str, str]]:
    """Row, function and change of the survivors in a file that ``write`` made."""
    return [
        (found["row"], found["function"], found["change"])
        for result in json.loads(path.read_text())["results"]
        for found in result["verdicts"]
        if found["verdict"] == SURVIVED
    ]
