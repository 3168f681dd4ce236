"""A process for each mutant: forked from one that has imported the libraries, but not the product.

The first process imports pytest, its plugins and the libraries once. A fork of it is at the first
test after 0.2 s of processor time, where a new process needs 1.4 s, and imports the product afresh,
with the hook in process/sitecustomize.py.

What a judgement leaves behind goes with its folder. Compiled kernels are there too, so no kernel of
another mutant is ever run: their names hash the expression, but not the passes of the compiler.

Policy of verdicts. A mutant is caught by a test that fails, by an error while tests are collected,
by a crash, and by tests that do not come to an end. Where the same tests take longer than the limit
with the right product, a time-out says nothing: the mutant is undecided.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from .operators import Mutation
from .process import sitecustomize as hook
from .rows import Project, executed_functions

HOOK = Path(hook.__file__).parent
CAUGHT, SURVIVED, TIMED_OUT, UNDECIDED = "caught", "survived", "timed out", "undecided"
MEMORY = 6 << 30  # [bytes] of a process with a fault that allocates without end


class BrokenHarness(Exception):
    """The harness cannot judge: what it says about mutants would mean nothing."""


def warm_up(project: Project) -> None:
    """Import what all processes need, and nothing that a mutant may change."""
    plugins = (
        () if "PYTEST_DISABLE_PLUGIN_AUTOLOAD" in os.environ else entry_points(group="pytest11")
    )
    for name in [*project.libraries, *(plugin.module for plugin in plugins)]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if loaded := [name for name in sys.modules if name.split(".")[0] == project.package]:
        raise BrokenHarness(f"{loaded[0]} is loaded already: its mutants would not be")


@dataclass
class Told:
    """What a process of tests said."""

    code: int | None = None  # of pytest; negative for a signal, None for a time-out
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    passed: int = 0
    durations: dict[str, float] = field(default_factory=dict)  # by test without its parameters
    output: str = ""


class Notes:
    """Plugin of pytest that writes down what each test did, as it happens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a line to the file."""
        with self.path.open("a") as file:
            file.write(json.dumps([report.nodeid, report.when, report.outcome, report.duration]))
            file.write("\n")


def run(
    project: Project,
    tests: Sequence[str],
    seconds: float,
    *,
    mutation: Mutation | None = None,
    trace: Path | None = None,
) -> Told:
    """Run tests in a fork of this process, with a fault or with a record of executed lines."""
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))
    try:
        environment = {"PYTHONPATH": os.pathsep.join([str(HOOK), str(project.src)])}
        if mutation is not None:
            module = mutation.function.split(":")[0]
            source = project.path_of(module).read_bytes()
            (folder / "module").write_text(module)
            (folder / "source").write_bytes(mutation.applied(source))
            environment[hook.MUTANT] = str(folder)
        if trace is not None:
            package = project.src / project.package
            environment[hook.TRACE] = os.pathsep.join([str(trace), str(package)])
        sys.stdout.flush()
        sys.stderr.flush()
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            _be_the_child(project, tests, folder, environment, first=trace is None)
        code = _wait(child, seconds, folder)
        told = _read(folder, code, time.monotonic() - begin)
        if mutation is not None and told.passed and not (folder / "loaded").exists():
            raise BrokenHarness(f"{mutation.function} was not imported by {' '.join(tests)}")
        return told
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _be_the_child(
    project: Project, tests: Sequence[str], folder: Path, environment: dict[str, str], first: bool
) -> None:
    """Run pytest and end; never returns to the caller's code."""
    code = 3
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name in ("CI", *(name for name in os.environ if name.startswith("PYTEST_XDIST"))):
            os.environ.pop(name, None)  # in CI, a skipped test fails
        os.environ.update(environment)
        sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
        os.chdir(project.root)
        record = hook.begin()
        options = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider"]
        # libraries were imported before pytest could look at their assertions
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        options += ["-x"] if first else []
        notes = Notes(folder / "notes")
        code = int(pytest.main([*options, f"--basetemp={folder / 'tmp'}", *tests], plugins=[notes]))
        if record is not None:
            record.write()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _wait(child: int, seconds: float, folder: Path) -> int | None:
    """The exit code of a child; None where it had to be killed. Its descendants end with it."""
    limit, pause = time.monotonic() + seconds, 0.01
    try:
        while time.monotonic() < limit:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                child = -child
                return os.waitstatus_to_exitcode(status)
            time.sleep(pause)
            pause = min(1.2 * pause, 0.1)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(abs(child), signal.SIGKILL)
        if child > 0:
            os.waitpid(child, 0)
        _end_strays(folder)


