"""What dynamics by orthogonal complements and in one frame cost beside our fastest methods.

    python benchmarks/complement.py [--quick] [--json out.json]

Mass matrix, inverse and forward dynamics of Wong's three machines, each method compiled for them:
operations, and nanoseconds of an evaluation in batches of 8192 on one thread. Numbers must agree
before anything is timed; contestants take turns and the best turn counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx.bench.clock import QUICK, TimingEffort, take_turns
from phalanx.bench.host import host
from phalanx.studies.wong.today import regrouped_complement

MACHINES = ("puma600", "torso", "cat215b")
BATCH = 8192
AGREE = 1e-9  # of the largest entry

# the fastest first
METHODS: dict[str, dict[str, Callable[..., Any]]] = {
    "mass matrix": {
        "composite_body": px.mass_matrix.composite_body,
        "orthogonal_complement": px.mass_matrix.orthogonal_complement,
        "regrouped_complement (study)": regrouped_complement,
        "in_root_frame.composite_body": px.mass_matrix.in_root_frame.composite_body,
        "in_root_frame.accumulated_inertia": px.mass_matrix.in_root_frame.accumulated_inertia,
        "in_root_frame.spatial_composite": px.mass_matrix.in_root_frame.spatial_composite,
    },
    "inverse dynamics": {
        "recursive": px.inverse_dynamics.recursive,
        "orthogonal_complement": px.inverse_dynamics.orthogonal_complement,
        "natural_complement": px.inverse_dynamics.natural_complement,
    },
    "forward dynamics": {
        "factorized": px.forward_dynamics.factorized,
        "orthogonal_complement": px.forward_dynamics.orthogonal_complement,
        "in_root_frame.articulated_body": px.forward_dynamics.in_root_frame.articulated_body,
    },
}


def measure(
    mechanism: px.Mechanism, methods: dict[str, Callable[..., Any]], effort: TimingEffort
) -> dict[str, tuple[int, float]]:
    """Operations and nanoseconds of an evaluation, by method."""
    rng = np.random.default_rng(0)
    q = mechanism.random_positions(BATCH, rng)
    others = rng.standard_normal((2, BATCH, mechanism.nv))
    kernels = {
        name: px.compile(px.expression(method, mechanism), threads=1)
        for name, method in methods.items()
    }
    calls: dict[str, Callable[[], object]] = {}
    reference = None
    for name, kernel in kernels.items():
        arguments = (q, *others)[: len(kernel.inputs)]
        result = kernel(*arguments)
        reference = result if reference is None else reference
        error = np.abs(result - reference).max() / np.abs(reference).max()
        if not error < AGREE:
            sys.exit(f"{mechanism.name}: {name} differs by {error:.1e} of the largest entry.")
        out = np.empty_like(result)
        calls[name] = lambda kernel=kernel, arguments=arguments, out=out: kernel(
            *arguments, out=out
        )
    times = take_turns(calls, effort)
    return {name: (kernels[name].operations.total, times[name].per(BATCH).best) for name in kernels}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", type=Path, help="write all numbers to a file")
    options = parser.parse_args()
    # short turns: many of them meet nobody else, however busy the machine
    effort = QUICK if options.quick else TimingEffort(turn=1e-3, rounds=100)

    console = Console(width=110)
    results: dict[str, Any] = {"host": host()}
    for quantity, methods in METHODS.items():
        table = Table(title=f"{quantity}: operations, ns an evaluation, times the fastest")
        table.add_column("method")
        for name in MACHINES:
            table.add_column(name, justify="right")
        found = {name: measure(getattr(px.library, name)(), methods, effort) for name in MACHINES}
        results[quantity] = found
        for method in methods:
            cells = []
            for name in MACHINES:
                (count, time), best = found[name][method], min(t for _, t in found[name].values())
                cells.append(f"{count}  {time:6.1f}  {time / best:4.2f}")
            table.add_row(method, *cells)
        console.print(table)
    console.print(f"{results['host']['processor']}, {results['host']['vectors']}, one thread")
    console.print(f"load average {results['host']['load']}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
