"""Facts of jobs on several processes: message counts, waiting times, time of one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from phalanx.base.facts import Facts, Part, TextTable, duration
from phalanx.base.processors import usable_processors
from phalanx.distribute.processes.messages import Traffic
from phalanx.distribute.processes.run import run
from phalanx.distribute.programs.chains.job import ChainJob, ChainResult
from phalanx.distribute.programs.platforms.job import (
    PlatformJob,
    PlatformResult,
    single_processor,
)
from phalanx.distribute.programs.platforms.modes import Mode, MotionTask


def platform_facts(job: PlatformJob, result: PlatformResult, *, on_ranks: bool) -> Facts:
    """Return what processes sent, and how the run compares with one on a single processor."""
    serial, alone = single_processor(job)
    steps, processes, traffic = result.steps, result.processes, result.traffic
    table = TextTable(
        f"{job.mechanism.name}, {_what(job)}, on {_where(len(processes), on_ranks)}",
        ["process"],
        ["  exchanges", "  round trips", "  messages", "  words", "  waited"],
        [
            [
                name,
                *(f"{x:,}" for x in (one.exchanges, one.round_trips, one.messages, one.words)),
                _waited(one, on_ranks),
            ]
            for name, one in zip(processes, traffic, strict=True)
        ],
    )
    most = max(traffic, key=lambda one: one.exchanges + one.round_trips)
    each_step = {
        "exchanges": most.exchanges / steps,
        "round_trips": most.round_trips / steps,
        "messages": sum(one.messages for one in traffic) / steps,
        "words": sum(one.words for one in traffic) / steps,
    }
    is_forward = job.chosen_task is MotionTask.FORWARD
    names = ("q", "v") if is_forward else ("q", "v", "a", "tau")
    differences = {
        name: float(np.abs(result.recording[name] - serial[name]).max())
        for name in names
        if name in serial.signals
    }
    opening = float(result.recording["opening"].max())
    return Facts(
        [
            table,
            "each step: "
            + ", ".join(f"{name.replace('_', ' ')} {x:.3g}" for name, x in each_step.items()),
            f"{steps:,} steps took {duration(result.seconds)}, {duration(alone)} on one processor: "
            f"{_speed(alone, result.seconds)}",
            *_shared(len(processes), on_ranks),
            f"largest difference from one processor: {_listed(differences)}; loops open by up to "
            f"{opening:.2g} m or rad",
        ],
        {
            "processes": dict(zip(processes, map(_sent, traffic), strict=True)),
            "steps": steps,
            "each_step": each_step,
            "seconds": result.seconds,
            "seconds_of_one_processor": alone,
            "differences": differences,
            "opening": opening,
        },
    )


def chain_facts(job: ChainJob, method: str, result: ChainResult, *, on_ranks: bool) -> Facts:
    """Return what processes sent, and how the run compares with one of a single process."""
    alone = run(replace(job, every=job.steps, record=None), 1)
    steps, segments = result.steps, result.segments
    bodies = [segment.spans for segment in segments]
    rows = []
    for name, one in zip(bodies, result.traffic, strict=True):
        counts = Counter[tuple[str, str]]()
        for line in one.sent:
            kind = "sum" if line.kind == "sum" else "neighbour"  # also those along a tree
            counts[kind, "messages"] += line.messages
            counts[kind, "words"] += line.words
        numbers = (
            counts["neighbour", "messages"],
            counts["neighbour", "words"],
            one.reductions,
            counts["sum", "messages"],
            counts["sum", "words"],
        )
        rows.append([name, *(f"{x:,}" for x in numbers), _waited(one, on_ranks)])
    table = TextTable(
        f"{job.mechanism.name}, {method}, {len(segments)} segments on "
        f"{_where(len(segments), on_ranks)}",
        ["bodies"],
        ["  to neighbours", "  numbers", "  sums", "  messages", "  numbers", "  waited"],
        rows,
    )
    of_kind = Counter[str]()
    for logged in result.log:
        of_kind["sum" if logged.kind == "sum" else "neighbour"] += logged.messages
    counts_of_run = result.counts
    each_step = {
        "neighbour_messages": of_kind["neighbour"] / steps,
        "sums": result.traffic[0].reductions / steps,
        "sum_messages": of_kind["sum"] / steps,
    }
    iterations = counts_of_run.iterations / counts_of_run.evaluations
    here, there = result.seconds / steps, alone.seconds / steps
    differences = {
        name: float(np.abs(result.recording[name][-1] - alone.recording[name][-1]).max())
        for name in ("q", "v")
    }
    return Facts(
        [
            table,
            f"iterations: {iterations:.3g} in each of {counts_of_run.evaluations:,} evaluations, "
            f"residual up to {counts_of_run.residual:.2g}",
            f"each step: messages to neighbours {each_step['neighbour_messages']:.3g}, sums "
            f"{each_step['sums']:.3g} by {each_step['sum_messages']:.3g} messages",
            f"a step took {duration(here)}, {duration(there)} by one process: "
            f"{_speed(there, here)}",
            *_shared(len(segments), on_ranks),
            f"difference from one process at the end: {_listed(differences)}",
        ],
        {
            "processes": dict(zip(bodies, map(_sent, result.traffic), strict=True)),
            "steps": steps,
            "each_step": each_step,
            "evaluations": counts_of_run.evaluations,
            "iterations_of_an_evaluation": iterations,
            "residual": counts_of_run.residual,
            "seconds": result.seconds,
            "seconds_of_one_process": alone.seconds,
            "differences": differences,
        },
    )


def _what(job: PlatformJob) -> str:
    if job.chosen_task is not MotionTask.FORWARD:
        return str(job.chosen_task)
    blocks = job.chosen_mode is Mode.BLOCKS
    samples = f" of {job.points} time samples" if blocks else ""
    return f"{job.chosen_method.name}, {job.chosen_mode}{samples}"


def _where(processes: int, on_ranks: bool) -> str:
    return f"{processes} MPI ranks" if on_ranks else "one process"


def _waited(one: Traffic, on_ranks: bool) -> str:
    return duration(one.waited) if on_ranks else "-"


def _sent(one: Traffic) -> dict[str, float]:
    return {"messages": one.messages, "words": one.words, "waited": one.waited}


def _shared(processes: int, on_ranks: bool) -> Sequence[Part]:
    processors = usable_processors()
    if not on_ranks or processors >= processes:
        return []
    return [f"({processes} ranks share {processors} processors here, so they wait for each other.)"]


def _listed(differences: dict[str, float]) -> str:
    return ", ".join(f"{name} {by:.2g}" for name, by in differences.items())


def _speed(alone: float, shared: float) -> str:
    ratio = alone / shared
    return f"{ratio:.2g} times as fast" if ratio >= 1 else f"{1 / ratio:.3g} times slower"
