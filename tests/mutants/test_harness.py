"""The harness by a tiny product: faults are made where they should be, run, and reported."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from random import Random
from textwrap import dedent

import pytest

from mutants.__main__ import entries, parse
from mutants.operators import mutations
from mutants.process.sitecustomize import Record
from mutants.rows import ROOT, Project, behind, draw, find, folders_of_rows, rows_of_coverage


def made(body: str, module: str = "m") -> dict[str, set[str]]:
    """Kinds and changes in a function whose body is given."""
    text = "def f(a, b, i, x):\n" + "".join(f"    {line}\n" for line in dedent(body).splitlines())
    found: dict[str, set[str]] = {}
    for mutation in mutations(text.encode(), module):
        ast.parse(mutation.applied(text.encode()))  # each is a program
        found.setdefault(mutation.kind, set()).add(mutation.change)
    return found


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ("return a + b", {"sign": {"a + b -> a - b"}, "term": {"a + b -> a"}}),
        (
            "return a - b",
            {
                "sign": {"a - b -> a + b"},
                "term": {"a - b -> a"},
                "order": {"a - b -> b - a"},
            },
        ),
        ("return a * b", {"term": {"a * b -> a"}}),
        ("return -a", {"sign": {"-a -> a"}}),
        ("a += b", {"sign": {"a += b -> a -= b"}}),
        ("return a @ b", {"order": {"a @ b -> b @ a"}}),
        ("return a / b", {"order": {"a / b -> b / a"}}),
        ("return cross(a, b)", {"order": {"cross(a, b) -> cross(b, a)"}}),
        ("return a.cross(b)", {"order": {"a.cross(b) -> b.cross(a)"}}),
        ("return np.cross(a, b)", {"order": {"np.cross(a, b) -> np.cross(b, a)"}}),
        ("return x[i]", {"index": {"i -> i + 1"}}),
        ("return x[0]", {"index": {"0 -> 1"}}),
        ("return x[1]", {"index": {"1 -> 0"}}),
        ("return x[a, b]", {"index": {"a, b -> b, a", "a -> a + 1", "b -> b + 1"}}),
        ("return x[:, 2]", {"index": {":, 2 -> 2, :", "2 -> 3"}}),
        ("return f(2, 0)", {"constant": {"2 -> 3", "0 -> 1"}}),
        ("return f(0.5, 0.0)", {"constant": {"0.5 -> 1.0", "0.0 -> 1.0"}}),
        ("return a < b", {"comparison": {"a < b -> a <= b"}}),
        (
            "return a == b != x",
            {"comparison": {"a == b != x -> a != b != x", "a == b != x -> a == b == x"}},
        ),
        ("return a and b", {"boolean": {"a and b -> a or b"}}),
        ("return not a", {"boolean": {"not a -> a"}}),
        ("return f(True)", {"boolean": {"True -> False"}}),
    ],
)
def test_each_operator_makes_its_faults(body, faults):
    assert made(body) == faults


@pytest.mark.parametrize(
    "body",
    [
        '"""Text with 2 + 2."""',
        "a: tuple[int, 3] = b",
        'return f"{a + b}"',
        'raise ValueError("of " + a[0])',
        'if a < 0:\n    raise ValueError(f"{a - 1}")',
        "if a < 0:\n    text = a + 1\n    raise ValueError(text)",
        "assert a < 3",
        "print(a + b)",
        "log.debug(a + b)",
        'return "a" + b',
        "return zip(a, b, strict=True)",
        "return f(1e-9, 1e30)",
        "def g(c=3) -> x[0]:\n    return c",
        "@cache(3)\ndef g():\n    return b",
        "match a:\n    case 3:\n        return b",
        "return isinstance(a, x[0])",
    ],
)
def test_what_people_read_is_left_alone(body):
    assert made(body) == {}


def test_what_is_shown_and_what_is_run_is_the_line_with_the_fault():
    source = b"def f(a, b):\n    # gr\xc3\xbc\xc3\x9fe\n    return 2 * (a + b)  # \xc3\xa4\n"
    (minus,) = [m for m in mutations(source, "m") if m.kind == "sign"]
    assert minus.shown(source) == ("return 2 * (a + b) # ä", "return 2 * (a - b) # ä")
    names: dict[str, object] = {}
    exec(minus.applied(source), names)
    assert names["f"](5, 3) == 4


def test_representations_are_not_changed_and_methods_have_qualified_names():
    source = dedent(
        """
        class A:
            def __repr__(self):
                return self.n - 1
            @property
            def n(self):
                def inner(k):
                    return k - 1
                return inner(k=4)
        """
    ).encode()
    assert {mutation.function for mutation in mutations(source, "m")} == {"m:A.n"}


def test_record_has_the_lines_of_functions_that_run(tmp_path):
    file = tmp_path / "p" / "arm.py"
    file.parent.mkdir()
    file.write_text("K = 1\ndef f(a):\n    if a:\n        return 1\n    return 2\n")
    names: dict[str, object] = {}
    before = sys.gettrace()
    record = Record(str(tmp_path), str(file.parent))
    exec(compile(file.read_text(), str(file), "exec"), names)
    try:
        record.start()
        names["f"](0)
    finally:
        record.write()
        sys.settrace(before)
    (written,) = tmp_path.glob("*.json")
    assert json.loads(written.read_text()) == {"arm.py": [3, 5]}


def test_rows_have_tests_and_folders():
    rows, folders = rows_of_coverage(), folders_of_rows()
    assert set(rows) <= set(folders)
    assert "tests/papers/dhanaraj/test_reference_torques.py::test_inverse_dynamics" in rows["D4"]
    assert "equations.inverse_dynamics" in folders["W11"]
    for row, places in folders.items():
        for place in places:
            assert (ROOT / "src" / "phalanx" / place.replace(".", "/")).is_dir(), row


def test_listed_mutants_exist_and_equivalents_are_few():
    project = Project()
    caught, same = entries(project.caught), entries(project.equivalent)
    assert len(same) <= len(project.rows) / 5
    for entry in caught + same:
        assert find(project, entry["function"], entry["change"]), entry
    assert all(entry["row"] in project.rows for entry in caught)
    assert all(len(entry["because"].split()) >= 5 for entry in same)


# a tiny product -----------------------------------------------------------------------------------

ARM = """
def torque(mass, angle):
    return 9.81 * mass * angle

