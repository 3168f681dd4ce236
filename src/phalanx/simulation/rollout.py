"""Thousands of runs in one compiled loop: lanes over runs, threads over blocks of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict, Unpack, final

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from phalanx import arguments
from phalanx.actuators.subsystem import SampledControl
from phalanx.arguments import checked_but
from phalanx.equations.assembly.checks import check_all_closed
from phalanx.equations.expression import identifier
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput, UnknownName, shown
from phalanx.kernel.build import checked_dtype, checked_threads
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.keywords import Default, chosen, spelled_out
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.divergence import Cause, Divergence, RolloutDiverged, counted
from phalanx.simulation.integrators import FixedStep
from phalanx.simulation.laws import as_law
from phalanx.simulation.passage import first_passage, has_stopped
from phalanx.simulation.plant import Plant, default_method, scalar_shapes
from phalanx.simulation.setup import Setup, SetupKeywords, setup_of
from phalanx.simulation.tolerances import ErrorControlled

Array = NDArray[np.floating[Any]]

RECORDABLE = {"q": "q_next", "v": "v_next", "tau": "tau_now"}
BESIDE = "z_next"  # states of subsystems


@dataclass(frozen=True, eq=False)
class Rollout:
    """What is left of a batch of runs.

    Attributes:
        time: Of the recorded states [s], shape (T,).
        q: Recorded positions, shape (..., T, nq); None if not asked for.
        v: Recorded velocities, shape (..., T, nv).
        tau: Joint forces applied in the step before each record, shape (..., T, nv).
        final_q: Positions after the last step, shape (..., nq).
        final_v: Velocities after the last step, shape (..., nv).
        cost: The objective of each run, shape (...); None without one.
        states: Recorded states of subsystems by name, shape (..., T, n).
        final_states: The same after the last step, shape (..., n); where the next call may begin.
        divergence: Runs that ended early, in which step and why. Numbers of such a run from that
            step on mean nothing; they are NaN or infinite where its state is.
    """

    time: Array
    q: Array | None
    v: Array | None
    tau: Array | None
    final_q: Array
    final_v: Array
    cost: Array | None
    states: Mapping[str, Array] = field(default_factory=dict)
    final_states: Mapping[str, Array] = field(default_factory=dict)
    divergence: Divergence = field(default_factory=Divergence.none)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Whether each run ended early, shape (...)."""
        return self.divergence.runs

    @property
    def singular(self) -> NDArray[np.bool_]:
        """Which of them did at a singular posture that leaves their motion open, shape (...)."""
        return np.asarray(self.divergence.cause == Cause.SINGULAR_POSTURE)


class LoopKeywords(TypedDict, total=False):
    """What is compiled of a setup."""

    step: Annotated[float, Default(1e-3)]
    integrator: Annotated[FixedStep | None, Default(None)]
    objective: Annotated[Callable[..., SX] | None, Default(None)]
    record: Annotated[Sequence[str], Default(("q", "v"))]
    dtype: Annotated[Literal["float64", "float32"], Default("float64")]
    threads: Annotated[int | None, Default(None)]


class LoopsKeywords(SetupKeywords, LoopKeywords, total=False):
    """The same, and what a setup is made of."""

    parameters: Annotated[Sequence[str], Default(())]
    wrenches: Annotated[Sequence[str], Default(())]


class BatchKeywords(TypedDict, total=False):
    """What one batch of runs is told."""

    tau: Annotated[ArrayLike | None, Default(None)]
    inputs: Annotated[Mapping[str, ArrayLike] | None, Default(None)]
    states: Annotated[Mapping[str, ArrayLike] | None, Default(None)]
    every: Annotated[int, Default(1)]
    memory_limit: Annotated[float, Default(8e9)]
    on_divergence: Annotated[Literal["flag", "raise"], Default("flag")]


class RolloutKeywords(SetupKeywords, LoopKeywords, BatchKeywords, total=False):
    """All that :func:`rollout` takes beside states and numbers of the machines."""


