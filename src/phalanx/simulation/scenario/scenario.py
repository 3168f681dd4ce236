"""Scenario: a setup with initial state, duration, integrator and recording options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators.subsystem import Actuation, Surroundings
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import Integrator
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.simulate import simulate
from phalanx.simulation.setup.events import Event
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Scenario:
    """A machine and everything its run is made of; see :func:`simulate` for the meaning.

    Attributes:
        name: What to call it.
        mechanism: The machine.
        duration: [s].
        description: What it shows.
        settings: Facts kept with the recording: the model's name as the file has it.
        record: File to record into; none when None.
        report: Folder for a report; none when None.
    """

    name: str
    mechanism: Mechanism
    duration: float = 10.0
    step: float = 1e-3
    description: str = ""
    integrator: Integrator | None = None
    q0: Array | None = None
    v0: Array | None = None
    control: Any = None
    forces: Sequence[JointForce] = DEFAULT_FORCES
    wrenches: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Event] = ()
    actuation: Actuation | None = None
    surroundings: Surroundings | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    states: Mapping[str, Array] = field(default_factory=dict)
    every: int = 1
    rates: bool = False
    joints: Sequence[str] | None = None
    bodies: Sequence[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    record: Path | None = None
    report: Path | None = None

    @property
    def setup(self) -> Setup:
        """The machine with everything that acts on it."""
        return Setup(
            self.mechanism,
            self.forces,
            self.control,
            self.actuation,
            self.surroundings,
            wrenches=tuple(self.wrenches),
        )

    def run(self, progress: bool | None = None) -> Recording:
        """Simulate it as fast as it goes."""
        return simulate(
            **self._options(), joints=self.joints, bodies=self.bodies, progress=progress
        )

    def live(self, **options: Any) -> LiveRun:
        """The same in real time; ``options`` are further ones of :class:`LiveRun`.

        Raises:
            InvalidInput: When joints or bodies are chosen: all joints are recorded then.
        """
        if self.joints is not None or self.bodies is not None:
            raise InvalidInput(
                f"scenario '{self.name}' records chosen joints or bodies; a run in real time "
                "records all joints. Leave joints= and bodies= out, or do not run it in real time."
            )
        return LiveRun(**self._options(), record=True, **options)

    def _options(self) -> dict[str, Any]:
        return {
            "mechanism": self.setup,
            "q0": self.q0,
            "v0": self.v0,
            "duration": self.duration,
            "step": self.step,
            "integrator": self.integrator,
            "wrenches": self.wrenches,
            "events": self.events,
            "inputs": self.inputs,
            "states": self.states,
            "every": self.every,
            "rates": self.rates,
            "path": self.record,
            "settings": self._facts(),
        }

    def _facts(self) -> dict[str, Any]:
        """What its recording says of it."""
        about = {"description": self.description} if self.description else {}
        return {"scenario": self.name, **about, **self.settings}
