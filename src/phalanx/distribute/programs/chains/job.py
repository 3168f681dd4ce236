"""Simulation of a chain or tree divided into segments; forces in joints by iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.distribute.job_data import machine_of, plain_data
from phalanx.distribute.processes.job import Job, ProgramResult, how_many
from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.distribute.programs.chains.chain import ChainModel, chain_of
from phalanx.distribute.programs.chains.forward import Solving, checked_state
from phalanx.distribute.programs.chains.loads import checked_loads
from phalanx.distribute.programs.chains.segments import Segment
from phalanx.distribute.programs.chains.stepping import IterationCounts, SegmentRun, Stepping
from phalanx.distribute.recorded_job import RecordedResult, RecordedRun
from phalanx.dynamics.evaluators.warm_starts import CUBIC, Polynomial
from phalanx.mechanism import Mechanism
from phalanx.mechanism.loads import refuse_loads
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.signal import Channel
from phalanx.simulation.run.steps import whole_steps
from phalanx.simulation.setup.profile import Profile

plain_data(Polynomial)


@final
@dataclass(frozen=True)
class ChainResult(RecordedResult):
    """Result of a chain or tree on several processes.

    The recording has positions and velocities of all joints, iterations, and the largest residual
    since the row before.

    Attributes:
        segments: The bodies of each process.
        counts: How many iterations the run took.
    """

    segments: tuple[Segment, ...] = field(repr=False)
    counts: IterationCounts


@final
@plain_data
@short_repr
@dataclass(frozen=True, eq=False)
class ChainJob(Job[ChainResult]):
    """A run of a chain or tree of bodies, divided into segments of bodies that hang together.

    Attributes:
        model: The machine, or its specification (``chain:200``) or file, which ranks need that are
            started. Joints have their own damping, springs and dry friction.
        solving: How constraint forces are found.
        duration: [s].
        step: [s]; one length for all processes.
        stepping: How a step is taken: ``runge-kutta`` or ``semi-implicit``.
        start: Where an iteration begins: the polynomial through the forces before; None: at zero.
        every: Every so many steps a row is recorded.
        q: Positions at first, shape (nq,); neutral when not given.
        v: Velocities at first, shape (nv,); zero when not given.
        tau: Joint forces: constant, shape (nv,), or over time; none when not given.
        record: An ``.mcap`` file that the first process writes while it runs, or none.
        wrenches: External wrenches by frame or body: force and moment about its origin, in its
            axes, six numbers or a profile of as many columns.
    """

    model: Mechanism | str
    solving: Solving = field(default_factory=Solving)
    duration: float = 1.0
    step: float = 1e-3
    stepping: Stepping | str = Stepping.RUNGE_KUTTA
    start: Polynomial | None = CUBIC
    every: int = 1
    q: ArrayLike | None = None
    v: ArrayLike | None = None
    tau: ArrayLike | Profile | None = None
    record: str | PathLike[str] | None = None
    wrenches: Mapping[str, ArrayLike | Profile] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return whole_steps(self.duration, self.step)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The machine, read if it is a specification or a path."""
        return machine_of(self.model)

    @cached_property
    def chain(self) -> ChainModel:
        """Its bodies, each on a joint; its code is made when first needed."""
        return chain_of(self.mechanism)

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        """Positions and velocities at first, and joint forces then."""
        m = self.mechanism
        q = m.neutral() if self.q is None else self.q
        v = np.zeros(m.nv) if self.v is None else self.v
        if isinstance(self.tau, Profile):
            tau: ArrayLike = checked_loads(self.chain, self.tau, {})[0](0.0)
        else:
            tau = np.zeros(m.nv) if self.tau is None else self.tau
        return checked_state(self.chain, q, v, tau)

    @cached_property
    def loads(self) -> tuple[Profile, dict[str, Profile]]:
        """Joint forces and wrenches over time."""
        tau = self.tau if isinstance(self.tau, Profile) else self.state[2]
        return checked_loads(self.chain, tau, self.wrenches)

    def on(self, processes: int | None = None, *, on_ranks: bool = False) -> _ChainRun:
        """Check all that needs no compiler, and divide the machine.

        Raises:
            InvalidModel: The machine has loops, or a body without mass at the end of a joint.
            UnsupportedLoad: It has a spring between frames, or a fluid.
            UnknownName: There is no such stepping, or no frame on which a wrench is to act.
            InvalidInput: Numbers do not fit together, or there are more processes than bodies.
        """
        refuse_loads(self.mechanism, "distribute.ChainJob")
        if self.stepping not in list(Stepping):
            raise UnknownName("a chain job", "stepping", self.stepping, list(Stepping))
        segments = self.chain.divided(how_many(processes))
        _ = self.state, self.loads, self.steps, self.solving.three_term
        if self.every < 1 or self.steps % self.every:
            raise InvalidInput(
                f"every={self.every}; expected a divisor of the {self.steps} steps, so that the "
                "last one is recorded."
            )
        return _ChainRun(self, segments, on_ranks)

    def settings(self) -> dict[str, Any]:
        """Return what a recording says of the run."""
        return {
            "model": self.mechanism.name,
            "method": self.solving.iteration.name,
            "stopping": repr(self.solving.stopping),
            "stepping": str(self.stepping),
            "start": "zero" if self.start is None else f"polynomial of order {self.start.order}",
            "step": self.step,
            "duration": self.duration,
        }


@final
class _ChainRun(RecordedRun[ChainResult]):
    """A run of a chain on a number of processes."""

    job: ChainJob

    def __init__(self, job: ChainJob, segments: tuple[Segment, ...], on_ranks: bool) -> None:
        super().__init__(job, len(segments), on_ranks=on_ranks)
        self.segments = segments

    def program(self, rank: int) -> ProcessProgram:
        own = SegmentRun(self.job, self.segments, rank)
        if rank:
            return own.program()
        channels = [
            *run_channels(self.job.mechanism)[:2],
            Channel("iterations", "", ()),
            Channel("residual", "", ()),
        ]
        settings = {**self.job.settings(), "segments": [len(one) for one in self.segments]}
        return self.recorded(channels, settings, own.program(self._observe))

    def result(self, done: ProgramResult) -> ChainResult:
        counts = IterationCounts(*done.results[0])
        return ChainResult(
            done.traffic, done.seconds, self.recording, self.job.steps, self.segments, counts
        )

    def _observe(self, k: int, q: Array, v: Array, iterations: int, residual: float) -> None:
        self.record(k * self.job.step, q, v, np.array([iterations, residual]))