@final
class Rollouts:
    """A compiled loop over steps, for as many batches as needed.

    ``rollout`` is the same in one call; keep a Rollouts where batches follow each other, as in
    sampling control.
    """

    @checked_but("integrator", "step", "dtype", "threads")
    @spelled_out
    @insistent()
    def __init__(
        self, mechanism: Mechanism | Setup, *, cache: bool = True, **options: Unpack[LoopsKeywords]
    ) -> None:
        """Compile; see :func:`rollout` for the arguments.

        Raises:
            InvalidInput: When an option has an unusable value.
            UnknownName: When a parameter, frame or record does not exist.
        """
        setup = setup_of(mechanism, options, options["wrenches"], options["parameters"])
        integrator, objective = options["integrator"], options["objective"]
        dtype, record = options["dtype"], options["record"]
        if integrator is not None and not isinstance(integrator, FixedStep):
            adaptive = isinstance(integrator, ErrorControlled)
            why = f"{type(integrator).__name__} chooses its own" if adaptive else "this takes none"
            raise InvalidInput(
                f"{arguments.came('integrator', integrator)}: a rollout takes steps of one length, "
                f"and {why}. Use RungeKutta4(), Rosenbrock2() or SemiImplicitEuler()."
            )
        step = arguments.time("step", options["step"])
        control = setup.control
        law = control if isinstance(control, SampledControl) else as_law(control)
        if control is not None and law is None:
            raise InvalidInput(
                "a rollout compiles its control: give a Law, a casadi.Function or torques in tau=. "
                f"Python functions work in simulate(). Got {shown(control)}."
            )
        self.setup, self.mechanism = setup, setup.mechanism
        self.step = step
        self.has_objective = objective is not None
        self.dtype, threads = checked_dtype(dtype), checked_threads(options["threads"])
        plant = Plant(
            setup.mechanism,
            setup.forces,
            law,
            setup.wrenches,
            setup.parameters,
            actuation=setup.actuation,
            surroundings=setup.surroundings,
        )
        self.beside, self.commands = plant.beside, plant.commands
        beside = {quantity.name: BESIDE for quantity in plant.beside.quantities}
        recordable = RECORDABLE | beside
        for name in record:
            if name not in recordable:
                raise UnknownName("a rollout", "record", name, recordable)
        if len(set(record)) < len(record):
            raise InvalidInput(f"record={tuple(record)} lists a name twice.")
        self.record = tuple(record)
        self.outputs = tuple(dict.fromkeys(recordable[name] for name in record))
        function, symbols = plant.step(integrator or default_method(plant), step, _extra(objective))
        self.inputs = {name: identifier(name) for name in symbols}
        self.defaults = plant.defaults()
        self.streamed = None if law else ("command" if setup.actuation else "tau")
        # where lengths differ from run to run, no posture of the machine as it is says anything
        moved = any(name.endswith(".position") for name in setup.parameters)
        self.must_start_closed = bool(setup.mechanism.loops) and not moved
        self.kernel: LoopKernel = compile_loop(
            counted(function, 5, self.dtype),
            6,
            streamed=[self.streamed] if self.streamed else [],
            recorded=self.outputs,
            shapes=scalar_shapes(function, symbols) | {"good": (), "good_next": ()},
            dtype=dtype,
            threads=threads,
            cache=cache,
        )

    @checked_but("steps", "every")
    @spelled_out
    def __call__(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        *,
        steps: int,
        start: ArrayLike = 0.0,
        **options: Unpack[BatchKeywords],
    ) -> Rollout:
        """Run; see :func:`rollout`. Each run's time begins at ``start`` [s], shape (...)."""
        steps, every = arguments.whole("steps", steps), arguments.whole("every", options["every"])
        memory_limit = arguments.positive(
            "memory_limit", options["memory_limit"], "a positive number [byte]"
        )
        tau, states = options["tau"], options["states"]
        q0, v0 = arguments.numbers("q0", q0), arguments.numbers("v0", v0)
        start = arguments.finite_numbers("start", start)
        if q0.shape[-1:] == (self.mechanism.nq,):  # else the kernel says it
            check_quaternions(self.mechanism, q0, "q0")
        given = self.defaults | dict(options["inputs"] or {})
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
        if self.must_start_closed:
            self._check_closed(q0, v0)
        z0 = self._beside_at_first(q0, states)
        past = first_passage(self.mechanism)
        values = (q0, v0, z0, start, past, 0.0, *(given[name] for name in self.inputs))
        count = steps // every
        self._check_memory(values, count, memory_limit)
        result = self.kernel(steps, *values, every=every)
        kept = dict(zip(self.outputs, result.recorded, strict=True))
        q, v, tau = (kept[RECORDABLE[k]] if k in self.record else None for k in RECORDABLE)
        done = Rollout(
            np.asarray(start)[..., None] + self.step * every * np.arange(1, count + 1),
            q,
            v,
            tau,
            result.final.q_next,
            result.final.v_next,
            result.final.z_next[..., -1] if self.has_objective else None,
            {
                name: values
                for name, values in self.beside.split(kept.get(BESIDE, z0)).items()
                if name in self.record
            },
            self.beside.split(result.final.z_next),
            Divergence.of(
                result.final.good_next, q0, v0, singular=has_stopped(result.final.passage_next)
            ),
        )
        if options["on_divergence"] == "raise" and done.diverged.any():
            raise RolloutDiverged(self.mechanism.name, done.divergence, done)
        return done

    def _beside_at_first(self, q0: ArrayLike, states: Mapping[str, ArrayLike] | None) -> Array:
        """States of subsystems, and nothing of the objective yet."""
        q = np.asarray(q0, dtype=np.float64)
        if q.shape[-1:] != (self.mechanism.nq,):
            q = np.zeros(self.mechanism.nq)  # the kernel says what is wrong with q0
        s = self.beside.initial(q, states)
        return np.concatenate([s, np.zeros((*s.shape[:-1], int(self.has_objective)))], axis=-1)

    def _check_closed(self, q0: ArrayLike, v0: ArrayLike) -> None:
        """Loops that are open would be pulled together in the first step."""
        q, v = np.asarray(q0, dtype=np.float64), np.asarray(v0, dtype=np.float64)
        m = self.mechanism
        if q.shape[-1:] == (m.nq,) and v.shape[-1:] == (m.nv,):  # else the kernel says it
            check_all_closed(m, q, v)

    def _torques(self, tau: ArrayLike | None, steps: int) -> ArrayLike:
        """Torques for every step: zero when not given, held when constant."""
        n = self.commands
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
        sizes = {"q_next": m.nq, "v_next": m.nv, "tau_now": m.nv, BESIDE: self.beside.size}
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


