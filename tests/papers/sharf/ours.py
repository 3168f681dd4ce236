"""What we compute for the tables of Sharf and D'Eleuterio (1993), a value for each row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from papers.sharf import golden
from papers.sharf import test_costs as costs
from papers.sharf import test_reference_chain as reference
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.spectrum import optimal_omega, spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.warm_starts import CUBIC
from phalanx.studies.sharf.bench import ITERATIONS
from phalanx.studies.sharf.machines import PLANAR, SPATIAL
from phalanx.studies.sharf.parallel_time import OVERHEAD, parallel_time
from phalanx.studies.sharf.scaling import exponents
from phalanx.studies.sharf.table_2 import simulate_manoeuvre
from phalanx.studies.sharf.tolerance import sweep
from phalanx.studies.sharf.warm_starts import count_iterations, manoeuvred

NAMES = ("jacobi", "j-si", "j-cg", "gauss-seidel", "sor")
BY_NAME = {iteration.name: iteration for iteration in ITERATIONS}


@cache
def _average(name: str, spatial: bool, warm: bool) -> float:
    t, system = manoeuvred(SPATIAL if spatial else PLANAR)
    start = CUBIC if warm else None
    return float(
        count_iterations(t, system, BY_NAME[name].solver, start, Stopping(change=1e-7)).mean()
    )


def iterations_from_zero() -> Iterator[list[float]]:
    """Both manoeuvres of the substitute arm."""
    for name in NAMES:
        yield [_average(name, spatial, False) for spatial in (False, True)]


def iterations_from_cubic() -> Iterator[list[float]]:
    """The same, each moment begun from a cubic through those before."""
    for name in NAMES:
        yield [_average(name, spatial, True) for spatial in (False, True)]


def table_2() -> Iterator[list[float]]:
    """Accuracy [%] and average iterations of J-CG, both manoeuvres of the substitute arm."""
    found = [simulate_manoeuvre(BY_NAME["j-cg"], manoeuvre) for manoeuvre in (PLANAR, SPATIAL)]
    yield [one.accuracy for one in found]
    yield [one.iterations for one in found]


def reference_chain() -> Iterator[np.ndarray]:
    """Accelerations, joint forces, spectrum."""
    equations, posed = golden.posed()
    f = BlockElimination().solve(posed.system).f
    yield equations.accelerations(posed, f)[0]
    wrenches = (posed.Q @ f[..., None])[0, :, :, 0]
    for i, wrench in enumerate(wrenches):
        R = equations.jointed.bodies.body_rotation[i + 1]
        own = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
        yield np.delete(own, 3 + golden.HINGES[i])
    A, _ = posed.system.dense()
    values = np.linalg.eigvalsh(A[0])
    yield values[[0, -1]]
    yield [np.trace(A[0])]
    (mu,) = spectral_radius(posed.system)
    yield [mu]
    yield [optimal_omega(mu)]


def iteration_counts() -> Iterator[list[int]]:
    """Of the reference chain, for changes of 1e-7 and 1e-10."""
    system = golden.posed()[1].system
    for solver in (
        reference.Jacobi(),
        reference.GaussSeidel(),
        reference.SuccessiveOverRelaxation(),
        reference.ChebyshevJacobi(),
        reference.ConjugateGradientJacobi(),
    ):
        yield [
            int(solver.solve(system, stopping=Stopping(change=change)).iterations[0])
            for change in (1e-7, 1e-10)
        ]


def scaling() -> list[float]:
    """Powers of the number of bodies, of operations of chains that bend."""
    single, double = exponents(costs.found())
    return [single.operations, double.operations, [single.recursion, double.recursion]]


def time_model() -> list:
    """(20) and (21): 1.3 of the ideal where nothing is serial, and 1 where all of it is."""
    real, ideal = parallel_time(1.0, 0.0, 10, OVERHEAD), parallel_time(1.0, 0.0, 10)
    serial = parallel_time(1.0, 1.0, 10, OVERHEAD) / parallel_time(1.0, 1.0, 10)
    return [real / ideal, serial]


def tolerances() -> list[float]:
    """Evaluations of a falling chain over those of a direct solution: 1e-6, 1e-7, 1e-8."""
    direct, *tied = sweep((1.0, 0.1, 0.01))
    return [one.evaluations / direct.evaluations for one in tied]
