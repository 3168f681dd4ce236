"""coverage.toml is true: every test it names exists, every row is one of its spec's.

A row names its tests, or says in a sentence why it is context and cannot be run.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECS = ROOT.parent / "shared" / "specs"
COVERAGE = tomllib.loads((Path(__file__).parent / "coverage.toml").read_text())

NAMED = [
    (source, row, test)
    for source, rows in COVERAGE.items()
    for row, tests in rows.items()
    if isinstance(tests, list)
    for test in tests
]
# sources of which every row is here
COMPLETE = ("dhanaraj-1990", "khan-2002")


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
    numbers = re.findall(r"^\| F?(\d+) \|", spec.read_text(), flags=re.MULTILINE)
    known = {f"F{number}" for number in numbers}
    assert known, f"{spec} has no feature rows"
    assert set(COVERAGE[source]) <= known
    if source in COMPLETE:
        assert not known - set(COVERAGE[source])


def test_no_row_is_empty():
    for source, rows in COVERAGE.items():
        for row, tests in rows.items():
            told = tests if isinstance(tests, list) else tests.split()
            assert told and (isinstance(tests, list) or len(told) >= 5), f"{source} {row}"
