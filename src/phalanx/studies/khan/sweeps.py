"""Sweeps of figures 4.3 to 4.10: stiffness, decay of open loops, tolerance, and lost energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.interpolate import make_interp_spline

from phalanx.equations import energy, expression, loops
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.numbers.bases import ProjectorSvd
from phalanx.kernel import compile
from phalanx.simulation.formulations import (
    Accelerations,
    Adaptive,
    Embedding,
    Formulation,
    FreshProjection,
    History,
    Motors,
    RungeKutta,
    Steps,
    run,
)
from phalanx.simulation.formulations.formulation import Array
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan.bench import bench, correction, feedback, in_base_axes, replay
from phalanx.studies.khan.springs import STIFFNESSES

DECAYS = (10.0, 20.0, 30.0, 40.0)  # [1/s]
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6)
ABSOLUTE = 1e-6
FEEDBACK_STEP = 1e-3  # [s]
BUDGET = 20_000  # evaluations of Yun and Sarkar's basis, which no budget serves


@dataclass(frozen=True, eq=False)
class Replay:
    """The motion of the thesis replayed, with one value of what is varied.

    Attributes:
        label: The value, as a legend has it.
        formulation: What was integrated.
        history: The run, as far as it came.
    """

    label: str
    formulation: Formulation
    history: History

    @property
    def error(self) -> Array:
        """Departure of the motors at each moment [rad], shape (k, motors)."""
        return bench().position_error(self.history.t, self.history.q)

    @property
    def largest_error(self) -> float:
        """Of any motor at any time [rad]."""
        return float(np.abs(self.error).max())

    @property
    def opening(self) -> float:
        """Largest opening of a loop at some two hundred moments [m]."""
        search = closed_loops(self.formulation.mechanism).search
        some = self.history.q[:: max(1, len(self.history.q) // 200)]
        return float(max(np.abs(search.openings(q)).max() for q in some))


def replayed(
    label: str,
    formulation: Formulation,
    steps: Steps,
    *,
    follow: bool = False,
    budget: float = np.inf,
) -> Replay:
    """Replay the torques of the motion; ``follow`` adds the feedback."""
    motion = bench()
    control = feedback(motion) if follow else replay(motion)
    start = motion.q[0], motion.v[0]
    history = run(
        formulation,
        *start,
        control,
        duration=motion.duration,
        steps=steps,
        budget=budget,
        partial=True,
    )
    return Replay(label, formulation, history)


@cache
def springs(stiffness: float) -> Accelerations:
    """Method A: springs and dampers in the loops."""
    machine = in_base_axes(bench().mechanism)
    return Accelerations(machine, loops.penalty, stiffness=stiffness)


def elimination(decay: float) -> Embedding:
    """Method B by Gaussian elimination, with the acceleration that fits."""
    return Embedding(bench().mechanism, decay=decay)


@cache
def by_stiffness(steps: Steps, follow: bool = False) -> tuple[Replay, ...]:
    """Figures 4.3 to 4.6: springs of 1e3 to 1e6 N/m."""
    return tuple(
        replayed(f"k = {k:.0e} N/m", springs(k), steps, follow=follow) for k in STIFFNESSES
    )


@cache
def by_decay(steps: Steps, follow: bool = False) -> tuple[Replay, ...]:
    """Figures 4.9 and 4.10: loops that close at 10 to 40 /s."""
    return tuple(
        replayed(f"σ = {decay:g} /s", elimination(decay), steps, follow=follow) for decay in DECAYS
    )


@cache
def followed_by_springs() -> Replay:
    """Figure 4.7: springs of 1e5 N/m under feedback, in steps of 1 ms."""
    return by_stiffness(RungeKutta(FEEDBACK_STEP), follow=True)[2]


@cache
def by_projector() -> Replay:
    """Figure 4.8: the basis of Yun and Sarkar, as far as its budget goes."""
    formulation = FreshProjection(
        bench().mechanism, ProjectorSvd(), decay=DECAYS[0], as_printed=True
    )
    return replayed("projector", formulation, adaptive(TOLERANCES[0]), budget=BUDGET)


def adaptive(relative: float) -> Adaptive:
    """Steps by a relative tolerance."""
    return Adaptive(relative, ABSOLUTE)


def corrections(one: Replay) -> Array:
    """What feedback added, per cent of each motor's peak, shape (k, motors)."""
    history = one.history
    return correction(bench(), history.t, history.q, history.v)


@cache
def by_tolerance() -> dict[str, tuple[Replay, ...]]:
    """Replays at four tolerances, by method."""
    methods: dict[str, Callable[[], Formulation]] = {
        f"springs, {k:.0e} N/m": (lambda k=k: springs(k))  # type: ignore[misc]
        for k in STIFFNESSES
    }
    methods["elimination, 10 /s"] = lambda: elimination(DECAYS[0])
    methods["legs"] = lambda: Motors(bench().mechanism)
    return {
        name: tuple(replayed(f"{t:.0e}", make(), adaptive(t)) for t in TOLERANCES)
        for name, make in methods.items()
    }


def energy_defect(one: Replay, stiffness: float = 0.0) -> Array:
    """Energy of machine and springs at each moment, less the start's and the motors' work [J].

    Zero for loops that do no work; what dampers take makes it negative.

    Args:
        one: A replay with feedback, in steps of one length.
        stiffness: Of its springs [N/m]; none without any.
    """
    machine, motion, history = one.formulation.mechanism, bench(), one.history
    stored = compile(expression(energy, machine))(history.q, history.v).ravel()
    if stiffness:
        terms = terms_of(machine)
        openings = np.array([terms.place(q)[1] for q in history.q])
        stored = stored + 0.5 * stiffness * (openings**2).sum(axis=1)
    control = feedback(motion)
    rows = zip(history.t, history.q, history.v, strict=True)
    power = np.array([control(t, q, v) @ v for t, q, v in rows])
    work = make_interp_spline(history.t, power, k=5).antiderivative()(history.t)
    return np.asarray(stored - stored[0] - (work - work[0]), dtype=np.float64)


def energy_by_stiffness(
    stiffnesses: Sequence[float] = STIFFNESSES[:3],
) -> dict[str, tuple[Array, Array]]:
    """Times and lost energy with springs that a step of 1 ms survives."""
    runs = by_stiffness(RungeKutta(FEEDBACK_STEP), follow=True)
    found = zip(STIFFNESSES, runs, strict=True)
    return {
        one.label: (one.history.t, energy_defect(one, k)) for k, one in found if k in stiffnesses
    }


def energy_by_decay() -> dict[str, tuple[Array, Array]]:
    """Times and lost energy of eliminations, in steps of 1 ms."""
    runs = by_decay(RungeKutta(FEEDBACK_STEP), follow=True)
    return {one.label: (one.history.t, energy_defect(one)) for one in runs}
