"""Arrays of vector operators: how long does it take to simulate them, and what do they promise?

    python benchmarks/arrays.py [--joints 64] [--sets 100]

First the systolic logarithmic array for a long chain: its tasks, its plan, all rules looked at, and
sets whose values go through the buffers. All of that together may take no more than ten seconds of
this process's time, which counts no other work of the machine. Then a table of what arrays need for
some arms: time from inputs to torques, and how many operators and vector processors. UR5 and Panda
come with the package example-robot-data; without it they are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.errors import MissingExtra, PhalanxError
from phalanx.cli.models import find_model
from phalanx.mechanism import Mechanism

PROMISE = 10.0
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
MODELS = {
    "PUMA 560": "puma560",
    "UR5": "robot:ur5_robot",
    "Panda": "robot:panda",
    "33 joints": "chain:33",
}
ERROR = 1e-12


def timed(table: Table, name: str, work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the processor time it took [s]."""
    start = process_time()
    result = work()
    seconds = process_time() - start
    table.add_row(name, f"{seconds:.2f}")
    return result, seconds


def long_chain(joints: int, sets: int) -> tuple[Table, float]:
    """The systolic logarithmic array for a chain; times, and their sum [s]."""
    chain = px.library.chain(joints)
    q, v, a = np.random.default_rng(0).normal(size=(3, sets, joints))
    expected = px.Dynamics(chain).inverse_dynamics(q, v, a)
    table = Table("step", "seconds", title=f"{joints} joints, {sets} sets")
    tasks, one = timed(table, "tasks", lambda: mp.vector_tasks(chain, px.scans.sklansky))
    array, two = timed(table, "plan", lambda: hardware.prefix_tree(tasks))
    wrong, three = timed(table, "rules and buffers", lambda: array.periodic.violations)
    torques, four = timed(table, "execution", lambda: array.execute(q, v, a))
    assert not wrong
    error = np.abs(torques - expected).max() / np.abs(expected).max()
    assert error < ERROR
    total = one + two + three + four
    assert tasks.graph.program is not None
    table.caption = (
        f"{len(tasks.graph):,} tasks, {len(tasks.graph.program.nodes):,} scalar nodes, "
        f"{array.plan.computer.processors:,} operators, latency {array.latency:g} Flops, error "
        f"{error:.0e}; {total:.2f} s in all"
    )
    return table, total


def arms() -> dict[str, Mechanism]:
    """The arms of the table that are there."""
    found = {}
    for name, model in MODELS.items():
        try:
            arm = find_model(model, False, None)
        except MissingExtra:
            continue
        held = [joint for joint in FINGERS if joint in {j.name for j in arm.joints}]
        found[name] = px.lock(arm, held) if held else arm
    return found


def promises() -> Table:
    """What arrays need for each arm."""
    table = Table(title="Flops from inputs to torques (to forces in joints), operators, processors")
    for head in ("arm", "joints", "array", "latency", "a set every", "operators", "processors"):
        table.add_column(head, justify="left" if head in ("arm", "array") else "right")
    for name, arm in arms().items():
        for network in (None, px.scans.sklansky):
            for systolic in (False, True):
                array = hardware.operator_array(
                    arm, network, systolic=systolic, grounded=network is not None
                )
                array.check()
                table.add_row(
                    name,
                    str(arm.nv),
                    array.name,
                    f"{array.latency:g} ({array.latency_to_wrenches:g})",
                    f"{array.interval:g}",
                    f"{array.plan.computer.processors:,}",
                    f"{sum(array.vector_processors.values()):,}",
                )
    return table


def main() -> None:
    """Print both tables; end with 1 when the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--joints", type=int, default=64)
    parser.add_argument("--sets", type=int, default=100)
    options = parser.parse_args()
    console = Console(width=110)
    try:
        times, total = long_chain(options.joints, options.sets)
    except PhalanxError as error:
        sys.exit(str(error))
    console.print(times)
    console.print(promises())
    if total > PROMISE:
        sys.exit(f"{total:.1f} s; promised {PROMISE:g}")


if __name__ == "__main__":
    main()
