"""A run on several nodes in a few numbers: what they told each other, and what that cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.base.processors import usable_processors
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.distribute import Job, Outcome, Plan


def _what(plan: Plan) -> str:
    """What is computed, in words."""
    from phalanx.distribute import Mode, Task

    if plan.task is not Task.FORWARD:
        return str(plan.task)
    of_moments = f" of {plan.points} moments" if plan.mode is Mode.BLOCKS else ""
    return f"{plan.method.name}, {plan.mode}{of_moments}"


def show(job: Job, plan: Plan, outcome: Outcome, *, on_ranks: bool) -> None:
    """What nodes told each other, and how the run compares with one on a single processor."""
    import numpy as np

    from phalanx.distribute import Task, single_processor

    serial, wall_time = single_processor(plan)
    out, steps = console.out(), outcome.steps
    where = f"{len(outcome.nodes)} MPI ranks" if on_ranks else "one process"
    table = console.table(
        f"{plan.mechanism.name}, {_what(plan)}, on {where}",
        ("node",),
        ("exchanges", "round trips", "messages", "words", "waited"),
    )
    for name, one in zip(outcome.nodes, outcome.traffic, strict=True):
        counts = (one.exchanges, one.round_trips, one.messages, one.words)
        waited = console.duration(one.waited) if on_ranks else "-"
        table.add_row(name, *(f"{count:,}" for count in counts), waited)
    out.print(table)
    messages = sum(one.messages for one in outcome.traffic) / steps
    words = sum(one.words for one in outcome.traffic) / steps
    most = max(outcome.traffic, key=lambda one: one.exchanges + one.round_trips)
    out.print(
        f"each step: exchanges {most.exchanges / steps:.3g}, round trips "
        f"{most.round_trips / steps:.3g}, messages {messages:.3g}, words {words:.3g}",
        soft_wrap=True,
    )
    ratio = wall_time / outcome.seconds
    speed = f"{ratio:.2g} times as fast" if ratio >= 1 else f"{1 / ratio:.3g} times slower"
    out.print(
        f"{steps:,} steps took {console.duration(outcome.seconds)}, "
        f"{console.duration(wall_time)} on one processor: {speed}",
        soft_wrap=True,
    )
    processors = usable_processors()
    if on_ranks and processors < len(outcome.nodes):
        out.print(
            f"({len(outcome.nodes)} ranks share {processors} processors here, and a step of this "
            "machine is shorter than a message.)",
            soft_wrap=True,
        )
    told = [name for name in ("q", "v", "a", "tau") if name in serial.signals]
    if plan.task is Task.FORWARD:
        told = ["q", "v"]
    differences = [
        f"{name} {np.abs(outcome.recording[name] - serial[name]).max():.2g}" for name in told
    ]
    out.print(
        f"largest difference from one processor: {', '.join(differences)}; loops open by up to "
        f"{outcome.recording['opening'].max():.2g} m or rad",
        soft_wrap=True,
    )
    if job.record is not None:
        console.err().print(f"Recording in {job.record}.", soft_wrap=True)
