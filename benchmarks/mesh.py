"""How long it takes to simulate a mesh: tasks written, planned, checked, and a step carried out.

``python benchmarks/mesh.py`` prints milliseconds of this processor (medians); with ``--ranks N``
also of a step on so many MPI ranks.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import phalanx as px
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.distribute import PlanJob, launch
from phalanx.hardware import mesh as tm
from phalanx.simulation.integrators.tableaux import CLASSIC

STEPS = 50


def taken(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """Median time of some work [ms], and its last result."""
    spent = []
    result = None
    for _ in range(times):
        begin = time.perf_counter()
        result = work()
        spent.append(time.perf_counter() - begin)
    return 1e3 * float(np.median(spent)), result


def main() -> None:
    """Print a line for each machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, nargs="*", default=[])
    ranks = parser.parse_args().ranks
    cases = (
        (px.library.cat215b(), cat215b_rotary()),
        (px.library.puma600(), None),
        (px.library.torso(), None),
    )
    print(
        f"{'a step of':<12}{'tasks':>7}{'written':>9}{'planned':>9}{'checked':>9}{'executed':>10}"
    )
    for mechanism, hydraulics in cases:
        written, step = taken(
            lambda m=mechanism, h=hydraulics: tm.mesh_step(m, CLASSIC, 0.01, hydraulics=h)
        )
        planned, plan = taken(step.plan)
        checked, broken = taken(lambda p=plan: p.violations)
        assert not broken
        inputs = [np.zeros(port.shape) for port in plan.graph.program.inputs]
        plan.execute(*inputs)
        executed, _ = taken(lambda p=plan, i=inputs: p.execute(*i), STEPS)
        print(
            f"{mechanism.name:<12}{len(plan.graph):>7}{written:>9.0f}{planned:>9.1f}"
            f"{checked:>9.1f}{executed:>10.2f} ms"
        )
        for count in ranks:
            back = {name: name for name in ("q", "v", "s")[: 3 if hydraulics else 2]}
            result = launch(PlanJob(plan, *inputs, steps=STEPS, back=back), count)
            print(f"  {count} ranks: {1e3 * result.seconds / STEPS:.2f} ms a step")


if __name__ == "__main__":
    main()