def _end_strays(folder: Path) -> None:
    """End processes that tests started in sessions of their own: they have our folder's name."""
    mark = str(folder).encode()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(place.name) != os.getpid() and mark in (place / "environ").read_bytes():
                os.kill(int(place.name), signal.SIGKILL)


def _read(folder: Path, code: int | None, seconds: float) -> Told:
    """What a process left in its folder."""
    told = Told(code, seconds)
    with contextlib.suppress(OSError):
        told.output = (folder / "output").read_text(errors="replace")[-4000:]
    with contextlib.suppress(OSError):
        for line in (folder / "notes").read_text().splitlines():
            test, when, outcome, duration = json.loads(line)
            name = test.partition("[")[0]
            told.durations[name] = told.durations.get(name, 0.0) + duration
            told.skipped += outcome == "skipped"
            told.passed += outcome == "passed" and when == "call"
            if outcome == "failed":
                told.failed.append(test)
    return told


@dataclass
class Trace:
    """A row's tests with the right product: what they execute, and for how long."""

    row: str
    tests: list[str]  # the quickest first
    seconds: float
    functions: dict[str, list[int]]
    failed: list[str]
    skipped: int
    passed: int
    ended: bool
    output: str = ""


def trace(project: Project, row: str, seconds: float) -> Trace:
    """The row's trace: the one kept for these very files, or a new one."""
    kept = project.out / "traces" / f"{row}.json"
    state = _fingerprint(project, row)
    with contextlib.suppress(OSError, ValueError, TypeError):
        content = json.loads(kept.read_text())
        if content.pop("state") == state:
            return Trace(**content)
    made = _new_trace(project, row, seconds)
    if made.ended and not made.failed:
        kept.parent.mkdir(parents=True, exist_ok=True)
        aside = kept.with_suffix(f".{os.getpid()}")
        aside.write_text(json.dumps({"state": state, **asdict(made)}))
        aside.replace(kept)
    return made


def _fingerprint(project: Project, row: str) -> str:
    """A hash of the product and of the row's test files."""
    digest = hashlib.sha256()
    tests = {project.root / test.partition("::")[0] for test in project.rows[row]}
    for path in sorted((project.src / project.package).rglob("*.py")) + sorted(tests):
        digest.update(path.read_bytes())
    digest.update("".join(project.rows[row]).encode())
    return digest.hexdigest()


def _new_trace(project: Project, row: str, seconds: float) -> Trace:
    """Run a row's tests with the right product, and note which lines they execute."""
    with tempfile.TemporaryDirectory(prefix="trace-") as place:
        told = run(project, project.rows[row], seconds, trace=Path(place))
        lines: dict[str, list[int]] = {}
        for file in Path(place).glob("*.json"):
            with contextlib.suppress(ValueError):  # cut off
                for path, executed in json.loads(file.read_text()).items():
                    lines[path] = sorted({*lines.get(path, ()), *executed})
    if told.failed or told.code not in (0, None):  # perhaps only because they were watched
        again = run(project, project.rows[row], seconds)
        if again.code not in (0, None):
            told.failed, told.output = again.failed or ["(none of them ran)"], again.output
        else:
            told.failed = []
    return Trace(
        row=row,
        tests=sorted(project.rows[row], key=lambda test: told.durations.get(test, 1e9)),
        seconds=told.seconds,
        functions=executed_functions(project, lines),
        failed=told.failed,
        skipped=told.skipped,
        passed=told.passed,
        ended=told.code is not None,
        output=told.output if told.failed else "",
    )


@dataclass
class Verdict:
    """What a row's tests said to a mutant."""

    row: str
    function: str
    file: str
    line: int
    kind: str
    change: str
    before: str  # the line of the source
    after: str
    verdict: str
    seconds: float
    by: str  # the test that caught it


def judge(
    project: Project,
    row: str,
    mutation: Mutation,
    seconds: float,
    tests: Sequence[str] = (),
    usual: float = 0.0,
) -> Verdict:
    """Judge a mutant by the row's tests alone, which usually take a time."""
    path = project.path_of(mutation.function.split(":")[0])
    before, after = mutation.shown(path.read_bytes())
    told = run(project, tests or project.rows[row], seconds, mutation=mutation)
    if told.failed or told.code not in (0, None):
        verdict = CAUGHT
    elif told.code == 0:
        verdict = SURVIVED
    else:
        verdict = TIMED_OUT if usual < 0.7 * seconds else UNDECIDED
    by = told.failed[0] if told.failed else ("" if told.code in (0, None) else f"exit {told.code}")
    return Verdict(
        row=row,
        function=mutation.function,
        file=str(path.relative_to(project.root)),
        line=mutation.line,
        kind=mutation.kind,
        change=mutation.change,
        before=before,
        after=after,
        verdict=verdict,
        seconds=round(told.seconds, 2),
        by=by,
    )
