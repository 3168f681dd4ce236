"""The rows of coverage.toml, and how many of each source are shown by tests."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "coverage.toml"
COVERAGE: dict[str, dict[str, Any]] = tomllib.loads(FILE.read_text())

# why a row cannot be run
REASONS = {
    "motivation": "why the source was written; nothing is computed",
    "survey": "other people's work, told without equations",
    "hardware": "a computer or a program of its time, which cannot be had",
    "future work": "what the source would have done next; nothing is specified",
    "withdrawn": "it was claimed here and is not there yet",
}
SHOWN, PARTLY, CONTEXT = "shown by tests", "shown in part", "context"


def shown_by(row: Any) -> list[str]:
    """The tests that show a row."""
    return row if isinstance(row, list) else row.get("tests", [])


def kind_of(row: Any) -> str:
    """How much of a row is shown."""
    if isinstance(row, list):
        return SHOWN
    return PARTLY if "tests" in row else CONTEXT


def counts(source: str) -> dict[str, int]:
    """Rows of a source by kind."""
    found = Counter(kind_of(row) for row in COVERAGE[source].values())
    return {kind: found[kind] for kind in (SHOWN, PARTLY, CONTEXT)}


def named_tests() -> set[str]:
    """All tests that some row rests on."""
    return {test for rows in COVERAGE.values() for row in rows.values() for test in shown_by(row)}


def table() -> str:
    """Counts of all sources, as Markdown."""
    lines = [f"| source | {SHOWN} | {PARTLY} | {CONTEXT} |", "| --- | --- | --- | --- |"]
    for source in COVERAGE:
        lines.append(f"| {source} | {' | '.join(map(str, counts(source).values()))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    for source, rows in COVERAGE.items():
        for name, row in rows.items():
            if kind_of(row) != SHOWN:
                why = row.get("missing") or f"{row['context']}: {row['because']}"
                print(f"{source} {name}: {why}")
