"""The trajectory table: one edited row, a shift, the whole horizon; and Pinocchio's loop.

    python benchmarks/trajectory.py [--quick] [--rows 10000] [--json out.json]

A horizon of 10 000 rows of a 6-joint arm. Torques must agree with Pinocchio's recursive
Newton-Euler before anything is timed. One thread; contestants take turns and the best turn counts.
Promised: an edit within 20 µs, the whole horizon within 1 ms.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx.bench.clock import TimingEffort, take_turns
from phalanx.bench.peers.pinocchio import build_model
from phalanx.cli.models import find_model
from phalanx.planning import IntegratedTable, TrajectoryTable, demo_waypoints

MODELS = ("puma560", "robot:ur5_robot")
EDIT, HORIZON = 20e-6, 1e-3  # [s]
AGREE = 1e-9
LOOP = "Pinocchio's rnea, row by row"


def contestants(mechanism: px.Mechanism, rows: int) -> dict[str, object]:
    """What is timed, after all torques were compared."""
    import pinocchio as pin

    motion = demo_waypoints(mechanism, duration=(rows - 1) * 1e-3).path().sample(1e-3)
    q, v, a = motion.parts
    table = TrajectoryTable.of(mechanism, motion)
    framed = TrajectoryTable.of(mechanism, motion, frame=mechanism.frame_names[-1])
    integrated = IntegratedTable(mechanism, a, 1e-3, q=q[0], v=v[0])
    model = build_model(mechanism)
    data = model.createData()
    torque = np.array([pin.rnea(model, data, *row) for row in zip(q, v, a, strict=True)])
    error = np.abs(table.torque - torque).max() / np.abs(torque).max()
    if len(table) != rows or not error < AGREE:
        sys.exit(f"{mechanism.name}: torques differ from Pinocchio's by {error:.1e} of the largest")
    places = itertools.cycle(np.random.default_rng(0).permutation(rows).tolist())

    def edit() -> None:
        row = next(places)
        table.edit(row, a=a[row])

    def edit_frame() -> None:
        row = next(places)
        framed.edit(row, q=q[row], v=v[row], a=a[row])

    def loop() -> None:
        for row in zip(q, v, a, strict=True):
            pin.rnea(model, data, *row)

    return {
        "edit one row": edit,
        "edit one row, with a frame": edit_frame,
        "shift": lambda: table.shift((q[0], v[0], a[0])),
        "edit, integrated, all rows follow": lambda: integrated.edit(0, a[0]),
        "whole horizon": table.evaluate,
        "violations of the whole horizon": lambda: table.violations,
        LOOP: loop,
    }


def main() -> int:
    """Measure; the exit code says whether all was as promised."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--json", type=Path, help="write all numbers to a file")
    options = parser.parse_args()
    effort = TimingEffort(turn=2e-3, rounds=5) if options.quick else TimingEffort()
    warnings.simplefilter("ignore")
    found, kept = {}, True
    console = Console(width=100)
    for name in MODELS:
        mechanism = find_model(name)
        times = take_turns(contestants(mechanism, options.rows), effort)
        table = Table(title=f"{mechanism.name}, {options.rows:,} rows")
        for column in ("", "best [µs]", "median [µs]", "of Pinocchio's loop"):
            table.add_column(column, justify="right" if column else "left")
        for what, timing in times.items():
            share = times[LOOP].best / timing.best
            table.add_row(
                what, f"{timing.best / 1e3:.2f}", f"{timing.median / 1e3:.2f}", f"1/{share:.3g}"
            )
        console.print(table)
        kept &= times["edit one row"].best < 1e9 * EDIT
        kept &= times["whole horizon"].best < 1e9 * HORIZON
        found[name] = {what: timing.best for what, timing in times.items()}
    console.print("as promised" if kept else "NOT as promised")
    console.print(f"load average {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
