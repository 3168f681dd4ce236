"""Sweep over compiled rollouts: a chunk is one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields, finite_numbers
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.cases import ColumnType
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable
from phalanx.distribute.sweeps.inputs import Inputs
from phalanx.distribute.sweeps.rollout_inputs import (
    STATE,
    WRENCH,
    check_forces,
    force_units,
    rollout_inputs,
    sizes_told,
)
from phalanx.distribute.sweeps.rollout_results import COST, chunk_of
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.distribute.sweeps.signals import Signals
from phalanx.kernel.build import checked_threads
from phalanx.mechanism import Mechanism
from phalanx.simulation.batch.rollouts import CompiledRollout
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.simulate import simulate
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.setup import Setup, setup_of


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Rollout(SweepRun):
    """Runs of fixed steps in a compiled loop, as :func:`phalanx.rollout` has them.

    Can be varied: ``q0``, ``v0``, ``q0[2]``, ``q0.<joint>``, ``v0.<joint>``, numbers of the machine
    (``link_3.mass``, ``gravity[2]``, ``elbow.position``), of its forces (``elbow.damping``,
    ``elbow.friction`` with ``Friction()``, ``stops.stiffness`` with ``Stops()``) and of the control
    law (``control.stiffness``), each also with ``.factor``; inputs of the law (``target``),
    ``wrench.<frame>``, ``state.<name>``, and ``control`` where several are given.

    Can be kept: ``cost``, and of q, v, tau and subsystems' states the end (``q_end``), the way
    (``q``, every so many steps) and statistics over it (``tau.peak``).

    Attributes:
        machine: The machine; or a :class:`Setup`: with control, other forces, wrenches.
        steps: How many steps each run takes.
        step: Their length [s].
        q0: Where runs begin that do not vary it; neutral when not given.
        v0: With which velocities; at rest when not given.
        laws: Laws by name, to be varied as ``control``, in place of the setup's.
        inputs: Of the law, where they are not varied.
        objective: ``rate(q, v, tau)`` over symbols, integrated along each run: ``cost``.
        integrator: The method.
        wrenches: Frame to external wrench, where it is not varied.
        every: Signals are recorded every so many steps.
        dtype: "float64" or "float32".
        threads: Of a call; all cores when not given.
    """

    machine: Mechanism | Setup
    steps: int
    step: float = 1e-3
    q0: ArrayLike | None = None
    v0: ArrayLike | None = None
    laws: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, ArrayLike] = field(default_factory=dict)
    objective: Callable[..., SX] | None = None
    integrator: FixedStep | None = None
    wrenches: Mapping[str, ArrayLike] = field(default_factory=dict)
    every: int = 1
    dtype: Literal["float64", "float32"] = "float64"
    threads: int | None = None

    def __post_init__(self) -> None:
        """Check types and sizes; nothing is compiled yet."""
        check_fields(self, but=("integrator",))
        if self.steps < 1 or not 1 <= self.every <= self.steps:
            raise InvalidInput(
                f"steps={self.steps}, every={self.every}; expected 1 <= every <= steps."
            )
        for name in ("q0", "v0"):
            given, size = getattr(self, name), self.layout.mechanism.nq
            size = size if name == "q0" else self.layout.mechanism.nv
            if given is not None and finite_numbers(name, given).shape != (size,):
                raise InvalidInput(f"{name} has shape {np.shape(given)}; expected ({size},).")
        _ = self._inputs

    @cached_property
    def setups(self) -> dict[str, Setup]:
        """The setup with each of the laws, by name; without laws, its own has the name ''."""
        own = setup_of(self.machine, wrenches=self.wrenches)
        return {name: replace(own, control=law) for name, law in self.laws.items()} or {"": own}

    @cached_property
    def layout(self) -> Layout:
        """Sizes and names of the first of the setups."""
        return Layout(next(iter(self.setups.values())))

    @cached_property
    def _input_sizes(self) -> dict[str, int]:
        return sizes_told(Layout(setup) for setup in self.setups.values())

    @cached_property
    def _inputs_of(self) -> dict[str, Inputs]:
        """Of each control: its gains are its own."""
        begin = self.q0, self.v0
        return {
            name: rollout_inputs(
                Layout(setup), self._input_sizes, begin, self.inputs, self.wrenches
            )
            for name, setup in self.setups.items()
        }

    @property
    def _inputs(self) -> Inputs:
        """Of the first control: what is the same for all."""
        return next(iter(self._inputs_of.values()))

    @cached_property
    def _signals(self) -> Signals:
        channels = {c.name: c for c in run_channels(self.layout.mechanism, self.layout)}
        kept = (
            "q",
            "v",
            "tau",
            *(quantity.name for quantity in self.layout.subsystems.quantities),
        )
        return Signals(
            self._inputs.owner,
            {name: channels[name] for name in kept},
            self.steps // self.every,
            np.dtype(self.dtype),
        )

    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """Check that it has what is varied, and a value for what is not."""
        numbers = dict(columns)
        control = numbers.pop("control", None) if self.laws else None
        if self.laws:
            if control is None and len(self.laws) > 1:
                raise InvalidInput(
                    f"laws= has {', '.join(self.laws)}; vary 'control' to choose one."
                )
            for label in control.labels if control else ():
                if label not in self.laws:
                    raise UnknownName("this rollout", "control", label, self.laws)
        elif "control" in numbers and "control" not in self._inputs.nominal:
            raise InvalidInput(
                "'control' is varied; give the laws by name: laws={'soft': ..., 'stiff': ...}."
            )
        check_forces(self.layout, numbers)
        for inputs in self._inputs_of.values():
            inputs.check(numbers)
        varied = {self._inputs.place(name).base for name in numbers}
        for name in self._input_sizes:
            if name not in varied and np.isnan(self._inputs.nominal[name]).any():
                raise InvalidInput(
                    f"the control needs '{name}': vary it, or give inputs={{'{name}': ...}}."
                )

    def default_keep(self) -> tuple[str, ...]:
        """End states, and the objective."""
        return ("q_end", "v_end", *((COST,) if self.objective is not None else ()))

    def variables(self, keep: Sequence[str]) -> dict[str, Variable]:
        """What is kept."""
        found = {}
        for name in keep:
            if name == COST and self.objective is not None:
                found[name] = Variable(dtype=np.dtype(self.dtype), about="the objective of a run")
            elif name == COST:
                raise InvalidInput("'cost' is kept, but the rollout has no objective=.")
            elif name == "tau_end":
                known = [other for other in self._signals.known() if other != name]
                raise UnknownName(self._inputs.owner, "result", name, known)
            else:
                found[name] = self._signals.variable(name)
        return found

    def axes(self, keep: Sequence[str]) -> dict[str, Axis]:
        """Return joints and recorded times."""
        time = self.step * self.every * np.arange(1, self.steps // self.every + 1)
        return self._signals.axes([name for name in keep if name != COST], time)

    def unit(self, name: str) -> str:
        """Of something that is varied."""
        if name == "control" and self.laws:
            return ""
        channels = self._signals.channels
        units = {"q0": channels["q"].unit, "v0": channels["v"].unit}
        units |= force_units(self.layout.mechanism)
        return self._inputs.unit(name, units)

    def loop(
        self, control: str, parameters: Sequence[str], record: Sequence[str]
    ) -> CompiledRollout:
        """The compiled loop for one of the controls; kept, and quick to make again elsewhere."""
        made: dict[Any, CompiledRollout] = self.__dict__.setdefault("_loops", {})
        threads = checked_threads(self.threads)  # an engine may leave a chunk fewer
        key = control, tuple(parameters), tuple(record), threads
        if key not in made:
            setup = self.setups[control]
            opened = tuple(dict.fromkeys((*setup.parameters, *parameters)))
            made[key] = CompiledRollout(
                replace(setup, parameters=opened),
                step=self.step,
                integrator=self.integrator,
                objective=self.objective,
                record=tuple(record),
                dtype=self.dtype,
                threads=threads,
            )
        return made[key]

    def __getstate__(self) -> dict[str, Any]:
        """The description alone: nothing compiled travels with it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def prepare(self, names: Sequence[str], keep: Sequence[str]) -> None:
        """Compile the loop of every control."""
        varied = [name for name in names if name != "control" or name in self._inputs.nominal]
        for control in self.setups:
            inputs = self._inputs_of[control]
            self.loop(control, inputs.parameters(varied), self._recorded(keep))

    def _recorded(self, keep: Sequence[str]) -> tuple[str, ...]:
        """Signals that are recorded for what is kept."""
        wanted = [self._signals.signal(name) for name in keep if name != COST]
        return tuple(dict.fromkeys(base for base, what in wanted if what != "end"))

    def chunk(
        self, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
    ) -> Chunk:
        """One compiled call, or one for every control that is among the cases."""
        if not self.laws:
            return self._rolled("", values, numbers, keep)
        rest = {name: array for name, array in values.items() if name != "control"}
        which = values.get("control", np.full(len(numbers), next(iter(self.laws))))
        results = {
            name: np.empty((len(numbers), *v.shape), v.dtype)
            for name, v in self.variables(keep).items()
        }
        failures: dict[int, str] = {}
        for control in dict.fromkeys(which.tolist()):
            rows = np.flatnonzero(which == control)
            some = {name: array[rows] for name, array in rest.items()}
            part = self._rolled(control, some, [numbers[row] for row in rows], keep)
            for name, array in part.results.items():
                results[name][rows] = array
            failures |= part.failures
        return Chunk(results, failures)

    def _rolled(
        self, control: str, values: Mapping[str, Array], numbers: Sequence[int], keep: Sequence[str]
    ) -> Chunk:
        inputs = self._inputs_of[control]
        given = inputs.batch(values, len(numbers))
        loop = self.loop(control, inputs.parameters(values), self._recorded(keep))
        done = loop(
            given.pop("q0", inputs.nominal["q0"]),
            given.pop("v0", inputs.nominal["v0"]),
            steps=self.steps,
            every=self.every,
            progress=False,  # the sweep has a bar of its own
            **_told(loop, inputs, given),
        )
        return chunk_of(done, numbers, self.variables(keep), self._signals)

    def alone(self, values: Mapping[str, Array], path: Path | None = None) -> Recording:
        """One case by itself, with all of its signals.

        Args:
            values: What is varied, shape (1, ...).
            path: An ``.mcap`` file to write while it runs.

        Raises:
            SimulationError: When it leaves finite numbers; with the recording so far.
        """
        rest = dict(values)
        several = self.laws and "control" in rest
        control = str(rest.pop("control")[0]) if several else next(iter(self.setups))
        inputs = self._inputs_of[control]
        given = {name: array[0] for name, array in inputs.batch(rest, 1).items()}
        values = dict(inputs.nominal) | given
        parameters = inputs.parameters(rest)
        m, setup = self.layout.mechanism, self.setups[control]
        setup = replace(setup, parameters=tuple(dict.fromkeys((*setup.parameters, *parameters))))
        return simulate(
            setup,
            values["q0"],
            values["v0"],
            duration=self.steps * self.step,
            step=self.step,
            integrator=self.integrator,
            every=self.every,
            wrenches={frame: values[f"{WRENCH}{frame}"] for frame in setup.wrenches},
            inputs={name: values[name] for name in Layout(setup).named_inputs},
            parameters={
                name: given[name] if name in given else inputs.value(name)
                for name in setup.parameters
            },
            states=_states(given),
            path=path,
            settings={"model": m.name},
        )

    def to_data(self) -> dict[str, Any]:
        """What a person wants to know of it."""
        m = self.layout.mechanism
        return {
            "kind": "rollout",
            "machine": m.name,
            "steps": self.steps,
            "step": self.step,
            "every": self.every,
            "dtype": self.dtype,
            "control": sorted(self.laws),
            "objective": self.objective is not None,
        }

    def identity(self) -> Any:
        """All fields but the number of threads, on which no bit depends."""
        return {k: v for k, v in self.__getstate__().items() if k != "threads"}


def _told(loop: CompiledRollout, inputs: Inputs, given: Mapping[str, Array]) -> dict[str, Any]:
    """Return inputs of a batch, varied or nominal, and states of subsystems."""
    known = {**inputs.nominal, **given}
    values: dict[str, Any] = {}
    for name in loop.inputs:
        own = name if name in known else name.replace("wrench_", WRENCH, 1)
        if name != loop.streamed:
            values[name] = known[own] if own in known else inputs.value(name)
    return {"inputs": values, "states": _states(given) or None}


def _states(given: Mapping[str, Array]) -> dict[str, Array]:
    return {k.removeprefix(STATE): v for k, v in given.items() if k.startswith(STATE)}