def spring(stiffness, stretch):
    return stiffness * stretch

def never(a):
    return a + 1

def count(n):
    while n > 0:
        n -= 1
    return n
"""
TESTS = """
import subprocess, sys, time
from fake import arm, other

def test_torque(): assert arm.torque(2.0, 0.5) == 9.81
def test_torque_is_called(): assert arm.torque(2.0, 0.5) > 0
def test_spring_elsewhere():
    code = "from fake.arm import spring; raise SystemExit(spring(2, 3) != 6)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
def test_count(): assert arm.count(3) == 0
def test_wrong(): assert arm.torque(1, 1) == 0
"""


@dataclass
class Run:
    code: int
    said: str
    results: list[dict]

    def verdicts(self) -> dict[tuple[str, str], str]:
        return {(v["row"], v["change"]): v["verdict"] for r in self.results for v in r["verdicts"]}


@pytest.fixture
def fake(tmp_path):
    """Run the command line on a tiny product."""
    (tmp_path / "src" / "fake").mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "src" / "fake" / "__init__.py").touch()
    (tmp_path / "src" / "fake" / "other.py").write_text("def f(a):\n    return a + 1\n")
    (tmp_path / "src" / "fake" / "arm.py").write_text(ARM)
    (tmp_path / "tests" / "test_arm.py").write_text(TESTS)
    rows = {
        "X1": ["torque"],
        "X2": ["torque_is_called"],
        "X3": ["spring_elsewhere"],
        "X4": ["count"],
        "X5": ["wrong"],
    }
    named = {row: [f"tests/test_arm.py::test_{t}" for t in tests] for row, tests in rows.items()}
    driver = f"""
