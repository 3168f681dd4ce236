"""Plot of a benchmark report: evaluation times compared with other libraries'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.bench.report import QuantityRow, Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "#d9731f"
ONE_CALL = "#f1c089"
PEERS = ("#4c6f94", "#8aa9c4")


def plot_report(report: Report) -> Figure:
    """Horizontal bars on a logarithmic scale, one group a quantity; shorter is faster."""
    from matplotlib.figure import Figure

    rows = list(reversed(report.rows))
    series = _series(report)
    figure = Figure(figsize=(8.5, 1.3 + 0.19 * len(series) * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    thickness = 0.84 / len(series)
    for k, (label, colour) in enumerate(series):
        for y, row in enumerate(rows):
            value = _value(row, label)
            if value is None:
                continue
            place = y + 0.42 - (k + 0.5) * thickness
            axes.barh(place, value, 0.92 * thickness, color=colour, label=label if y == 0 else None)
            axes.annotate(
                f" {value:.0f}" if value >= 10 else f" {value:.1f}",
                (value, place),
                va="center",
                fontsize=7,
                color="0.3",
            )
    for label, colour in series:
        if all(text != label for text in axes.get_legend_handles_labels()[1]):
            axes.barh([0], [0], 0, color=colour, label=label)
    axes.set_yticks(range(len(rows)), [row.quantity for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xscale("log")
    left, right = axes.get_xlim()
    axes.set_xlim(left, 1.8 * right)
    axes.set_xlabel("time of one evaluation [ns], log scale; shorter is faster")
    m = report.machine
    axes.set_title(
        f"{report.model}, {report.nv} degrees of freedom: {m['processor']}, {m['vectors']}, "
        f"one thread unless said",
        fontsize=10,
        loc="left",
    )
    axes.grid(axis="x", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    order = {label: k for k, (label, _) in enumerate(series)}
    pairs = sorted(zip(labels, handles, strict=True), key=lambda pair: order[pair[0]])
    figure.legend(
        [handle for _, handle in pairs],
        [label for label, _ in pairs],
        loc="outside lower center",
        ncols=min(3, len(pairs)),
        fontsize=8,
        frameon=False,
    )
    return figure


def _series(report: Report) -> list[tuple[str, str]]:
    """What the bars of a group stand for, with colours."""
    found = [
        ("Phalanx, batch", OURS),
        (f"Phalanx, large batch, {report.threads} threads", "#a84f0c"),
        ("Phalanx, one call", ONE_CALL),
    ]
    for name, colour in zip(report.peers, PEERS, strict=False):
        if any(name in row.peers and row.peers[name].many for row in report.rows):
            found.append((f"{name}, batch", "#1f3a56"))
        found.append((f"{name}, one call", colour))
    return found


def _value(row: QuantityRow, label: str) -> float | None:
    who, _, how = label.partition(", ")
    if who == "Phalanx":
        ours = {"batch": row.batched, "one call": row.one}
        return ours.get(how, row.large_all_threads).best
    peer = row.peers.get(who)
    timing = None if peer is None else peer.many if how == "batch" else peer.one
    return timing.best if timing else None
