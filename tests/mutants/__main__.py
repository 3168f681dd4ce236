"""make mutants: make small faults in the product, and see whether the tests of rows catch them."""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random

from . import report
from .judge import SURVIVED, BrokenHarness, Trace, judge, run, trace, warm_up
from .report import Result
from .rows import Project, behind, draw, find

HELP = """\
Make small faults in the product, each in a process of its own, and run the tests that one row of
tests/papers/coverage.toml names, and no others. Faults that no test notices are listed.

  make mutants                                       three mutants of every row: hours
  make mutants ARGS="--rows L12,D5 --per-row 20"     two rows in depth
  make mutants ARGS="--rows K --minutes 30"          as many rows of Khan as 30 minutes allow
  make mutants ARGS="--again"                        only the survivors of the last report
  make mutants-sample                                what CI runs: half a minute

Rows are written as in docs/architecture.md: L Lathrop, D Dhanaraj, W Wong, S Sharf, K Khan.

A survivor is read like this: the line with + computes something wrong, and the row's tests pass.
Either name a test for the row that notices (coverage.toml), write one, or, where the line computes
the same, say why in tests/mutants/equivalent.toml. It may be nothing, too: of "a if b else c" on
one line both branches count as executed, and a row that only counts operations runs equations whose
numbers are the matter of other rows.

Kinds of faults: sign (+ and -), index (i and i+1, [i, j] and [j, i]), term (a + b becomes a),
constant (2 becomes 3, 0.5 becomes 1.0), order (a @ b becomes b @ a, cross(a, b) becomes
cross(b, a)), comparison (< becomes <=), boolean (and becomes or). They are made on executed lines
of functions that the row's tests run: first those in the row's folders (docs/architecture.md), then
those that few other rows run. --per-row 0 only records what each row runs, which makes "few other
rows" known.

Results: out/mutants/results.json. Exit code 1: a row's tests fail with the right product, or a
mutant of tests/mutants/caught.toml survives; 2: the harness is broken. Survivors are no failure.
"""

NO_TIME = "no time left"


@dataclass(frozen=True)
class Options:
    """What is to be done with each row."""

    per_row: int
    functions: int
    seconds: float
    trace_seconds: float
    seed: str
    until: float  # by time.monotonic


@dataclass(frozen=True)
class Task:
    """A row, with mutants to be drawn, or with one that is given."""

    row: str
    function: str = ""
    change: str = ""
    must: bool = False


def examine(project: Project, options: Options, task: Task) -> Result:
    """Judge mutants of a row, in a process of its own."""
    row, result = task.row, Result(task.row, must=task.must)
    if task.function:
        if mutation := find(project, task.function, task.change):
            right = run(project, project.rows[row], options.seconds)
            if right.code is None:
                result.note = f"its tests did not end in {options.seconds:.0f} s"
            elif right.code != 0:
                result.failed = f"exit {right.code}: {right.failed}\n{right.output}"
            else:
                verdict = judge(project, row, mutation, options.seconds, usual=right.seconds)
                result.verdicts.append(verdict)
        elif task.must:
            raise BrokenHarness(f"{project.caught}: no {task.function} with {task.change}")
        else:
            result.note = f"no {task.function} with {task.change} any more"
        return result
    if time.monotonic() > options.until:
        result.note = NO_TIME
        return result
    found = trace(project, row, options.trace_seconds)
    if found.failed:
        result.failed = f"{found.failed[0]}\n{found.output}"
    elif not found.ended:
        result.note = f"its tests did not end in {options.trace_seconds:.0f} s"
    elif not found.passed:
        result.note = "its tests are skipped here"
    else:
        _judge_sample(project, options, found, result)
    return result


def _judge_sample(project: Project, options: Options, found: Trace, result: Result) -> None:
    """Draw mutants of a traced row and judge them."""
    row = found.row
    same = {(entry["function"], entry["change"]) for entry in entries(project.equivalent)}
    drawn = draw(
        project,
        row,
        behind(project, row, found.functions, project.traces()),
        found.functions,
        options.per_row + len(same),
        options.functions,
        Random(f"{options.seed} {row}"),
    )
    drawn = [m for m in drawn if (m.function, m.change) not in same][: options.per_row]
    if not drawn and options.per_row:
        result.note = "its tests run no function of the product that can be changed"
    for mutation in drawn:
        if time.monotonic() > options.until:
            result.note = "" if result.verdicts else NO_TIME
            break
        verdict = judge(project, row, mutation, options.seconds, found.tests, found.seconds)
        result.verdicts.append(verdict)


def entries(path: Path) -> list[dict[str, str]]:
    """The mutants of a list."""
    return tomllib.loads(path.read_text()).get("mutant", []) if path.is_file() else []


