"""The speeds Phalanx promises, measured on this machine: a table with pass or miss.

    python benchmarks/targets.py [--quick] [--json out.json]

Ratios are from one run with contestants in turns; see phalanx.bench.clock. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from phalanx.bench import Report, bench
from phalanx.cli.models import find_model

MODELS = {"UR5": "robot:ur5_robot", "Panda": "robot:panda", "Talos": "robot:talos_full_v2"}
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")
ALL, ARMS, UR5 = ("UR5", "Panda", "Talos"), ("UR5", "Panda"), ("UR5",)


@dataclass(frozen=True)
class Target:
    """Something measured, and what it should be at least (or at most), by robot."""

    what: str
    limits: dict[str, float]
    measure: Callable[[Report], float | None]
    at_least: bool = True
    unit: str = "x"

    def met(self, value: float, robot: str) -> bool:
        """Whether a value is good enough."""
        limit = self.limits[robot]
        return value >= limit if self.at_least else value <= limit


def faster(quantity: str) -> Callable[[Report], float | None]:
    """Pinocchio's best way on one thread over our batch."""
    return lambda report: report.row(quantity).speedup("Pinocchio")


def one_call(quantity: str) -> Callable[[Report], float | None]:
    """Our single call over Pinocchio's."""
    return lambda report: report.row(quantity).one_call_ratio("Pinocchio")


def started(attribute: str) -> Callable[[Report], float | None]:
    """A time before the first number, or a ratio of such."""
    return lambda report: report.startup and getattr(report.startup, attribute)


TARGETS = (
    Target(
        "inverse dynamics, batch, 1 thread, vs rneaInParallel",
        {"UR5": 30, "Panda": 30, "Talos": 14},
        faster("inverse-dynamics"),
    ),
    Target(
        "forward dynamics, batch, 1 thread, vs abaInParallel",
        {"UR5": 20, "Panda": 20, "Talos": 10},
        faster("forward-dynamics"),
    ),
    Target(
        "inverse dynamics derivatives, batch, vs computeRNEADerivatives",
        dict.fromkeys(ARMS, 15),
        faster("inverse-dynamics-derivatives"),
    ),
    Target(
        "inverse dynamics, one call from Python, ours/Pinocchio's",
        dict.fromkeys(UR5, 0.4),
        one_call("inverse-dynamics"),
        at_least=False,
    ),
    Target(
        "forward dynamics, one call from Python, ours/Pinocchio's",
        dict.fromkeys(UR5, 0.4),
        one_call("forward-dynamics"),
        at_least=False,
    ),
    Target(
        "inverse dynamics, batch 100 000, all threads over one",
        dict.fromkeys(ALL, 1.8),
        lambda report: report.row("inverse-dynamics").thread_speedup,
    ),
    Target(
        "inverse dynamics, (batch, n) arrays over the best layout",
        dict.fromkeys(ALL, 1.25),
        lambda report: 1 + report.row("inverse-dynamics").layout_cost,
        at_least=False,
    ),
    Target(
        "first call, cold: load, trace, compile, run",
        dict.fromkeys(UR5, 1.0),
        started("cold"),
        at_least=False,
        unit=" s",
    ),
    Target(
        "first call from the disk cache, after import",
        dict.fromkeys(UR5, 0.15),
        started("cached"),
        at_least=False,
        unit=" s",
    ),
    Target(
        "import phalanx, over import numpy, casadi, llvmlite.binding",
        dict.fromkeys(UR5, 1.5),
        started("import_ratio"),
        at_least=False,
    ),
    Target(
        "the same until Dynamics, simulate and load are there",
        dict.fromkeys(UR5, 2.5),
        started("names_ratio"),
        at_least=False,
    ),
)


def outcomes(reports: dict[str, Report]) -> Iterator[tuple[Target, str, float]]:
    """Every target with the robot and the measured value."""
    for target in TARGETS:
        for robot in target.limits:
            value = target.measure(reports[robot])
            if value is not None:
                yield target, robot, value


def main() -> int:
    """Measure, print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", type=Path, help="write the full reports")
    options = parser.parse_args()
    console = Console()

    reports = {}
    for robot, model in MODELS.items():
        with console.status(f"measuring {robot} …"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reports[robot] = bench(
                find_model(model),
                model=model if robot == "UR5" else None,
                quantities=QUANTITIES,
                quick=options.quick,
            )

    table = Table(title="targets", title_justify="left")
    table.add_column("what")
    for head in ("robot", "target", "measured", ""):
        table.add_column(head, justify="right", no_wrap=True)
    missed = 0
    for target, robot, value in outcomes(reports):
        met = target.met(value, robot)
        missed += not met
        sign = "≥" if target.at_least else "≤"
        verdict = "[green]pass[/]" if met else "[bold red]miss[/]"
        limit = f"{sign} {target.limits[robot]:g}{target.unit}"
        table.add_row(escape(target.what), robot, limit, f"{value:.3g}{target.unit}", verdict)
    console.print(table)
    m = reports["UR5"].machine
    noise = ", ".join(f"{name} {100 * r.spread:.0f} %" for name, r in reports.items())
    console.print(
        f"{m['processor']}, {m['processors']} processors, {m['vectors']}; load {m['load']}; "
        f"median above best: {noise}; all threads had {reports['UR5'].processors:.1f} processors"
    )
    if options.json:
        options.json.write_text(json.dumps({k: r.as_json() for k, r in reports.items()}, indent=2))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
