"""Compiled rollouts: SIMD lanes over runs, threads over blocks of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.base import arguments
from phalanx.base.arguments import checked_but
from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.equations.loops.assembly.checks import check_all_closed
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.batch.loop import SUBSYSTEM_STATES, BatchLoop
from phalanx.simulation.batch.result import Array, RolloutResult
from phalanx.simulation.integrators.integrators import ErrorControlled, FixedStep
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.run.divergence import Divergence, RolloutDiverged
from phalanx.simulation.run.progress import reporting
from phalanx.simulation.run.singularity_handling import has_stopped, initial_singularity_state
from phalanx.simulation.run.steps import count_of_steps
from phalanx.simulation.setup.content_hash import NoContent, content
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.parameters import check_number
from phalanx.simulation.setup.setup import Setup

RECORDABLE = {"q": "q_next", "v": "v_next", "tau": "tau_now"}


@final
class CompiledRollout:
    """A compiled loop over steps, for as many batches as needed.

    ``rollout`` is the same in one call; keep a CompiledRollout where batches follow each
    other, as in sampling control.
    """

    @checked_but("integrator", "step", "dtype", "threads")
    def __init__(
        self,
        mechanism: Mechanism | Setup,
        *,
        step: float = 1e-3,
        integrator: FixedStep | None = None,
        objective: Callable[..., SX] | None = None,
        record: Sequence[str] = ("q", "v"),
        dtype: Literal["float64", "float32"] = "float64",
        threads: int | None = None,
        cache: bool = True,
    ) -> None:
        """Compile.

        Args:
            mechanism: The machine; or a :class:`Setup`: with control, other forces, wrenches,
                parameters.
            step: Length of a step [s].
            integrator: As for :func:`rollout`, and so ``objective`` and ``record``.
            objective: Rate of what is integrated along each run.
            record: What to keep of the way.
            dtype: "float64" or "float32".
            threads: All cores when not given.
            cache: Whether object code on the disk may be used.

        Raises:
            InvalidInput: When an option has an unusable value.
            UnknownName: When a parameter, frame or record does not exist.
        """
        setup = mechanism if isinstance(mechanism, Setup) else Setup(mechanism)
        if integrator is not None and not isinstance(integrator, FixedStep):
            adaptive = isinstance(integrator, ErrorControlled)
            why = f"{type(integrator).__name__} chooses its own" if adaptive else "this takes none"
            raise InvalidInput(
                f"{arguments.came('integrator', integrator)}: a rollout takes steps of one length, "
                f"and {why}. Use RungeKutta4(), Rosenbrock2() or SemiImplicitEuler()."
            )
        self.step = arguments.time("step", step)
        self.setup, self.mechanism = setup, setup.mechanism
        self.layout = layout = Layout(setup)
        if setup.control is not None and layout.law is None:
            raise InvalidInput(
                "a rollout compiles its control: give a Law, a casadi.Function or torques in tau=. "
                f"Python functions work in simulate(). Got {shown(setup.control)}."
            )
        self.has_objective = objective is not None
        self.dtype = checked_dtype(dtype)
        recordable = self._recordable()
        self.record = record = tuple(record)
        for name in record:
            if name not in recordable:
                raise UnknownName("a rollout", "record", name, recordable)
        if len(set(record)) < len(record):
            raise InvalidInput(f"record={record} lists a name twice.")
        self.outputs = tuple(dict.fromkeys(recordable[name] for name in record))
        self.inputs = (*layout.inputs, *setup.parameters)
        self.streamed = None if layout.law else layout.commanded
        self.must_start_closed = bool(self.mechanism.loops) and not layout.has_own_lengths
        loop = BatchLoop(
            setup,
            integrator or layout.default_method,
            self.step,
            objective,
            self.outputs,
            dtype,
            checked_threads(threads),
        )
        self.kernel = loop.kernel() if cache else loop.compiled(cache=False)
        self._options = {
            "step": step,
            "integrator": integrator,
            "objective": objective,
            "record": record,
            "dtype": dtype,
            "threads": threads,
        }
        channels = run_channels(self.mechanism, layout)
        self._channels = tuple(c for c in channels if c.name in recordable)

    def __eq__(self, other: object) -> bool:
        """Whether both compile the same; one that cannot be looked into is itself alone."""
        if self is other or not isinstance(other, CompiledRollout):
            return self is other
        try:
            return self.setup == other.setup and content(self._options) == content(other._options)
        except NoContent:
            return False

    def __hash__(self) -> int:
        return hash(self.setup)

    def __reduce__(self) -> tuple[Any, ...]:
        """What it was made of; the other side compiles, or finds it in its cache."""
        return _made, (self.setup, self._options)

    def __repr__(self) -> str:
        return (
            f"<CompiledRollout of '{self.mechanism.name}': steps of {self.step:g} s in "
            f"{self.dtype}, records {', '.join(self.record) or 'the end alone'}>"
        )

    def _recordable(self) -> dict[str, str]:
        beside = {quantity.name: SUBSYSTEM_STATES for quantity in self.layout.subsystems.quantities}
        return RECORDABLE | beside

    @checked_but("duration", "steps", "every")
    def __call__(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        *,
        duration: float | None = None,
        steps: int | None = None,
        start: ArrayLike = 0.0,
        tau: ArrayLike | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        states: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        memory_limit: float = 8e9,
        on_divergence: Literal["flag", "raise"] = "flag",
        progress: bool | Callable[[float], None] | None = None,
    ) -> RolloutResult:
        """Run; see :func:`rollout`. Each run's time begins at ``start`` [s], shape (...)."""
        if duration is not None:
            duration = arguments.time("duration", duration)
        steps = count_of_steps(duration, steps, self.step)
        every = arguments.whole("every", every)
        memory_limit = arguments.positive("memory_limit", memory_limit, "a positive number [byte]")
        q0, v0 = arguments.numbers("q0", q0), arguments.numbers("v0", v0)
        start = arguments.finite_numbers("start", start)
        if q0.shape[-1:] == (self.mechanism.nq,):  # else the kernel says it
            check_quaternions(self.mechanism, q0, "q0")
        given = self.layout.defaults | dict(inputs or {})
        if self.streamed in given:
            raise InvalidInput("torques and commands come as tau=, not among inputs=.")
        if self.streamed:
            given[self.streamed] = self._torques(tau, steps)
        elif tau is not None:
            raise InvalidInput("tau= and control= exclude each other; the control law makes tau.")
        for name in given:
            if name not in self.inputs:
                raise UnknownName("this rollout", "input", name, self.inputs)
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise InvalidInput(f"this rollout needs inputs={{...}} for {', '.join(missing)}.")
        for name in self.setup.parameters:
            check_number(self.setup, name, arguments.numbers(f"parameter '{name}'", given[name]))
        if self.must_start_closed:
            self._check_closed(q0, v0)
        z0 = self._beside_at_first(q0, states)
        past = initial_singularity_state(self.mechanism)
        values = (q0, v0, z0, start, past, 0.0, *(given[name] for name in self.inputs))
        count = steps // every
        self._check_memory(values, count, memory_limit)
        with reporting(self.mechanism.name, progress) as report:
            result = self.kernel(steps, *values, every=every, progress=report)
        kept = dict(zip(self.outputs, result.recorded, strict=True))
        q, v, tau = (kept[RECORDABLE[k]] if k in self.record else None for k in RECORDABLE)
        done = RolloutResult(
            np.asarray(start)[..., None] + self.step * every * np.arange(1, count + 1),
            q,
            v,
            tau,
            result.final.q_next,
            result.final.v_next,
            result.final.z_next[..., -1] if self.has_objective else None,
            {
                name: values
                for name, values in self.layout.subsystems.split(
                    kept.get(SUBSYSTEM_STATES, z0)
                ).items()
                if name in self.record
            },
            self.layout.subsystems.split(result.final.z_next),
            Divergence.of(
                result.final.good_next, q0, v0, singular=has_stopped(result.final.passage_next)
            ),
            self._channels,
            self.mechanism.name,
        )
        if on_divergence == "raise" and done.diverged.any():
            raise RolloutDiverged(self.mechanism.name, done.divergence, done)
        return done

    def _beside_at_first(self, q0: ArrayLike, states: Mapping[str, ArrayLike] | None) -> Array:
        """States of subsystems, and nothing of the objective yet."""
        q = np.asarray(q0, dtype=np.float64)
        if q.shape[-1:] != (self.mechanism.nq,):
            q = np.zeros(self.mechanism.nq)  # the kernel says what is wrong with q0
        s = self.layout.subsystems.initial(q, states)
        return np.concatenate([s, np.zeros((*s.shape[:-1], int(self.has_objective)))], axis=-1)

    def _check_closed(self, q0: ArrayLike, v0: ArrayLike) -> None:
        """Loops that are open would be pulled together in the first step."""
        q, v = np.asarray(q0, dtype=np.float64), np.asarray(v0, dtype=np.float64)
        m = self.mechanism
        if q.shape[-1:] == (m.nq,) and v.shape[-1:] == (m.nv,):  # else the kernel says it
            check_all_closed(m, q, v)

    def _torques(self, tau: ArrayLike | None, steps: int) -> ArrayLike:
        """Torques for every step: zero when not given, held when constant."""
        n = self.layout.commands
        if tau is None:
            return np.broadcast_to(np.zeros(1, self.dtype), (steps, n))
        array = arguments.numbers("tau", tau).astype(self.dtype, copy=False)
        if array.shape == (n,):
            return np.broadcast_to(array, (steps, n))
        if array.ndim < 2 or array.shape[-2:] != (steps, n):
            raise InvalidInput(
                f"tau has shape {array.shape}; expected (..., {steps}, {n}): runs, steps, joints; "
                f"or ({n},) to hold one torque."
            )
        return array

    def _check_memory(self, values: Sequence[ArrayLike], count: int, limit: float) -> None:
        """Refuse before allocating what does not fit."""
        m = self.mechanism
        sizes = {
            "q_next": m.nq,
            "v_next": m.nv,
            "tau_now": m.nv,
            SUBSYSTEM_STATES: self.layout.subsystems.size,
        }
        a_run = count * sum(sizes[name] for name in self.outputs) * self.dtype.itemsize
        shapes = []
        for port, value in zip(self.kernel.inputs, values, strict=True):
            own_axes = len(port.shape) + (port.name == self.streamed)
            shapes.append(np.shape(value)[: max(0, np.ndim(value) - own_axes)])
        try:
            runs = math.prod(np.broadcast_shapes(*shapes))
        except ValueError:
            return  # the kernel's own message says what does not fit
        if runs * a_run > limit:
            raise InvalidInput(
                f"recording {runs} runs of {count} states takes {runs * a_run / 1e9:.1f} GB, more "
                f"than memory_limit={limit / 1e9:g} GB. Record every k-th step (every=), less "
                "(record=()), or accumulate an objective."
            )


def _made(setup: Setup, options: Mapping[str, Any]) -> CompiledRollout:
    return CompiledRollout(setup, **options)
