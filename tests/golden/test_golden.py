"""What Phalanx writes is, to the letter, what it wrote before; README.md says what that shows."""

from __future__ import annotations

import json
from difflib import unified_diff
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from .made import CASADI, FILES, ROWS, SORTED_BY_CASADI, json_text

FOLDER = Path(__file__).parent / "files"
# of a column's largest number: processors round sums of products once or twice
TOLERANCE = 1e-12
MOST_LINES = 80  # of a difference


@pytest.mark.parametrize("name", FILES)
def test_as_before(name, tmp_path, request):
    path = FOLDER / name
    kept = path.read_text(encoding="utf-8") if path.is_file() else ""
    made = FILES[name](tmp_path)
    if name == "recording.json":
        made = with_kept_rows(made, kept)
    if made == kept:
        return
    if name in SORTED_BY_CASADI and not ca.__version__.startswith(f"{CASADI}."):
        pytest.skip(
            f"{name} differs, as it may: it is of CasADi {CASADI} and this is {ca.__version__}. "
            "To move on, set CASADI in made.py and update all."
        )
    if request.config.getoption("--update-golden"):
        path.write_text(made, encoding="utf-8")
        return
    pytest.fail(difference(name, kept, made), pytrace=False)


def test_every_file_is_made():
    assert {path.name for path in FOLDER.iterdir()} == set(FILES)


def test_a_difference_is_shown_and_rounding_is_none():
    rows = [[0.0, 1.0], [3.0, 1e-20]]
    kept = json_text({"unit": "m", ROWS: rows})
    rounded = json_text({"unit": "m", ROWS: [[0.0, 1 + 1e-13], [3.0, 0.0]]})
    assert with_kept_rows(rounded, kept) == kept
    for other in (
        {"unit": "m", ROWS: [[0.0, 1 + 1e-11], [3.0, 1e-20]]},
        {"unit": "m", ROWS: rows[:1]},
        {"unit": "m", ROWS: [[0.0, float("nan")], [3.0, 0.0]]},
        {"unit": "mm", ROWS: rows},
    ):
        assert with_kept_rows(json_text(other), kept) != kept
    shown = difference("a.c", "one\ntwo\n", "one\nthree\n")
    assert "-two" in shown and "+three" in shown and "--update-golden" in shown


def with_kept_rows(made: str, kept: str) -> str:
    """A recording's text, with the kept numbers where they differ by rounding alone."""
    if not kept:
        return made
    content = json.loads(made)
    rows = json.loads(kept)[ROWS]
    new, old = np.array(content[ROWS]), np.array(rows)
    if new.shape == old.shape and (abs(new - old) <= TOLERANCE * abs(old).max(axis=0)).all():
        content[ROWS] = rows
    return json_text(content)


def difference(name: str, kept: str, made: str) -> str:
    """What changed, line by line, and what to do."""
    lines = list(
        unified_diff(kept.splitlines(), made.splitlines(), f"kept/{name}", f"made/{name}", "", "")
    )
    left = len(lines) - MOST_LINES
    return "\n".join(
        [
            f"{name} is not as before. If that is meant, run pytest tests/golden --update-golden "
            "and commit the file with the reason.",
            *lines[:MOST_LINES],
            *([f"... and {left} lines more"] if left > 0 else []),
        ]
    )
