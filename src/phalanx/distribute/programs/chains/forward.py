"""Forward dynamics of a chain or tree at one state, its bodies divided among processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.distribute.job_data import DataJobRun, machine_of, plain_data
from phalanx.distribute.processes.job import (
    Job,
    JobResult,
    JobRun,
    ProgramResult,
    how_many,
)
from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.distribute.programs.chains.chain import ChainModel, chain_of
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.distribute.programs.chains.loads import LoadsOverTime, checked_loads
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm
from phalanx.mechanism import Mechanism

for _class in (Jacobi, ChebyshevJacobi, ConjugateGradientJacobi, Stopping):
    plain_data(_class)


@final
@plain_data
@dataclass(frozen=True)
class Solving:
    """How processes find constraint forces together.

    Attributes:
        iteration: `Jacobi`, `ChebyshevJacobi` or `ConjugateGradientJacobi`, in which all joints
            take a step at the same time.
        stopping: When it may stop, and after how many steps it gives up.
    """

    iteration: LinearSolver = field(default_factory=ConjugateGradientJacobi)
    stopping: Stopping = field(default_factory=lambda: Stopping(change=1e-10, residual=1e-10))

    @property
    def three_term(self) -> ThreeTerm:
        """The iteration.

        Raises:
            InvalidInput: It takes joints one after the other, which cannot be done in parallel.
        """
        if not isinstance(self.iteration, ThreeTerm):
            raise InvalidInput(
                f"{self.iteration.name} takes one joint after the other, so that processes would "
                "wait for each other in a row. Choose Jacobi, ChebyshevJacobi or "
                "ConjugateGradientJacobi, in which all joints take a step at the same time."
            )
        return self.iteration


@final
@dataclass(frozen=True)
class ForwardDynamicsResult(JobResult):
    """Result of forward dynamics of a chain or tree on several processes.

    Attributes:
        a: Accelerations of the joints, shape (nv,).
        f: Constraint forces of the joints, shape (bodies, width).
        iterations: How many steps the iteration took.
        residual: |b - A f| / |b| in the norm of D⁻¹.
    """

    a: Array = field(repr=False)
    f: Array = field(repr=False)
    iterations: int
    residual: float


@final
@plain_data
@short_repr
@dataclass(frozen=True, eq=False)
class ForwardDynamicsJob(Job[ForwardDynamicsResult]):
    """Accelerations of the joints of a chain or tree at one state, and the forces in them.

    Attributes:
        model: A chain or tree of bodies; a specification or a file for ranks that are started.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        tau: Joint forces, shape (nv,); none when not given.
        wrenches: By frame or body, force and moment about its origin in its axes, shape (6,).
        solving: How the forces are found; conjugate gradients to 1e-10 when not given.
        start: Where the iteration begins, shape (bodies, width); at zero when not given.
    """

    model: Mechanism | str
    q: ArrayLike
    v: ArrayLike
    tau: ArrayLike | None = None
    solving: Solving = field(default_factory=Solving)
    start: ArrayLike | None = None
    wrenches: Mapping[str, ArrayLike] = field(default_factory=dict)

    def on(
        self, processes: int | None = None, *, on_ranks: bool = False
    ) -> JobRun[ForwardDynamicsResult]:
        """Check all that needs no compiler, and divide the machine.

        Raises:
            InvalidModel: The machine has loops, or a body without mass at the end of a joint.
            UnknownName: There is no frame or body on which a wrench is to act.
            InvalidInput: There are more processes than bodies; a number is not finite; the
                iteration takes one joint after the other.
        """
        return _ForwardDynamicsRun(self, how_many(processes))


@final
class _ForwardDynamicsRun(DataJobRun[ForwardDynamicsResult]):
    def __init__(self, job: ForwardDynamicsJob, processes: int) -> None:
        self.job, self.processes = job, processes
        self.chain = chain_of(machine_of(job.model))
        self.segments = self.chain.divided(processes)
        self.iteration = job.solving.three_term
        tau = np.zeros(self.chain.mechanism.nv) if job.tau is None else job.tau
        self.state = checked_state(self.chain, job.q, job.v, tau)
        self.loads = checked_loads(self.chain, self.state[2], job.wrenches)
        self.start = None if job.start is None else np.asarray(job.start, dtype=np.float64)
        shape = len(self.chain), self.chain.jointed.structure.width
        if self.start is not None and self.start.shape != shape:
            raise InvalidInput(
                f"start of the iteration has shape {self.start.shape}; expected {shape}: bodies, "
                "forces of a joint."
            )

    def program(self, rank: int) -> ProcessProgram:
        own = self.segments[rank]
        stopping = self.job.solving.stopping
        dynamics = SegmentDynamics(self.chain, own, self.iteration, stopping)
        width = int(self.chain.jointed.structure.sizes[own.joints].max(initial=1))
        start = None if self.start is None else self.start[own.joints, :width]
        external = LoadsOverTime(self.chain, own, *self.loads).external(0.0)
        return _as_plain_data(dynamics, self.chain.cut(own, *self.state), start, external)

    def result(self, done: ProgramResult) -> ForwardDynamicsResult:
        first, chain = done.results[0], self.chain
        a = np.empty(chain.mechanism.nv)
        f = np.zeros((len(chain), chain.jointed.structure.width))
        for own, one in zip(self.segments, done.results, strict=True):
            a[chain.velocities_of(own.joints)] = one["a"]
            forces = np.array(one["f"])
            f[own.joints, : forces.shape[1]] = forces
        return ForwardDynamicsResult(
            done.traffic,
            done.seconds,
            a,
            f,
            first["iterations"],
            first["residual"],
        )


def _as_plain_data(
    dynamics: SegmentDynamics,
    state: tuple[Array, Array, Array],
    start: Array | None,
    external: Array | None,
) -> ProcessProgram:
    """Evaluate, and return plain data."""
    found = yield from dynamics.evaluated(*state, start, external)
    forces = {"a": found.a.tolist(), "f": found.f.tolist()}
    return forces | {"iterations": found.iterations, "residual": found.residual}


def checked_state(
    chain: ChainModel, q: ArrayLike, v: ArrayLike, tau: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return positions, velocities and joint forces of a machine, checked.

    Raises:
        InvalidInput: One has another shape, or a number that is not finite.
    """
    m = chain.mechanism
    checked = []
    for name, given, size, body_of in (
        ("q", q, m.nq, chain.body_of_position),
        ("v", v, m.nv, chain.body_of_freedom),
        ("tau", tau, m.nv, chain.body_of_freedom),
    ):
        numbers = np.array(given, dtype=np.float64)
        if numbers.shape != (size,):
            raise InvalidInput(
                f"'{name}' of mechanism '{m.name}' has shape {numbers.shape}; expected ({size},)."
            )
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise InvalidInput(
                f"'{name}' of mechanism '{m.name}' is {numbers[wrong[0]]} at the joint that "
                f"carries body '{body_of(int(wrong[0]))}'; expected finite numbers."
            )
        checked.append(numbers)
    return checked[0], checked[1], checked[2]
