"""``phalanx bench``: how fast every quantity of a model is, beside other libraries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.bench import Report
    from phalanx.bench.clock import Timing

FULL_BATCH, FULL_LARGE = 8192, 100_000


@dataclass(frozen=True)
class Measured:
    """What is measured."""

    quick: Annotated[
        bool, typer.Option("--quick", help="Main quantities, fewer rounds: some seconds.")
    ] = False
    peers: Annotated[
        bool, typer.Option(help="Measure Pinocchio and MuJoCo in the same run, where installed.")
    ] = True
    startup: Annotated[
        bool, typer.Option(help="Measure import and first call in new processes.")
    ] = True
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Frame of Jacobians and the like; the last body.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class Kept:
    """Where the numbers go."""

    json: Annotated[
        Path | None,
        Writes((".json",)),
        typer.Option(help="Write all numbers to a .json file.", show_default=False),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw them: .png, .svg or .pdf.", show_default=False),
    ] = None


def bench(
    model: Model,
    loading: Loading,
    measured: Measured,
    numerics: Numerics,
    kept: Kept,
) -> None:
    """Time every quantity: one call, batches, threads, layouts, first call; beside other libraries.

    Contestants take turns and the best turn counts, so that a busy machine disturbs the ratios
    little. Before anything is timed, its numbers are compared with the other library's.

    phalanx bench puma560 --quick

    phalanx bench robot:ur5_robot --json ur5.json --plot ur5.png
    """
    from phalanx.bench.run import Progress
    from phalanx.bench.run import bench as run

    mechanism = loading.find(model)
    if measured.frame is not None:
        mechanism.frame(measured.frame)
    with console.progress() as bar:
        task = bar.add_task("", total=None)

        def show(step: Progress) -> None:
            bar.update(task, description=step.what, completed=step.done, total=step.total)

        report = run(
            mechanism,
            model=model if measured.startup else None,
            floating_base=loading.floating_base,
            frame=measured.frame,
            quick=measured.quick,
            peers=measured.peers,
            progress=show,
            **numerics.options,
        )
    show_report(report)
    if kept.json is not None:
        kept.json.write_text(json.dumps(report.as_json(), indent=2) + "\n")
        console.err().print(f"Numbers in {kept.json}.")
    if kept.plot is not None:
        from phalanx.bench.plot import plot_report
        from phalanx.view.plots.draw import save

        save(plot_report(report), kept.plot)
        console.err().print(f"Plot in {kept.plot}.")


def show_report(report: Report) -> None:
    """The report as tables."""
    out = console.out()
    m = report.machine
    out.print(
        f"[bold]{escape(report.model)}[/], nv = {report.nv}, {report.dtype}: {m['processor']}, "
        f"{m['processors']} processors, {m['vectors']}, load {m['load']}",
        soft_wrap=True,
    )
    out.print("", own_table(report), sep="\n")
    if any(row.peers for row in report.rows):
        out.print("", peer_table(report), "", sep="\n")
    if report.startup is not None:
        s = report.startup
        out.print(
            f"numpy, casadi, llvmlite {s.libraries:.2f} s, phalanx {s.import_phalanx:.3f} s, "
            f"Dynamics, simulate and load {s.first_names:.2f} s; first call of inverse dynamics "
            f"after these {s.cold:.2f} s cold, {s.cached:.3f} s from the cache",
            soft_wrap=True,
        )
    out.print(
        f"best of {report.rows[0].batched.rounds} turns; medians lie {100 * report.spread:.0f} % "
        "above the best (noise of the machine)",
        soft_wrap=True,
    )
    if report.processors < 0.85 * report.threads:
        out.print(
            f"[yellow]{report.threads} threads had only {report.processors:.1f} processors: other "
            "programs are running, and the speedup of threads says nothing.[/]",
            soft_wrap=True,
        )
    for remark in report.remarks:
        out.print(f"[dim]{escape(remark)}[/]", soft_wrap=True)


def own_table(report: Report) -> Table:
    """Our times."""
    threads = f"{report.threads} threads"
    table = console.table(
        "time of one evaluation",
        ("quantity",),
        ("ops", "one call", "batch", "layout", threads, "speedup"),
    )
    for row in report.rows:
        table.add_row(
            row.quantity,
            str(row.operations),
            time_text(row.one),
            time_text(row.batched) + ("" if row.batch == FULL_BATCH else "*"),
            f"{100 * row.layout_cost:+.0f} %",
            time_text(row.large_all_threads) + ("" if row.large_batch == FULL_LARGE else "*"),
            f"{row.thread_speedup:.2f}x",
        )
    shorter = (
        " * a shorter batch, to fit its matrices."
        if any(row.large_batch < FULL_LARGE for row in report.rows)
        else ""
    )
    table.caption = (
        f"batch: {FULL_BATCH} samples, arrays (batch, n), one thread. layout: what that costs more "
        f"than arrays that lie (n, batch) in memory. {threads}: {FULL_LARGE} samples, and the "
        f"speedup over one thread.{shorter}"
    )
    return table


def peer_table(report: Report) -> Table:
    """Our times beside those of other libraries."""
    versions = ", ".join(f"{name} {version}" for name, version in report.peers.items())
    table = console.table(
        f"beside {versions}",
        ("quantity", "library"),
        ("one call", "ours/its", "batch", "its/ours", "error"),
    )
    calls = set()
    for row in report.rows:
        for name, peer in row.peers.items():
            one_ratio, speedup = row.one_call_ratio(name), row.speedup(name)
            if peer.call:
                calls.add(peer.call)
            table.add_row(
                row.quantity,
                name,
                time_text(peer.one) if peer.one else "–",
                f"{one_ratio:.2f}" if one_ratio else "–",
                time_text(peer.many) if peer.many else "none",
                f"{speedup:.1f}x" if speedup else "–",
                f"{peer.error:.0e}",
            )
    table.caption = (
        "one call: from Python, its time and ours over it. batch: its own batched call on one "
        f"thread ({', '.join(sorted(calls)) or 'none'}), and how many times as long as ours it "
        "takes; where it has none, its single call over our batch. error: largest difference of "
        "the numbers, relative."
    )
    return table


def time_text(timing: Timing) -> str:
    """The best time."""
    return console.duration(1e-9 * timing.best)