import sys
from pathlib import Path
from mutants.__main__ import main
from mutants.rows import Project
root = Path({str(tmp_path)!r})
lists = root / "same.toml", root / "caught.toml"
project = Project(root, "fake", root / "out", {named!r}, {{}}, (), *lists)
sys.exit(main(sys.argv[1:], project))
"""

    def run(*arguments: str, caught: str = "", same: str = "") -> Run:
        (tmp_path / "caught.toml").write_text(caught)
        (tmp_path / "same.toml").write_text(same)
        done = subprocess.run(
            [sys.executable, "-c", driver, *arguments],
            env=os.environ
            | {"PYTHONPATH": str(ROOT / "tests"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        file = tmp_path / "out" / ("sample.json" if "--sample" in arguments else "results.json")
        results = json.loads(file.read_text())["results"] if file.is_file() else []
        return Run(done.returncode, done.stdout + done.stderr, results)

    return run


def entry(row: str, function: str, change: str) -> str:
    return f'[[mutant]]\nrow = "{row}"\nfunction = "{function}"\nchange = "{change}"\n'


def test_mutants_are_judged_by_the_rows_tests_alone(fake):
    same = entry("X1", "fake.arm:torque", "9.81 -> 19.62") + 'because = "it is left out here"\n'
    done = fake("--rows", "X1,X2,X3", "--per-row", "9", same=same)
    assert done.code == 0, done.said
    found = done.verdicts()
    dropped = "9.81 * mass * angle -> 9.81 * mass"
    assert found["X1", dropped] == "caught"
    assert found["X2", dropped] == "survived"  # it only sees that there is a torque
    # the fault is also in processes that a test starts
    assert found["X3", "stiffness * stretch -> stiffness"] == "caught"
    # neither lines that the row's tests do not run, nor what is known to be the same
    assert not any("a + 1" in change or "19.62" in change for _, change in found)
    survivor = "X2   fake.arm:torque  [term: 9.81 * mass * angle -> 9.81 * mass]"
    assert survivor in done.said and "+ return 9.81 * mass\n" in done.said
    again = fake("--again")
    assert {key for key, verdict in found.items() if verdict == "survived"} == set(again.verdicts())


def test_a_mutant_without_end_is_stopped(fake):
    done = fake("--rows", "X4", "--per-row", "9", "--seconds", "2")
    assert done.code == 0, done.said
    # where the machine is so busy that the right product needs as long, nothing can be said
    assert done.verdicts()["X4", "n -= 1 -> n += 1"] in ("timed out", "undecided")


def test_a_mutant_that_must_be_caught_and_survives_fails(fake):
    caught = entry("X1", "fake.moved:torque", "9.81 * mass -> 9.81")  # a file may move
    missed = entry("X2", "fake.arm:torque", "9.81 * mass -> 9.81")
    sample = ("--sample", "--rows", "X1,X2")
    done = fake(*sample, caught=caught)
    assert done.code == 0 and done.verdicts()["X1", "9.81 * mass -> 9.81"] == "caught", done.said
    done = fake(*sample, caught=caught + missed)
    assert done.code == 1 and "Must be caught (caught.toml), and survived" in done.said


def test_a_row_whose_own_tests_fail_is_no_catch(fake):
    done = fake("--rows", "X5")
    assert done.code == 1 and "test_wrong" in done.said
    assert done.verdicts() == {}


@pytest.mark.parametrize(
    ("function", "change", "said"),
    [
        ("fake.arm:torque", "7 -> 8", "no fake.arm:torque with 7 -> 8"),
        ("fake.other2:g", "7 -> 8", "no fake.other2:g"),
    ],
)
def test_a_listed_mutant_that_is_gone_means_a_broken_harness(fake, function, change, said):
    done = fake("--sample", "--rows", "X1", caught=entry("X1", function, change))
    assert done.code == 2 and said in done.said


def test_a_module_that_no_test_imports_means_a_broken_harness(fake, tmp_path):
    (tmp_path / "src" / "fake" / "alone.py").write_text("def f(a):\n    return a + 1\n")
    done = fake("--sample", "--rows", "X1", caught=entry("X1", "fake.alone:f", "a + 1 -> a"))
    assert done.code == 2 and "fake.alone:f was not imported" in done.said


def test_samples_repeat_with_their_seed_and_own_functions_come_first(tmp_path):
    (tmp_path / "src" / "fake" / "own").mkdir(parents=True)
    for name in ("own/a.py", "b.py", "c.py"):
        (tmp_path / "src" / "fake" / name).write_text("def f(x):\n    return x[0] + x[1] * 2\n")
    project = Project(tmp_path, "fake", tmp_path, {}, {"X1": ("own",)})
    executed = {f"fake.{module}:f": [2] for module in ("b", "own.a", "c", "base.d")}
    names = behind(project, "X1", executed, {"X2": {"fake.b:f"}, "X1": {"fake.c:f"}})
    assert names == ["fake.own.a:f", "fake.c:f", "fake.b:f", "fake.base.d:f"]

    def sample(seed: int) -> list[str]:
        return [m.change for m in draw(project, "X1", names, executed, 5, 12, Random(seed))]

    assert sample(1) == sample(1) and len(set(map(tuple, map(sample, range(5))))) > 1


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    told = capsys.readouterr().out
    assert "--rows L12,D5" in told and "equivalent.toml" in told