def chosen(project: Project, text: str) -> list[str]:
    """Rows by name, or all of a source by its letter."""
    rows = []
    for word in filter(None, text.upper().replace(" ", "").split(",")):
        named = [row for row in project.rows if row == word or (len(word) == 1 and row[0] == word)]
        if not named:
            raise SystemExit(
                f"--rows: no row {word} with tests. Rows are L1, D5, ...; L is all of L."
            )
        rows += named
    return list(dict.fromkeys(rows)) or list(project.rows)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        "make mutants", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="", help="as L12,D5,K; all by default")
    parser.add_argument("--per-row", type=int, default=3, metavar="N", help="mutants a row (3)")
    parser.add_argument("--functions", type=int, default=12, metavar="N", help="behind a row (12)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time (2)")
    parser.add_argument("--seconds", type=float, default=20, help="for a mutant (20)")
    parser.add_argument("--trace-seconds", type=float, default=120, help="for a row's trace (120)")
    parser.add_argument("--minutes", type=float, help="begin nothing after that time")
    parser.add_argument("--seed", help="of the sample; today's date by default")
    parser.add_argument("--again", action="store_true", help="the survivors of the last report")
    parser.add_argument(
        "--sample",
        action="store_true",
        help="for CI: the mutants of caught.toml, then one a row, of rows that change daily",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, project: Project | None = None) -> int:
    """Judge, report, and return the exit code."""
    given, project = parse(sys.argv[1:] if arguments is None else arguments), project or Project()
    seed = given.seed or date.today().isoformat()
    results_file = project.out / "results.json"
    if given.again:
        if not results_file.is_file():
            raise SystemExit(f"--again: no {results_file}; run make mutants first.")
        tasks = [Task(*found) for found in report.read_survivors(results_file)]
    else:
        rows = chosen(project, given.rows)
        Random(seed).shuffle(rows)  # so that a run that ends early has rows of all sources
        tasks = [Task(row) for row in rows]
    if given.sample:
        results_file = project.out / "sample.json"
        must = [Task(e["row"], e["function"], e["change"], True) for e in entries(project.caught)]
        tasks = must + tasks
    minutes = given.minutes or (0.4 if given.sample else 1e6)
    options = Options(
        per_row=1 if given.sample else given.per_row,
        functions=given.functions,
        seconds=min(given.seconds, 10.0) if given.sample else given.seconds,
        trace_seconds=10.0 if given.sample else given.trace_seconds,
        seed=seed,
        until=time.monotonic() + 60 * minutes,
    )
    print(f"{len(tasks)} rows, seed {seed}, {given.jobs} at a time", flush=True)
    begin = time.monotonic()
    results: list[Result] = []
    settings = vars(given) | {"seed": seed}
    try:
        warm_up(project)
        with closing(_results(project, options, tasks, given.jobs)) as found:
            for result in found:
                results.append(result)
                report.write(results_file, results, settings)
                _tell(results, len(tasks), time.monotonic() - begin, 60 * minutes)
    except KeyboardInterrupt:
        print("\nStopped; what is known by now:")
    except BrokenHarness as error:
        print(f"The harness is broken: {error}", file=sys.stderr)
        return 2
    print(f"\n{report.text([r for r in results if r.note != NO_TIME])}")
    print(f"\n{results_file}, {time.monotonic() - begin:.0f} s")
    missed = [
        v for result in results if result.must for v in result.verdicts if v.verdict == SURVIVED
    ]
    if missed:
        print(f"\nMust be caught (caught.toml), and survived:\n\n{report.table_of(missed)}")
    return 1 if missed or any(result.failed for result in results) else 0


def _results(project: Project, options: Options, tasks: list[Task], jobs: int) -> Iterator[Result]:
    """Results as they come, each from a fork of this process."""
    waiting, running = list(tasks), {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    task = waiting.pop(0)
                    answer = Path(place) / str(len(waiting))
                    running[_begin(project, options, task, answer)] = task, answer
                child, status = os.wait()
                task, answer = running.pop(child)
                if not answer.is_file():
                    raise BrokenHarness(f"the process of {task.row} ended with status {status}")
                result = pickle.loads(answer.read_bytes())
                if isinstance(result, BrokenHarness):
                    raise result
                yield result
        finally:
            for child in running:
                os.kill(child, signal.SIGTERM)
            for child in running:
                os.waitpid(child, 0)


def _begin(project: Project, options: Options, task: Task, answer: Path) -> int:
    """Examine a row in a fork of this process, which writes a file when it is done; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    try:
        # Ctrl-C is for the first process, which ends the others so that they can end their tests
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            result: Result | BrokenHarness = examine(project, options, task)
        except BrokenHarness as error:
            result = error
        answer.with_suffix(".part").write_bytes(pickle.dumps(result))
        answer.with_suffix(".part").replace(answer)
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _tell(results: list[Result], count: int, seconds: float, limit: float) -> None:
    """One line for a row that is done, with the time that all may take."""
    last = results[-1]
    if last.note == NO_TIME:
        return
    left = min(seconds / len(results) * (count - len(results)), max(limit - seconds, 0.0))
    said = ", ".join(f"{v.verdict} in {v.seconds:.0f} s" for v in last.verdicts)
    said = said or last.note or ("its own tests fail" if last.failed else "traced")
    survived = len(report.survivors(results))
    state = f"{len(results)}/{count}, {survived} survived, {left / 60:.0f} min left"
    print(f"[{state}] {last.row}: {said}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
