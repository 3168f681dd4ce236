"""coverage.toml is true: every test it names exists, every row is one of its spec's."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECS = ROOT.parent / "shared" / "specs"
COVERAGE = tomllib.loads((Path(__file__).parent / "coverage.toml").read_text())

NAMED = [
    (s, row, test) for s, rows in COVERAGE.items() for row, tests in rows.items() for test in tests
]


def functions(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }


@pytest.mark.parametrize(("source", "row", "test"), NAMED)
def test_named_tests_exist(source, row, test):
    file, _, name = test.partition("::")
    assert (ROOT / file).is_file(), f"{source} {row}: no file {file}"
    assert name.startswith("test_") and name in functions(ROOT / file), f"{source} {row}: no {test}"


@pytest.mark.parametrize("source", COVERAGE)
def test_rows_are_those_of_the_spec(source):
    spec = SPECS / f"{source}.md"
    if not spec.is_file():
        pytest.skip("the specs are not here")
    known = set(re.findall(r"^\| (F\d+) \|", spec.read_text(), flags=re.MULTILINE))
    assert known, f"{spec} has no feature rows"
    assert set(COVERAGE[source]) <= known


def test_no_row_is_empty():
    assert all(tests for rows in COVERAGE.values() for tests in rows.values())
