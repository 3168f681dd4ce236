from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from phalanx.base.facts import TextTable
from phalanx.cli import console
from phalanx.cli.app import COMMANDS
from phalanx.dynamics.evaluators.constraint_forces.work import SolutionCost
from phalanx.studies.sharf.bench import ITERATIONS
from phalanx.studies.sharf.comparison import PARTS, ParallelComparison, Reproduction
from phalanx.studies.sharf.machines import PLANAR, SPATIAL
from phalanx.studies.sharf.parallel_model import COMPUTERS, ParallelWork
from phalanx.studies.sharf.parallel_time import ParallelTimes
from phalanx.studies.sharf.plot import plot_chains
from phalanx.studies.sharf.scaling import Scaled
from phalanx.studies.sharf.table_2 import Simulated
from phalanx.studies.sharf.tables import comparison_facts
from phalanx.studies.sharf.tolerance import Tied
from phalanx.studies.sharf.warm_starts import StartRow

# as if everything had been measured
EACH = [(iteration, m) for m in (PLANAR, SPATIAL) for iteration in ITERATIONS]
ALL = Reproduction(
    [Simulated(c, m, 0.0029, 1234.5, 117, 9.12, 8.4e-6) for c, m in EACH],
    [StartRow(c, m, 351.6, 278.9, 65.3) for c, m in EACH],
    [
        Scaled(n, d, (6 - d) * n, n, 1e3 * n**1.5, 600 * n, 1e-3 * n, 1e-5)
        for d in (1, 2)
        for n in (2, 20)
    ],
    ParallelComparison(
        [
            ParallelWork(n, d, n**0.9, SolutionCost(1500 * n, 30 * n, 300 * n), 700 * d * n)
            for d in (1, 2)
            for n in (2, 100)
        ],
        COMPUTERS,
        [ParallelTimes(n, 150, 0.1987, 2.38e-3, 16, 0.171, 6.41e-4) for n in (2, 10_000)],
    ),
    [
        Tied(None, 369, 0.0, 2.0, 0.0),
        Tied(10.0, 3000, 5.9, 0.6, None),
        Tied(0.1, 335, 9.8, 2.0, 3e-5),
    ],
)


def test_figures_as_tables(run, tmp_path):
    text = run(
        "compare-chains", "figure2", "--solutions", "1", "--longest", "3", "--plot", "made.svg"
    ).stdout
    lines = [line.split() for line in text.splitlines() if line.split()]
    longest = [line for line in lines if line[:3] == ["1", "freedom", "3"]]
    assert longest and longest[0][3] == "15"  # five constraint forces a joint
    assert sum(line[0] in "12" and line[1].startswith("freedom") for line in lines) == 6
    assert "paper: J-CG time on a Sun 3/60" in text
    assert "<svg" in (tmp_path / "made.svg").read_text()


def test_every_table_fits_into_80_columns_and_says_what_is_of_the_paper(monkeypatch):
    page = Console(file=io.StringIO(), width=80)
    monkeypatch.setattr(console, "out", lambda: page)
    console.print_facts(comparison_facts(ALL))
    text = page.file.getvalue()
    assert "…" not in text
    assert "table 2: ten seconds of a substitute arm" in text and "for another arm" in text
    assert "(1483)" in text and "(470 s)" in text  # Jacobi in space, as printed
    assert "3000+" in text and "on 16 threads; others: measured on one" in " ".join(text.split())


def test_all_parts_for_programs_and_as_a_picture():
    found = json.loads(json.dumps(comparison_facts(ALL).data, allow_nan=False))
    assert set(found) == {part.replace("-", "_") for part in PARTS}
    jacobi = next(
        r for r in found["table2"] if (r["iteration"], r["manoeuvre"]) == ("jacobi", "spatial")
    )
    assert jacobi["printed"] == [0.02, 1483, 470.0] and jacobi["iterations"] == 1234.5
    assert [fit["printed"] for fit in found["figure2"]["exponents"]] == [1.12, 1.17]
    for row in found["figure3"]["times"]:
        assert row["serial"] <= row["ideal"] <= row["real"] <= row["expected"] or row["links"] == 2
    for row in found["figure3"]["work"]:
        assert row["gain"] == pytest.approx(row["recursion"] / row["real"])
    titles = [axes.get_title(loc="left") for axes in plot_chains(ALL).axes]
    assert len([title for title in titles if title]) == len(PARTS) + 2


def test_curves_are_the_counts_of_the_tables():
    rows = comparison_facts(ALL).data["figure2"]["rows"]
    by_title = {axes.get_title(loc="left"): axes for axes in plot_chains(ALL).axes}
    operations, iterations = by_title["Figure 2(a), in operations"], by_title["Figure 2(b)"]
    for k, freedoms in enumerate((1, 2)):
        own = [row for row in rows if row["freedoms"] == freedoms]
        for axes, name in ((operations, "operations"), (iterations, "iterations")):
            links, values = axes.lines[2 * k].get_data()
            assert list(links) == [row["links"] for row in own]
            assert list(values) == [row[name] for row in own]
    counted = comparison_facts(ALL).data["figure3"]["work"]
    curves = by_title["Figure 3, in operations"].lines
    for k, freedoms in enumerate((1, 2)):
        own = [row for row in counted if row["freedoms"] == freedoms]
        for line, name in zip(curves[3 * k :], ("recursion", "real", "ideal"), strict=False):
            assert list(line.get_xdata()) == [row["links"] for row in own]
            assert list(line.get_ydata()) == [row[name] for row in own]


def test_a_computer_of_your_own_stands_beside_the_others(run, monkeypatch):
    """Free messages are the operations alone; both numbers of a computer are needed."""
    monkeypatch.setattr("phalanx.studies.sharf.comparison.parallel_times", lambda **_: [])
    monkeypatch.setattr(
        "phalanx.studies.sharf.comparison.parallel_work", lambda **_: ALL.figure3.work
    )
    monkeypatch.setattr(
        "phalanx.studies.sharf.tables.time_table",
        lambda rows, values: TextTable("", (), (), (), values={"figure3": values}),
    )
    words = ("compare-chains", "figure3", "--json", "--latency", "0", "--operation", "2e-9")
    found = json.loads(run(*words).stdout)["figure3"]
    names = [computer["name"] for computer in found["computers"]]
    assert names == [*(computer.name for computer in COMPUTERS), "yours"]
    assert found["computers"][-1]["operation"] == 2e-9
    alone = run("compare-chains", "figure3", "--latency", "1e-6", code=2).stderr
    assert "give both" in alone


def test_parts_are_those_there_are(run):
    assert f"Parts: {', '.join(PARTS)}." in COMMANDS["compare-chains"].__doc__
    text = run("compare-chains", "figur2", code=2).stderr
    assert "no part 'figur2'. Did you mean 'figure2'?" in " ".join(text.split())


@pytest.mark.parametrize("words", [("--plot", "made.txt"), ("--solutions", "0")])
def test_what_cannot_be_done_is_said_before_the_work(run, words):
    assert run("compare-chains", *words, code=2).stderr
