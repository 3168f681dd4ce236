"""coverage.toml is true: every test it names exists, every row is one of its spec's.

A row names its tests, or gives a reason of a short list why it cannot be run; rows that are shown
in part say what is missing.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from papers.coverage import COVERAGE, REASONS, kind_of, named_tests, shown_by, table

ROOT = Path(__file__).parents[2]
SPECS = ROOT.parent / "shared" / "specs"

NAMED = [
    (source, row, test)
    for source, rows in COVERAGE.items()
    for row, shown in rows.items()
    for test in shown_by(shown)
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
    numbers = re.findall(r"^\| F?(\d+) \|", spec.read_text(), flags=re.MULTILINE)
    known = {f"F{number}" for number in numbers}
    assert known, f"{spec} has no feature rows"
    assert set(COVERAGE[source]) == known


@pytest.mark.parametrize(
    ("source", "name"), [(source, name) for source, rows in COVERAGE.items() for name in rows]
)
def test_a_row_without_tests_has_a_reason_of_the_list(source, name):
    row = COVERAGE[source][name]
    if kind_of(row) == "context":
        assert set(row) == {"context", "because"}
        assert row["context"] in REASONS
        assert len(row["because"].split()) >= 5
    else:
        assert shown_by(row)
        assert isinstance(row, list) or set(row) == {"tests", "missing"}
        assert isinstance(row, list) or len(row["missing"].split()) >= 3


def test_the_docs_have_the_counts():
    assert table() in (ROOT / "docs" / "sources.md").read_text()


FORTRAN = "tests/papers/dhanaraj/test_generated_code.py::test_compiled_code_gives_the_torques"


@pytest.mark.parametrize("ci", [True, False])
def test_a_named_test_that_is_skipped_fails_in_ci(ci, tmp_path):
    """Where gfortran is not found, say."""
    assert FORTRAN in named_tests()
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", "PYTEST_XDIST_WORKER")}
    environment |= {"PATH": str(tmp_path)} | ({"CI": "true"} if ci else {})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    told = subprocess.run(
        [*command, f"--basetemp={tmp_path / 'pytest'}", f"{FORTRAN}[stanford 3-fortran]"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert told.returncode == (1 if ci else 0), told.stdout
    assert "no gfortran" in told.stdout
    assert shutil.which("gfortran", path=str(tmp_path)) is None