@checked_but("integrator", "step", "steps", "every", "dtype", "threads")
@spelled_out
def rollout(
    mechanism: Mechanism | Setup,
    q0: ArrayLike,
    v0: ArrayLike,
    *,
    steps: int,
    parameters: Mapping[str, ArrayLike] | None = None,
    wrenches: Mapping[str, ArrayLike] | None = None,
    **options: Unpack[RolloutKeywords],
) -> Rollout:
    """Many runs at once, each of many steps, in one compiled loop.

    Args:
        mechanism: The machine; or a :class:`Setup`, which has control, forces, actuation and
            surroundings itself.
        q0: Initial positions, shape (..., nq).
        v0: Initial velocities, shape (..., nv). Leading axes are runs and broadcast together.
        steps: How many steps each run takes.
        step: Their length [s].
        tau: Joint forces held during each step, shape (..., steps, nv), or (nv,) for one for all;
            commands with an actuation.
        control: A :class:`Law` or ``casadi.Function`` (t, q, v) -> tau, compiled in, for tau.
        integrator: The method; ``RungeKutta4()`` by default, ``Rosenbrock2()`` with a subsystem
            that is stiff.
        forces: Forces of the joints on themselves.
        parameters: Numbers of the machine that differ from run to run: name to values.
        wrenches: Frame to external wrench (force, moment) in the frame's axes, shape (..., 6).
        inputs: Values of the law's own inputs, one a run.
        objective: ``rate(q, v, tau)`` over symbols, integrated along each run.
        actuation: What turns commands into joint forces, such as hydraulics.
        surroundings: What the machines meet, such as ground.
        states: Where states of subsystems begin, by name, shape (..., n).
        record: What to keep of the way: "q", "v", "tau", names of subsystems' states; () keeps
            the end only.
        every: Record after every so many steps.
        dtype: "float64" or "float32".
        threads: All cores when not given.
        memory_limit: Refuse to record more than this [byte].
        on_divergence: What to do when a run leaves finite numbers: "flag" says so in
            ``diverged``, "raise" raises.

    Returns:
        The records, the final states, and which runs ended early.

    Raises:
        InvalidInput: When shapes do not fit, or memory would not; when a quaternion of q0 is not
            of length one.
        InvalidModel: When the mass matrix is singular in every posture.
        RolloutDiverged: When a run leaves finite numbers and ``on_divergence`` is "raise"; it
            carries the rollout.
        UnknownName: When a parameter, frame or input does not exist.
    """
    values = dict(options["inputs"] or {}) | dict(parameters or {})
    values |= {f"wrench_{frame}": wrench for frame, wrench in (wrenches or {}).items()}
    setup = setup_of(mechanism, options, wrenches or (), parameters or ())
    loop = Rollouts(setup, **chosen(LoopKeywords, options))
    return loop(q0, v0, steps=steps, **(chosen(BatchKeywords, options) | {"inputs": values}))


def _extra(objective: Callable[..., SX] | None) -> Any:
    """The objective's rate as a further quantity to integrate."""
    if objective is None:
        return None

    def extra(model: Model, t: SX, q: SX, v: SX, tau: SX, own: SX) -> SX:
        value = SX(objective(q, v, tau))
        if value.numel() != 1:
            raise InvalidInput(f"an objective is one number, got shape {value.shape}.")
        return value

    return extra
