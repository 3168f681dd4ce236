"""Is parallel iteration faster than serial recursion here? Chains of ball joints, measured.

    python benchmarks/constraint_forces.py [--bodies 100 1000 10000] [--threads 2]

One state of a chain of rods on ball joints in motion: forward dynamics by J-CG to 1e-7, begun from
zero and from a cubic through the last four solutions, 1 ms apart, with bodies in the lanes of one
thread and of several; beside it elimination of the same system and serial recursion. Accelerations
are compared with those of recursion before anything is timed. The ways take turns, and the best of
many turns counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import phalanx as px
from phalanx.bench.host import host
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.dynamics.evaluators.warm_starts import CUBIC, SolutionHistory

STEP = 1e-3  # [s], between solutions
AGREES = 1e-4  # of the largest acceleration, for J-CG that stops at 1e-7
EVALUATORS = px.evaluators


def measured(bodies: int, threads: int, turns: int) -> list[str]:
    """A row of the table."""
    chain = px.library.chain(bodies, "spherical")
    rows, root = bodies_of(chain), EVALUATORS.still_root(chain)
    positions, rng = Positions(rows), np.random.default_rng(0)
    bend, v, tau = 0.3 * rng.standard_normal((3, 1, chain.nv))
    q = positions.after(chain.neutral()[None], bend)
    states = [(positions.after(q, k * STEP * v), v, tau) for k in range(5)]
    stopping, exact = EVALUATORS.Stopping(change=1e-7), EVALUATORS.BlockElimination()
    jointed, iteration = jointed_bodies(rows), EVALUATORS.ConjugateGradientJacobi()
    alone, together = ConstraintEquations(jointed), ConstraintEquations(jointed, threads)
    history = SolutionHistory(CUBIC)
    for k, state in enumerate(states[:4]):
        history.keep(k * STEP, exact.solve(alone.pose(*state, root).system).f)
    guess, now = history.guess(4 * STEP), states[4]
    serial = EVALUATORS.Serial().solver(rows, 1)
    steps: dict[str, int] = {}

    def by(
        name: str, equations: ConstraintEquations, solver: LinearSolver, start: np.ndarray | None
    ) -> Callable[[], np.ndarray]:
        def solution() -> np.ndarray:
            posed = equations.pose(*now, root)
            found = solver.solve(posed.system, start, stopping=stopping)
            steps[name] = int(found.iterations[0])
            return equations.accelerations(posed, found.f)

        return solution

    ways = {
        "recursion": lambda: serial.accelerations(*now, root),
        "elimination": by("elimination", alone, exact, None),
        "cold": by("cold", alone, iteration, None),
        "cold, threads": by("cold, threads", together, iteration, None),
        "warm": by("warm", alone, iteration, guess),
        "warm, threads": by("warm, threads", together, iteration, guess),
    }
    wanted = ways["recursion"]()
    for name, way in ways.items():
        error = np.abs(way() - wanted).max() / np.abs(wanted).max()
        if error > AGREES:
            raise SystemExit(f"{name}, {bodies} bodies: off by {error:.1e}")
    best = dict.fromkeys(ways, np.inf)
    for _ in range(turns):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - began)
    times = [f"{1e3 * best[name]:.3g}" for name in ways]
    return [str(bodies), *times[:2], f"{steps['cold']}, {steps['warm']}", *times[2:]]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=25)
    told = parser.parse_args()
    heads = ["bodies", "recursion [ms]", "elimination", "steps cold, warm", "J-CG cold"]
    heads += [f"cold, {told.threads} threads", "J-CG warm", f"warm, {told.threads} threads"]
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join(["---"] * len(heads)) + " |")
    for bodies in told.bodies:
        print("| " + " | ".join(measured(bodies, told.threads, told.turns)) + " |")
    print(f"\n{host()}")


if __name__ == "__main__":
    main()
