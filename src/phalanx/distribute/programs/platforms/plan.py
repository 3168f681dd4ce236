"""A run on several nodes, before it starts: what is to be done, the same for every node."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.base.version import __version__
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import Feedback, Machine
from phalanx.distribute.programs.platforms.methods import Method, Penalty, Recursive
from phalanx.distribute.programs.platforms.programs import Mode
from phalanx.distribute.programs.platforms.reference import moving
from phalanx.distribute.programs.platforms.state import state_of
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory
from phalanx.simulation.formulations import SlidingBlock
from phalanx.simulation.run.steps import whole_steps


class Task(StrEnum):
    """What is computed along a motion of the motors; each has all that those before it have."""

    FORWARD = "forward"  # how the machine moves under their torques
    DISPLACEMENT = "displacement"  # postures
    KINEMATICS = "kinematics"  # and velocities and accelerations of all joints
    INVERSE = "inverse"  # and torques of the motors


@short_repr
@dataclass(frozen=True)
class Plan:
    """A run, before it starts.

    Attributes:
        mechanism: A machine with loops.
        method: How the equations are cut: `Penalty`, `Projection`, `Recursive`.
        mode: How nodes share a step.
        duration: [s].
        step: [s]; one length, so that no node waits for another's error control.
        motion: What the motors are to follow, from the neutral posture; that posture when not
            given.
        feedback: What the motors do when they are elsewhere.
        task: What is computed; all but forward dynamics by legs that ask a centre.
        points: How many moments are computed at a time, each by a node; for mode ``blocks``.
    """

    mechanism: Mechanism
    method: Method
    mode: Mode
    duration: float = 3.0
    step: float = 1e-3
    motion: Trajectory | None = None
    feedback: Feedback = field(default_factory=Feedback)
    task: Task = Task.FORWARD
    points: int = 4

    @property
    def is_central(self) -> bool:
        """Whether legs ask a centre inside every evaluation."""
        return isinstance(self.method, Recursive) and self.mode is Mode.STAGES

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return whole_steps(self.duration, self.step)

    @property
    def followed(self) -> Trajectory:
        """What the motors are to follow."""
        return self.motion or moving(self.machine, self.duration)

    @property
    def block(self) -> SlidingBlock:
        """Moments that are computed at a time."""
        return SlidingBlock(self.step, self.points)

    @cached_property
    def machine(self) -> Machine:
        """The machine with its parts; all checks that need no compiler.

        Raises:
            InvalidModel: The machine cannot be cut.
            InvalidInput: Method, mode, task and times do not fit together.
        """
        if not isinstance(self.step, int | float):
            raise InvalidInput(
                f"step={self.step!r}; nodes take steps of one length, a number [s]: with error "
                "control they would wait without a bound for each other's rejected steps. "
                "Adaptive steps are for one processor (simulate.formulations.run)."
            )
        whole_steps(self.duration, self.step)
        if isinstance(self.method, Recursive) and self.mode is Mode.FROZEN:
            raise InvalidInput(
                "the recursive method asks the other legs inside every evaluation and cannot hold "
                "them still for a step: take mode 'stages', or 'replicated'."
            )
        if self.method == Recursive(displacement=True) and self.mode is not Mode.STAGES:
            raise InvalidInput(
                f"displacement analysis is between legs and a centre, and mode '{self.mode}' has "
                "none: take mode 'stages'."
            )
        if self.task is not Task.FORWARD and not self.is_central:
            raise InvalidInput(
                f"the task '{self.task}' is done by legs that ask a centre: take method "
                f"'recursive' and mode 'stages', not '{self.method.name}' and '{self.mode}'."
            )
        if self.mode is Mode.BLOCKS:
            _ = self.block
        return state_of(self.mechanism, self.feedback, self.method).machine

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """What each node of the run is."""
        if self.is_central:
            legs = Legs(self.machine)
            return ("centre", *(legs.part(leg).name for leg in range(len(legs.names))))
        parts = tuple(part.name for part in self.machine.parts)
        if self.mode is Mode.BLOCKS:
            return tuple(f"moment {k + 1}" for k in range(self.points))
        return parts

    def check_ranks(self, size: int) -> None:
        """InvalidInput unless every node has a rank."""
        if size != len(self.nodes):
            raise InvalidInput(
                f"'{self.mechanism.name}' has {len(self.nodes)} nodes ({', '.join(self.nodes)}), "
                f"each of which needs a rank of its own; got {size}. Start {len(self.nodes)} ranks."
            )

    def facts(self, *, on_ranks: bool) -> dict[str, Any]:
        """What a recording says of the run."""
        return {
            "model": self.mechanism.name,
            "task": str(self.task),
            "method": repr(self.method),
            "mode": str(self.mode),
            "step": self.step,
            "duration": self.duration,
            "nodes": list(self.nodes),
            "ranks": len(self.nodes) if on_ranks else 0,
            "phalanx": __version__,
        }


def planned(
    mechanism: Mechanism,
    *,
    method: Method | None = None,
    mode: Mode | str | None = None,
    duration: float = 3.0,
    step: float = 1e-3,
    motion: Trajectory | None = None,
    feedback: Feedback | None = None,
    task: Task | str = Task.FORWARD,
    points: int = 4,
) -> Plan:
    """A run of a machine, with what is usual for its task where nothing is said.

    Raises:
        InvalidInput: There is no such task or mode.
    """
    task = task_by_name(task)
    usual = (Penalty(), Mode.REPLICATED) if task is Task.FORWARD else (Recursive(), Mode.STAGES)
    return Plan(
        mechanism,
        method or usual[0],
        usual[1] if mode is None else mode_by_name(mode),
        duration,
        step,
        motion,
        feedback or Feedback(),
        task,
        points,
    )


def mode_by_name(mode: Mode | str) -> Mode:
    """A mode, or InvalidInput with those there are."""
    try:
        return Mode(mode)
    except ValueError:
        raise InvalidInput(f"mode is '{mode}'; expected one of {', '.join(Mode)}.") from None


def task_by_name(task: Task | str) -> Task:
    """A task, or InvalidInput with those there are."""
    try:
        return Task(task)
    except ValueError:
        raise InvalidInput(f"task is '{task}'; expected one of {', '.join(Task)}.") from None
