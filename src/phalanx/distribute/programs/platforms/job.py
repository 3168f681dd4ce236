"""A run in plain numbers and names: what `launch` hands to the ranks that it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.errors import UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.distribute.programs.platforms.machine import Feedback
from phalanx.distribute.programs.platforms.methods import Method, Penalty, Projection, Recursive
from phalanx.distribute.programs.platforms.plan import Plan, mode_by_name, task_by_name
from phalanx.distribute.programs.platforms.reference import moving
from phalanx.mechanism import Mechanism
from phalanx.mechanism.read import load
from phalanx.simulation.extensions import usual_motor_motion

METHODS = ("penalty", "projection", "recursive")


@short_repr
@dataclass(frozen=True)
class Job:
    """What is to be run, in plain numbers and names.

    Attributes:
        model: A file, or a machine of the library.
        method: ``penalty``, ``projection`` or ``recursive``.
        mode: ``replicated``, ``frozen``, ``stages`` or ``blocks``.
        duration: [s].
        step: [s].
        way: How far each motor goes [rad or m]; when not given, the usual motion of the machine,
            where an extension knows one, and none otherwise.
        period: How long that takes [s]; as long as the run when not given.
        stiffness: Of the springs of the penalty method [N/m or N·m/rad].
        decay: Of open loops in the projection method [1/s].
        gains: Stiffness and damping of the motors' feedback.
        record: An ``.mcap`` file, or none.
        timeout: How long ranks wait for each other [s].
        task: ``forward``, ``displacement``, ``kinematics`` or ``inverse``.
        displacement: Whether the recursive method closes loops before each evaluation.
        points: Moments at a time in mode ``blocks``.
    """

    model: str
    method: str = "penalty"
    mode: str = "replicated"
    duration: float = 3.0
    step: float = 1e-3
    way: tuple[float, ...] | None = None
    period: float | None = None
    stiffness: float = 1e5
    decay: float = 10.0
    gains: tuple[float, float] = (2500.0, 100.0)
    record: str | None = None
    timeout: float = 10.0
    task: str = "forward"
    displacement: bool = False
    points: int = 4

    def plan(self, mechanism: Mechanism | None = None) -> Plan:
        """The run; the machine is found by its name unless it is given.

        Raises:
            UnknownName: There is no such machine or method.
            InvalidInput: Numbers do not fit.
            InvalidModel: The machine cannot be cut.
        """
        m = mechanism or self._mechanism()
        way, period = self.way, self.period or self.duration
        usual = usual_motor_motion(m.name) if way is None else None
        if usual:
            way, period = usual.way, self.period or usual.period
        plan = Plan(
            m,
            self._method(),
            mode_by_name(self.mode),
            self.duration,
            self.step,
            feedback=Feedback(*self.gains),
            task=task_by_name(self.task),
            points=self.points,
        )
        motion = moving(plan.machine, period, None if way is None else np.array(way))
        return replace(plan, motion=motion)

    def write(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Job:
        """Read what `write` wrote."""
        return cls.from_json(json.loads(path.read_text()))

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Job:
        """A job from its fields by name, as JSON has them: lists instead of tuples."""
        way = None if facts["way"] is None else tuple(facts["way"])
        return cls(**{**facts, "way": way, "gains": tuple(facts["gains"])})

    def _mechanism(self) -> Mechanism:
        return load(self.model)

    def _method(self) -> Method:
        match self.method:
            case "penalty":
                return Penalty(self.stiffness)
            case "projection":
                return Projection(self.decay)
            case "recursive":
                return Recursive(self.displacement)
            case _:
                raise UnknownName("phalanx cosimulate", "method", self.method, METHODS)
