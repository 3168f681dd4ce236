"""What the choice of body frames and inertial parameters buys: operations and time, pass by pass.

    python benchmarks/frames.py [--quick] [--json out.json]

Inverse dynamics of each robot by the same recursion, with the numbers of the machine arranged in
four ways, each on top of the one before: as given; origins slid along their axes and masses
regrouped (base parameters); frames turned about their axes as Denavit and Hartenberg turn them;
round bodies at the ends spinning in still frames. Torques must agree before anything is timed.
One thread, batches of 8192; contestants take turns and the best turn counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from casadi import SX
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx.bench.clock import TimingEffort, take_turns
from phalanx.cli.models import find_model
from phalanx.equations.inverse_dynamics.recursive import carried_wrenches
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.tree.frame_angles import turn_frames
from phalanx.equations.tree.frames import slide_origins
from phalanx.equations.tree.model import Model

MODELS = (
    "puma560",
    "puma560_listing",
    "robot:ur5_robot",
    "robot:panda",
    "robot:anymal_b_simple_description/anymal",
    "robot:tiago_pro",
    "robot:icub_reduced",
    "robot:talos_full_v2",
)
BATCH = 8192
AGREE = 1e-9


def newton_euler(model: Model, q: SX, v: SX, a: SX) -> SX:
    """The recursion of ``inverse_dynamics.recursive`` over the nodes as they are."""
    carried = carried_wrenches(model, q, v, a)
    return model.gather(
        [
            node.along(F) + node.armature * node.rate(a)
            for node, F in zip(model.nodes, carried, strict=True)
        ]
    )


newton_euler.outputs = ("tau",)  # type: ignore[attr-defined]


def arrangements(mechanism: px.Mechanism) -> dict[str, tuple[object, Model]]:
    """The equation and the model of every stage."""
    given = model_in_given_frames(mechanism)
    slid = slide_origins(given)
    turned = turn_frames(slid)
    return {
        "as given": (newton_euler, given),
        "regrouped": (newton_euler, slid.regrouped),
        "turned": (newton_euler, turned.regrouped),
        "rotors": (px.inverse_dynamics.recursive, turned),
    }


def measure(mechanism: px.Mechanism, effort: TimingEffort) -> dict[str, tuple[int, float]]:
    """Operations and nanoseconds of an evaluation, for each arrangement."""
    rng = np.random.default_rng(0)
    q = mechanism.random_positions(BATCH, rng)
    v, a = rng.standard_normal((2, BATCH, mechanism.nv))
    kernels = {
        name: px.compile(px.expression(equation, model), threads=1)
        for name, (equation, model) in arrangements(mechanism).items()
    }
    torques = {name: kernel(q, v, a) for name, kernel in kernels.items()}
    reference = torques["as given"]
    for name, tau in torques.items():
        error = np.abs(tau - reference).max() / np.abs(reference).max()
        if not error < AGREE:
            sys.exit(f"{mechanism.name}: '{name}' differs by {error:.1e} of the largest torque.")
    out = np.empty_like(reference)
    calls = {
        name: (lambda kernel=kernel: kernel(q, v, a, out=out)) for name, kernel in kernels.items()
    }
    times = take_turns(calls, effort)
    return {name: (kernels[name].operations.total, times[name].per(BATCH).best) for name in kernels}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", type=Path, help="write all numbers to a file")
    options = parser.parse_args()
    effort = TimingEffort(turn=2e-3, rounds=5) if options.quick else TimingEffort()
    warnings.simplefilter("ignore")

    console = Console(width=110)
    table = Table(title="inverse dynamics: operations (ns an evaluation), pass by pass")
    for column in ("robot", "as given", "+ slid, regrouped", "+ turned", "+ rotors", "time saved"):
        table.add_column(column, justify="left" if column == "robot" else "right")
    results = {}
    for name in MODELS:
        mechanism = replace(find_model(name), name=name.split(":")[-1].split("/")[-1])
        console.print(f"{name} …", style="dim")
        stages = measure(px.release_mimics(mechanism), effort)
        results[name] = stages
        (_, before), (_, after) = stages["regrouped"], stages["rotors"]
        table.add_row(
            mechanism.name,
            *(f"{count} ({time:.1f})" for count, time in stages.values()),
            f"{100 * (1 - after / before):.0f} %",
        )
    table.caption = "time saved: by turned frames and rotors, against slid and regrouped alone"
    console.print(table)
    console.print(f"load average {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
