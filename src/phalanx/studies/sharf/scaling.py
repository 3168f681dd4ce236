"""Figure 2: what a solution costs against the number of bodies, by J-CG and by recursion."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.articulated import FORWARD_DYNAMICS
from phalanx.dynamics.evaluators.bodies import Bodies, bodies_of
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.work import work_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import INVERSE_DYNAMICS
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.dynamics.evaluators.warm_starts import CUBIC, SolutionHistory
from phalanx.kernel import count_operations
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.motions import cycloid
from phalanx.studies.sharf.bench import TOLERANCE
from phalanx.studies.sharf.machines import DURATION, bent, scaling_chain

LINKS = (2, 3, 4, 6, 8, 10, 14, 20)
STEP = 0.01  # [s], between solutions: as a thousand of them make a manoeuvre
SOLUTIONS = 100
PRINTED = {1: 1.12, 2: 1.17}  # exponents of J-CG in the paper, by freedoms of a joint


@final
@dataclass(frozen=True, eq=False)
class ChainMotion:
    """A chain that moves: state and joint forces at moments, a row each."""

    mechanism: Mechanism
    t: Array
    q: Array
    v: Array
    tau: Array


@final
@dataclass(frozen=True)
class Scaled:
    """A chain of so many bodies, averages over solutions.

    Attributes:
        links: Number of bodies.
        freedoms: Of each joint.
        dimension: Of A, the most iterations that J-CG needs without rounding.
        iterations: That it takes, begun from a cubic.
        operations: Of a solution by J-CG.
        recursion: Of one by articulated bodies.
        seconds: Processor time of a solution by J-CG [s].
        recursion_seconds: And by articulated bodies [s].
    """

    links: int
    freedoms: int
    dimension: int
    iterations: float
    operations: float
    recursion: int
    seconds: float
    recursion_seconds: float


def moving_chain(links: int, freedoms: int, solutions: int) -> ChainMotion:
    """A chain whose joints go from rest to rest, each by an own angle, around half of its way."""
    mechanism = scaling_chain(links, freedoms)
    begin, turn = bent(mechanism.nv, seed=links)
    t = DURATION / 2 + STEP * (np.arange(solutions, dtype=np.float64) - solutions // 2)
    q, v, a = cycloid(DURATION, begin, begin + turn)(t)
    q, v, a = (np.ascontiguousarray(x) for x in (q, v, a))
    needed = Traversal(INVERSE_DYNAMICS, bodies_of(mechanism), threads=1)
    swept = needed(solutions, {"q": q, "v": v, "a": a}, [still_root(mechanism, solutions), None])
    return ChainMotion(mechanism, t, q, v, swept.results["tau"])


def recursion_operations(bodies: Bodies) -> int:
    """Arithmetic of articulated bodies in three passes, in code that all nodes alike share."""
    return sum(
        len(kind.members) * sum(count_operations(f).total for f in FORWARD_DYNAMICS.traced(kind))
        for kind in node_types_of(bodies, most_frequent=0)
    )


def scale(motion: ChainMotion, freedoms: int, tolerance: float = TOLERANCE / 10) -> Scaled:
    """Solve at every moment of a motion, and count."""
    bodies = bodies_of(motion.mechanism)
    jointed, root = jointed_bodies(bodies), still_root(motion.mechanism)
    equations, solver = ConstraintEquations(jointed), ConjugateGradientJacobi()
    stopping, history, counts = Stopping(change=tolerance), SolutionHistory(CUBIC), []

    def rows(k: int) -> tuple[Array, Array, Array]:
        return motion.q[k : k + 1], motion.v[k : k + 1], motion.tau[k : k + 1]

    equations.pose(*rows(0), root)  # whatever is compiled or loaded on first use
    began = time.thread_time()
    for k, t in enumerate(motion.t):
        posed = equations.pose(*rows(k), root)
        found = solver.solve(posed.system, history.guess(t), stopping=stopping)
        equations.accelerations(posed, found.f)
        history.keep(t, found.f)
        counts.append(int(found.iterations[0]))
    seconds = (time.thread_time() - began) / len(motion.t)

    recursion = Serial().solver(bodies, 1)
    recursion.accelerations(*rows(0), root)
    began = time.thread_time()
    for k in range(len(motion.t)):
        recursion.accelerations(*rows(k), root)
    recursion_seconds = (time.thread_time() - began) / len(motion.t)
    iterations = float(np.mean(counts))
    return Scaled(
        len(jointed),
        freedoms,
        jointed.structure.dimension,
        iterations,
        work_of(jointed).of(iterations),
        recursion_operations(bodies),
        seconds,
        recursion_seconds,
    )


def scaling(
    links: Sequence[int] = LINKS,
    freedoms: Sequence[int] = (1, 2),
    *,
    solutions: int = SOLUTIONS,
    progress: Callable[[str], None] | None = None,
) -> list[Scaled]:
    """Costs of chains of several lengths.

    Args:
        links: Numbers of bodies, at least two different ones.
        freedoms: Of each joint, 1 or 2.
        solutions: Moments of a motion, 10 ms apart; the paper has 1000.
        progress: Told what is about to be measured.
    """
    if len(set(links)) < 2 or min(links) < 1 or solutions < 1:
        raise InvalidInput(
            f"lengths {list(links)} and {solutions} solutions; expected two lengths or more, and "
            "a positive number of solutions."
        )
    report = progress or (lambda what: None)
    found = []
    for kind in freedoms:
        for count in sorted(set(links)):
            report(f"{count} bodies with joints of {kind}")
            found.append(scale(moving_chain(count, kind, solutions), kind))
    return found


@final
@dataclass(frozen=True)
class Exponents:
    """How costs grow with the number of bodies N, as powers of it."""

    freedoms: int
    iterations: float
    operations: float
    recursion: float
    seconds: float
    recursion_seconds: float


def exponents(found: Sequence[Scaled]) -> list[Exponents]:
    """Powers of N that fit best, for each kind of joint."""
    fitted = []
    for freedoms in sorted({one.freedoms for one in found}):
        rows = [one for one in found if one.freedoms == freedoms]
        links = [one.links for one in rows]
        costs = ("iterations", "operations", "recursion", "seconds", "recursion_seconds")
        slopes = (slope(links, [getattr(one, cost) for one in rows]) for cost in costs)
        fitted.append(Exponents(freedoms, *slopes))
    return fitted


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The power of x that fits y best."""
    return float(np.polyfit([math.log(value) for value in x], [math.log(v) for v in y], 1)[0])
