"""What we compute for the tables of Khan (2002): a value for each row of printed.toml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np

import phalanx as px
from papers.khan import test_exact_formulations as exact
from papers.khan import test_free_directions as directions
from papers.khan import test_penalty as penalty
from papers.khan import test_prescribed_motion as prescribed
from papers.khan import test_recursive_runs as recursive
from papers.khan import test_study as study
from papers.khan.states import golden
from phalanx.equations import loops
from phalanx.equations.loops.legs.inertia import generalized_inertia
from phalanx.simulation.formulations import (
    Adaptive,
    Embedding,
    RungeKutta,
    run,
)
from phalanx.studies.khan import PrintedProjection
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan.bench import bench, correction, feedback, replay
from phalanx.studies.khan.contestants import GRADES
from phalanx.studies.khan.printed import printed_run
from phalanx.studies.khan.springs import loaded_start, survival
from phalanx.studies.khan.sweeps import adaptive, by_stiffness

STIFFNESSES = (1e3, 1e4, 1e5, 1e6)


def posture() -> list:
    """Closed from the printed one: elbows, platform, and by how much the print leaves it open."""
    q = thesis.coordinates(np.zeros(9))
    x, y, phi = thesis.PRINTED_PLATFORM
    first = np.array([np.pi / 3, 4 * np.pi / 3, 11 * np.pi / 6])
    legs = np.stack([first, first + thesis.PRINTED_ELBOWS], axis=1).ravel()
    opening = np.abs(thesis.closure(np.array([*legs, phi, x, y]))).max()
    elbows, platform = q[1:6:2] - q[0:6:2], q[[7, 8, 6]]
    return [elbows, platform, elbows, platform, 1e3 * opening]


def spring_survival() -> Iterator[str]:
    """Runs of three seconds with springs in the loops."""
    found = survival(bench(), RungeKutta)
    for row in found.survives:
        yield ", ".join("runs" if ok else "fails" for ok in row)


def fixed_springs() -> list:
    """Eigenvalues μ of A I⁻¹ Aᵀ at the start, and the fastest modes [1/s]."""
    I, _ = thesis.inertia_and_bias(thesis.coordinates(bench().q[0]), np.zeros(9))
    A = thesis.jacobian(thesis.coordinates(bench().q[0]))
    mu = np.linalg.eigvalsh(A @ np.linalg.solve(I, A.T))
    fastest = [
        max(np.abs(np.roots([1, 2 * np.sqrt(k) * m, k * m])).max() for m in mu) for k in STIFFNESSES
    ]
    return [mu[[0, -1]], fastest]


def adaptive_springs() -> Iterator[list[float]]:
    """Springs of four stiffnesses: evaluations at two tolerances, largest errors [rad]."""
    for relative in (1e-3, 1e-6):
        yield [one.history.evaluations for one in by_stiffness(adaptive(relative))]
    yield [one.largest_error for one in by_stiffness(adaptive(1e-6))]


def feedback_corrections() -> Iterator[list[float]]:
    """Largest correction of each motor, per cent of its peak: springs, elimination, legs."""
    for stiffness in (1e5, 1e4):
        yield _corrected(penalty.springs(stiffness))
    yield [max(_corrected(Embedding(bench().mechanism, decay=10.0)))]
    yield [max(_corrected(recursive.motors()))]


def _corrected(formulation) -> list[float]:
    history = penalty.follow(formulation, feedback(bench()), RungeKutta(1e-3))
    return correction(bench(), history.t, history.q, history.v).max(axis=0).tolist()


def further_runs() -> list:
    """Corrections with γ as printed, and with springs that start loaded."""
    return [_corrected(PrintedProjection()), _loaded_correction()]


def _loaded_correction() -> float:
    """Of the third motor, per cent, with springs that start loaded."""
    tau = replay(bench())(0.0, bench().q[0], bench().v[0])
    q, v = loaded_start(penalty.machine(), bench().q[0], bench().v[0], tau, 1e5)
    steps, control = RungeKutta(1e-3), feedback(bench())
    history = run(penalty.springs(1e5), q, v, control, duration=3.0, steps=steps)
    return float(correction(bench(), history.t, history.q, history.v)[:, 2].max())


def messages() -> list[float]:
    """Messages of a leg for each evaluation: springs, elimination, legs."""
    return [m.sharing.messages for m in study.measured()]


def elimination() -> list:
    """Open loop in steps of 10 ms; with γ as printed; rates at which loops close."""
    printed = printed_run()
    errors = [
        directions.largest_error(
            directions.follow(Embedding(bench().mechanism, decay=decay), steps=RungeKutta(0.01))
        )
        for decay in directions.DECAYS
    ]
    conditions = [
        np.linalg.cond(
            thesis.jacobian(thesis.coordinates(q))[
                :, [k for k in range(9) if k not in thesis.ACTUATED]
            ]
        )
        for q in bench().q
    ]
    return [
        "runs" if max(errors) < 1e-3 else "broke",
        [printed.departs, printed.diverges],
        [_closing_rate(decay) for decay in directions.DECAYS],
        [min(conditions), max(conditions)],
    ]


def _closing_rate(decay: float) -> float:
    """Fitted to the opening of loops that begin open [1/s]."""
    formulation = Embedding(bench().mechanism, decay=decay)
    q = bench().q[0].copy()
    q[[1, 7]] += 0.01, -0.012
    history = run(
        formulation,
        q,
        bench().v[0],
        feedback(bench()),
        duration=1.2 / decay,
        steps=RungeKutta(1e-3),
    )
    search = directions.closed_loops(bench().mechanism).search
    opening = np.linalg.norm([search.openings(x) for x in history.q], axis=1)
    return float(-np.polyfit(history.t, np.log(opening), 1)[0])


def yun_sarkar() -> list[str]:
    """Whether three seconds end within 50 001 evaluations, where a frozen basis needs hundreds."""
    history = directions.follow(directions.yun_sarkar(), budget=50_001, partial=True)
    return ["more than 50000" if history.stopped else str(history.evaluations)]


def legs() -> list:
    """Method C: steps of an adaptive run, errors of fixed steps [rad]."""
    steps = [
        recursive.follow(recursive.motors(), Adaptive(relative, 1e-6, longest=0.01)).steps
        for relative in (1e-3, 1e-6)
    ]
    errors = [
        recursive.largest_error(recursive.follow(recursive.motors(), RungeKutta(step)))
        for step in (0.01, 0.001)
    ]
    return [*steps, *errors]


def growth() -> list[list[float]]:
    """Of the machine held still by constant torques [1/s], at 0, 1, 2, 3 s."""
    rates = []
    for t in (0.0, 1.0, 2.0, 3.0):
        q = bench().q[np.searchsorted(bench().t, t - 1e-9)]
        rates.append(px.linearize(bench().mechanism, q, hold=True, forces=()).growth_rate)
    return [rates]


def torques() -> Iterator[np.ndarray]:
    """Of the motors every half second, their peaks, the end, the change of energy."""
    for t in prescribed.TORQUES:
        yield prescribed.moment(t)[3]
    yield np.abs(bench().tau).max(axis=0)
    yield thesis.coordinates(bench().q[-1])[[7, 8, 6]]
    yield [bench().energy_change()]


@cache
def _golden() -> tuple[np.ndarray, np.ndarray]:
    q, v, tau = golden()
    a, force = exact.numbers()(loops.constrained, q, v, tau)
    return thesis.accelerations(q, v, a), (thesis.R(q[8]) @ force.reshape(3, 2).T).T.ravel()


def golden_state() -> list[np.ndarray]:
    """Accelerations of motors and platform, forces in the loops, inertia at the motors."""
    a, force = _golden()
    q = golden()[0]
    f = exact.at(lambda platform, found: [generalized_inertia(platform, found), found.K])
    M, K = (np.array(x) for x in f(q))
    return [a[[0, 2, 4]], a[6:], force, *(M[i, i:] for i in range(3)), [np.linalg.cond(K)]]


def table_5_1() -> Iterator[str]:
    """Grades by rules from measurements: springs, elimination, legs."""
    for contestant in study.QUICK:
        given = study.graded(contestant.name)
        yield ", ".join(given[grade] for grade in GRADES)


def loaded_springs() -> list[float]:
    """What is left of an error when springs are ten times as stiff."""
    q, v, tau = golden()
    n = exact.Numbers(penalty.machine())
    true, force = n(loops.constrained, q, v, tau)
    errors = []
    for k in STIFFNESSES:
        loaded = penalty.opened(q, force[[0, 1, 3, 4, 6, 7]] / k)
        basis = penalty.held(
            penalty.terms_of(penalty.machine()).place(loaded)[2],
            penalty.selector(9, penalty.MOTORS),
        )
        a = n(loops.penalty, loaded, basis.S @ v[list(penalty.MOTORS)], tau, stiffness=k)
        errors.append(float(np.abs(a - true).max()))
    return [[x / y for x, y in pairwise(errors)]]


def exactness() -> list[float]:
    """Largest relative difference of multipliers here and in the thesis's coordinates."""
    q, v, tau = golden()
    a = thesis.accelerations(q, v, exact.numbers()(loops.multipliers, q, v, tau))
    x, w = thesis.coordinates(q), thesis.rates(q, v)
    wanted = thesis.multipliers(x, w, tau[list(penalty.MOTORS)])[0]
    return [float(np.abs(a - wanted).max() / np.abs(wanted).max())]
