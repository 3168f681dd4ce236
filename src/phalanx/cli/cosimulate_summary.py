"""Summary of a co-simulation: message counts, waiting times, comparison with one processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.base.processors import usable_processors
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.distribute import ChainJob, ChainResult, PlatformJob, PlatformResult


def _what(job: PlatformJob) -> str:
    """What is computed, in words."""
    from phalanx.distribute import Mode, MotionTask

    if job.chosen_task is not MotionTask.FORWARD:
        return str(job.chosen_task)
    blocks = job.chosen_mode is Mode.BLOCKS
    samples = f" of {job.points} time samples" if blocks else ""
    return f"{job.chosen_method.name}, {job.chosen_mode}{samples}"


def show_platform(job: PlatformJob, result: PlatformResult, *, on_ranks: bool) -> None:
    """Print what processes sent, and how the run compares with one on a single processor."""
    import numpy as np

    from phalanx.distribute import MotionTask, single_processor

    serial, wall_time = single_processor(job)
    out, steps, processes = console.out(), result.steps, len(result.processes)
    table = console.table(
        f"{job.mechanism.name}, {_what(job)}, on {_where(processes, on_ranks)}",
        ("process",),
        ("exchanges", "round trips", "messages", "words", "waited"),
    )
    for name, one in zip(result.processes, result.traffic, strict=True):
        counts = (one.exchanges, one.round_trips, one.messages, one.words)
        waited = console.duration(one.waited) if on_ranks else "-"
        table.add_row(name, *(f"{count:,}" for count in counts), waited)
    out.print(table)
    messages = sum(one.messages for one in result.traffic) / steps
    words = sum(one.words for one in result.traffic) / steps
    most = max(result.traffic, key=lambda one: one.exchanges + one.round_trips)
    out.print(
        f"each step: exchanges {most.exchanges / steps:.3g}, round trips "
        f"{most.round_trips / steps:.3g}, messages {messages:.3g}, words {words:.3g}",
        soft_wrap=True,
    )
    out.print(
        f"{steps:,} steps took {console.duration(result.seconds)}, "
        f"{console.duration(wall_time)} on one processor: {_speed(wall_time, result.seconds)}",
        soft_wrap=True,
    )
    here = usable_processors()
    if on_ranks and here < processes:
        out.print(
            f"({processes} ranks share {here} processors here, and a step of this "
            "machine is shorter than a message.)",
            soft_wrap=True,
        )
    compared = [name for name in ("q", "v", "a", "tau") if name in serial.signals]
    if job.chosen_task is MotionTask.FORWARD:
        compared = ["q", "v"]
    differences = [
        f"{name} {np.abs(result.recording[name] - serial[name]).max():.2g}" for name in compared
    ]
    out.print(
        f"largest difference from one processor: {', '.join(differences)}; loops open by up to "
        f"{result.recording['opening'].max():.2g} m or rad",
        soft_wrap=True,
    )


def show_chain(job: ChainJob, method: str, result: ChainResult, *, on_ranks: bool) -> None:
    """Print what processes sent, and how the run compares with one of a single process."""
    from dataclasses import replace

    import numpy as np

    from phalanx.distribute import run

    alone = run(replace(job, every=job.steps, record=None), 1)
    out, steps, processes = console.out(), result.steps, len(result.segments)
    table = console.table(
        f"{job.mechanism.name}, {method}, {processes} segments on {_where(processes, on_ranks)}",
        ("bodies",),
        ("to neighbours", "numbers", "sums", "messages", "numbers", "waited"),
    )
    for segment, one in zip(result.segments, result.traffic, strict=True):
        to_neighbours = [line for line in one.sent if line.kind == "neighbour"]
        of_sums = [line for line in one.sent if line.kind == "sum"]
        counts = (
            sum(line.messages for line in to_neighbours),
            sum(line.words for line in to_neighbours),
            one.reductions,
            sum(line.messages for line in of_sums),
            sum(line.words for line in of_sums),
        )
        waited = console.duration(one.waited) if on_ranks else "-"
        bodies = f"{segment.first + 1}-{segment.stop}"
        table.add_row(bodies, *(f"{count:,}" for count in counts), waited)
    out.print(table)
    counted, of_kind = result.counts, {"neighbour": 0, "sum": 0}
    for line in result.log:
        of_kind[line.kind] += line.messages
    out.print(
        f"iterations: {counted.iterations / counted.evaluations:.3g} in each of "
        f"{counted.evaluations:,} evaluations, residual up to {counted.residual:.2g}",
        soft_wrap=True,
    )
    out.print(
        f"each step: messages to neighbours {of_kind['neighbour'] / steps:.3g}, sums "
        f"{result.traffic[0].reductions / steps:.3g} by {of_kind['sum'] / steps:.3g} messages",
        soft_wrap=True,
    )
    here, there = result.seconds / steps, alone.seconds / steps
    out.print(
        f"a step took {console.duration(here)}, {console.duration(there)} by one process: "
        f"{_speed(there, here)}",
        soft_wrap=True,
    )
    processors = usable_processors()
    if on_ranks and processors < processes:
        out.print(f"({processes} ranks share {processors} processors here.)", soft_wrap=True)
    differences = [
        f"{name} {np.abs(result.recording[name][-1] - alone.recording[name][-1]).max():.2g}"
        for name in ("q", "v")
    ]
    out.print(f"difference from one process at the end: {', '.join(differences)}", soft_wrap=True)


def _where(processes: int, on_ranks: bool) -> str:
    return f"{processes} MPI ranks" if on_ranks else "one process"


def _speed(alone: float, shared: float) -> str:
    ratio = alone / shared
    return f"{ratio:.2g} times as fast" if ratio >= 1 else f"{1 / ratio:.3g} times slower"
