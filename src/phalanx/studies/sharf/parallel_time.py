"""Figure 3: the time that a processor for each body would need, estimated and measured.

The paper only estimates. Measured times are ours, on the threads of this machine, and new.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.system import total
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.dynamics.evaluators.warm_starts import CUBIC, SolutionHistory
from phalanx.kernel.call.threads import processors
from phalanx.studies.sharf.bench import TOLERANCE
from phalanx.studies.sharf.scaling import moving_chain

LINKS = (2, 5, 20, 100, 500, 2000, 10_000)
OVERHEAD = 1.3  # after Kasahara et al. (1987), as the paper takes it
REDUCTIONS = 4  # sums over all joints in a step of J-CG: (z, Dz), (z, Az), |f|, |f - f_before|
_WARM, _TRIALS = 4, 7  # moments that a cubic rests on, and times of which the best counts


def parallel_time(cpu: float, serial: float, workers: int, overhead: float = 1.0) -> float:
    """(T_CPU - T_serial) / N, times what sharing costs, + T_serial [s].

    Args:
        cpu: Time of a solution on one processor [s].
        serial: Time of the part of it that cannot be shared [s].
        workers: How many processors share the rest.
        overhead: What sharing costs, as a factor; 1 is (20) of the paper, 1.3 is (21).

    Reference:
        Sharf and D'Eleuterio (1993), eqs. (20) and (21).
    """
    if not 0 <= serial <= cpu or workers < 1 or overhead < 1:
        raise InvalidInput(
            f"cpu={cpu}, serial={serial}, workers={workers}, overhead={overhead}; expected "
            "0 <= serial <= cpu, a worker or more, and a factor of 1 or more."
        )
    return overhead * (cpu - serial) / workers + serial


@final
@dataclass(frozen=True)
class ParallelTimes:
    """A solution by J-CG of a chain with one freedom a joint.

    Attributes:
        links: Number of bodies.
        iterations: That it took.
        cpu: On one thread [s].
        serial: Of that, sums over all joints and velocities from body to body [s].
        threads: Of this machine.
        measured: On these threads [s].
        recursion: By articulated bodies on one thread [s].
    """

    links: int
    iterations: int
    cpu: float
    serial: float
    threads: int
    measured: float
    recursion: float

    @property
    def ideal(self) -> float:
        """By (20), a processor for each body [s]."""
        return parallel_time(self.cpu, self.serial, self.links)

    @property
    def real(self) -> float:
        """By (21), a processor for each body [s]."""
        return parallel_time(self.cpu, self.serial, self.links, OVERHEAD)

    @property
    def expected(self) -> float:
        """By (21), on the threads of this machine [s]."""
        return parallel_time(self.cpu, self.serial, self.threads, OVERHEAD)


def parallel_times(
    links: Sequence[int] = LINKS,
    *,
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[ParallelTimes]:
    """Measure solutions of chains of several lengths.

    Args:
        links: Numbers of bodies.
        threads: All processors unless given.
        progress: Told what is about to be measured.
    """
    report = progress or (lambda what: None)
    found = []
    for count in sorted(set(links)):
        report(f"{count} bodies on one thread and several")
        found.append(_measured(count, threads or processors()))
    return found


def _measured(links: int, threads: int) -> ParallelTimes:
    motion = moving_chain(links, 1, _WARM + 1)
    bodies, root = bodies_of(motion.mechanism), still_root(motion.mechanism)
    rows = [(motion.q[k : k + 1], motion.v[k : k + 1], motion.tau[k : k + 1]) for k in range(5)]
    solver, stopping = ConjugateGradientJacobi(), Stopping(change=TOLERANCE / 10)
    history, iterations = SolutionHistory(CUBIC), 0
    start: Any = None

    def solution(equations: ConstraintEquations, k: int) -> None:
        nonlocal iterations
        posed = equations.pose(*rows[k], root)
        found = solver.solve(posed.system, start, stopping=stopping)
        equations.accelerations(posed, found.f)
        iterations = int(found.iterations[0])
        if k < _WARM:
            history.keep(motion.t[k], found.f)

    alone, together = (ConstraintEquations(jointed_bodies(bodies), n) for n in (1, threads))
    for k in range(_WARM):
        start = history.guess(motion.t[k])
        solution(alone, k)
    start = history.guess(motion.t[_WARM])
    cpu = _best(lambda: solution(alone, _WARM))
    measured = _best(lambda: solution(together, _WARM))
    sums = np.ones((1, links))
    added = _best(lambda: total(sums))
    moved = _best(lambda: alone.velocities(*rows[_WARM][:2], root))
    recursion = Serial().solver(bodies, 1)
    return ParallelTimes(
        links,
        iterations,
        cpu,
        min(cpu, moved + REDUCTIONS * iterations * added),
        threads,
        measured,
        _best(lambda: recursion.accelerations(*rows[_WARM], root)),
    )


def _best(work: Callable[[], object]) -> float:
    """The least time of several trials, the first of which may compile [s]."""
    work()
    best = np.inf
    for _ in range(_TRIALS):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return float(best)
