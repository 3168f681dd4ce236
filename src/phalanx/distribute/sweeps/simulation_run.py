"""Sweep over scenarios, one simulation after the other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, PhalanxError, UnknownName
from phalanx.distribute.sweeps.cases import ColumnType
from phalanx.distribute.sweeps.chunk import Array, Axis, Chunk, Variable, nothing
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.distribute.sweeps.signals import STATISTICS, Signals
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.steps import whole_steps
from phalanx.simulation.scenario.reader import read_scenario, scenario_path, scenario_values
from phalanx.simulation.scenario.scenario import Scenario
from phalanx.simulation.setup.layout import Layout


@final
@dataclass(frozen=True, eq=False)
class Simulation(SweepRun):
    """Runs of a scenario, with whatever integrator, events and control it has.

    Can be varied: the values that stand in the file, by dotted key (``control.stiffness``,
    ``initial.q``, ``model``). Can be kept: of each signal of a recording the end (``q_end``), the
    way (``q``) and statistics over it (``energy.max``).

    Attributes:
        scenario: A ``.toml`` file, or the name of one that comes with the package. Workers read it
            themselves: it must be where they find it too.
    """

    is_one_by_one: ClassVar[bool] = True

    scenario: str | os.PathLike[str]

    def __post_init__(self) -> None:
        """Read it once, to see that it can be."""
        check_fields(self)
        if scenario_path(self.scenario).suffix == ".toml" and os.path.exists(self.scenario):
            object.__setattr__(self, "scenario", os.path.abspath(self.scenario))
        _ = self._signals

    def __getstate__(self) -> dict[str, Any]:
        """The file's name alone."""
        return {"scenario": self.scenario}

    @cached_property
    def _values(self) -> dict[str, Any]:
        return scenario_values(self.scenario)

    @cached_property
    def _read(self) -> Scenario:
        return read_scenario(self.scenario)

    @cached_property
    def _samples(self) -> int:
        scenario = self._read
        return -(-whole_steps(scenario.duration, scenario.step) // scenario.every) + 1

    @cached_property
    def _signals(self) -> Signals:
        scenario = self._read
        if scenario.joints is not None or scenario.bodies is not None:
            raise InvalidInput(
                f"scenario '{scenario.name}' records chosen joints or bodies; a sweep chooses "
                "itself what it keeps. Leave joints and bodies out."
            )
        channels = run_channels(scenario.mechanism, Layout(scenario.setup), scenario.rates)
        named = {channel.name: channel for channel in channels}
        owner = f"scenario '{scenario.name}'"
        return Signals(owner, named, self._samples, np.dtype(np.float64))

    def check(self, columns: Mapping[str, ColumnType]) -> None:
        """That the file has what is varied, of the same kind."""
        for name, column in columns.items():
            if name not in self._values:
                raise UnknownName(self._signals.owner, "value to vary", name, self._values)
            now = self._values[name]
            if isinstance(now, list) and any(isinstance(part, dict) for part in now):
                raise InvalidInput(f"'{name}' is a list of tables, which cannot be varied.")
            if isinstance(now, str) != bool(column.labels):
                kind = "words" if isinstance(now, str) else "numbers"
                raise InvalidInput(
                    f"'{name}' is {now!r} in the scenario; its cases must be {kind}."
                )
            if isinstance(now, list) and column.shape not in ((), (len(now),)):
                raise InvalidInput(
                    f"'{name}' has {len(now)} values in the scenario; the cases have shape "
                    f"{column.shape}."
                )

    def default_keep(self) -> tuple[str, ...]:
        """End states."""
        return ("q_end", "v_end")

    def variables(self, keep: Sequence[str]) -> dict[str, Variable]:
        """What is kept."""
        return {name: self._signals.variable(name) for name in keep}

    def axes(self, keep: Sequence[str]) -> dict[str, Axis]:
        """Return joints, labels of subsystems, and recorded times."""
        scenario = self._read
        steps = whole_steps(scenario.duration, scenario.step)
        times = np.append(np.arange(0, steps, scenario.every), steps)
        return self._signals.axes(keep, times * scenario.step)

    def chunk(
        self, values: Mapping[str, Array], numbers: range, seed: int, keep: Sequence[str]
    ) -> Chunk:
        """One case after the other; what is compiled is shared by those that are alike."""
        variables = self.variables(keep)
        results = dict(nothing(variables, dict.fromkeys(numbers, "")).results)
        failures: dict[int, str] = {}
        for row, number in enumerate(numbers):
            try:
                some = {name: array[row : row + 1] for name, array in values.items()}
                recording = self.alone(some)
                kept = {name: self._kept(recording, name, variables[name]) for name in keep}
            except PhalanxError as error:
                failures[number] = str(error)
            else:
                for name, value in kept.items():
                    results[name][row] = value
        return Chunk(results, failures)

    def alone(self, values: Mapping[str, Array], path: Path | None = None) -> Recording:
        """One case by itself, with all of its signals.

        Args:
            values: What is varied, shape (1, ...).
            path: An ``.mcap`` file to write while it runs.

        Raises:
            PhalanxError: When the scenario cannot be read with these values, or cannot go on.
        """
        changes = {name: np.asarray(value[0]).tolist() for name, value in values.items()}
        for name, value in changes.items():
            if isinstance(self._values[name], int) and float(value).is_integer():
                changes[name] = type(self._values[name])(value)
        scenario = read_scenario(self.scenario, changes=changes)
        return replace(scenario, record=path, report=None).run(progress=False)

    def _kept(self, recording: Recording, name: str, variable: Variable) -> Array:
        base, what = self._signals.signal(name)
        whole = np.asarray(recording[base])
        value = (
            whole if not what else whole[-1] if what == "end" else STATISTICS[what](whole[None])[0]
        )
        if value.shape != variable.shape:
            raise InvalidInput(
                f"'{name}' has shape {value.shape} in this case and {variable.shape} in the "
                "scenario as it stands; keep ends or statistics where duration, step, every or "
                "the model is varied."
            )
        return value

    def to_data(self) -> dict[str, Any]:
        """What a person wants to know of it."""
        return {
            "kind": "simulation",
            "scenario": self._read.name,
            "model": self._read.mechanism.name,
        }

    def identity(self) -> Any:
        """The file's values and the machine."""
        return self._values, self._read.mechanism
