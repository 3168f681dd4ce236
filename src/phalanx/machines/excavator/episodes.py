"""Batched episodes of excavators for learning: actions in, observations and rewards out.

The machines move in one compiled call a step. Each has its own clock, so that some can begin anew
while others go on. Nothing here needs a library for learning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.hydraulics.circuit import Hydraulics
from phalanx.actuators.hydraulics.rotary import RotaryHydraulics
from phalanx.actuators.subsystem import Actuation
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.ground import Ground
from phalanx.machines.excavator.control import JOINTS
from phalanx.machines.excavator.excavator import (
    Excavator,
    Mode,
    cylinder_excavator,
    mode_number,
)
from phalanx.machines.excavator.tasks import ExcavatorTask, Seen
from phalanx.mechanism.library.cat215b_cylinders import cat215b_posture
from phalanx.simulation.run.steps import whole_steps

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TEETH, SOIL = "teeth", "soil_load"
POSTURES = 64  # in which machines may begin
SPREAD = (0.3, 0.1, 0.2, 0.2)  # of these about the machine's own [rad]
LEAD = 0.15  # [rad] that counts as 1 where a joint is behind what control wants
DISTANCE = 5.0  # [m] that count as 1
FARTHEST = 10.0  # what is seen is cut off there
RUNAWAY = 50.0  # [rad/s]; no joint of an excavator turns that fast
LOST = -10.0  # reward for a machine whose simulation failed


@final
@dataclass(frozen=True, eq=False)
class EpisodeStep:
    """Result of a step, a row a machine.

    Attributes:
        reward: Shape (machines,).
        done: Whether the task is done.
        lost: Whether the simulation failed; such machines stand where they last were.
        late: Whether the episode's time is over.
    """

    reward: Array
    done: Mask
    lost: Mask
    late: Mask


@final
class Episodes:
    """Machines at a task."""

    def __init__(
        self,
        task: ExcavatorTask,
        machines: int = 1,
        *,
        excavator: Excavator | None = None,
        mode: Mode = "JOINT",
        period: float = 0.1,
        threads: int | None = None,
    ) -> None:
        """Compile the loop.

        Args:
            task: What is to be done.
            machines: How many.
            excavator: The machine; one with cylinders, and on loam if the task is to dig, when not
                given.
            mode: What sticks mean.
            period: For which sticks are held [s]; a whole number of the machine's steps.
            threads: All processors when not given.

        Raises:
            InvalidInput: When a number is not usable, or a task to dig finds no ground.
        """
        if int(machines) != machines or machines < 1:
            raise InvalidInput(f"machines={machines}; expected a whole number of at least 1.")
        if excavator is None:
            excavator = cylinder_excavator(ground=Ground() if task.digs else None)
        if task.digs and not excavator.ground:
            raise InvalidInput(f"{type(task).__name__} digs; give an excavator with a Ground.")
        self.task, self.excavator, self.count = task, excavator, int(machines)
        self.mode, self.period = mode, period
        self._mode = mode_number(mode)
        self._steps = whole_steps(period, excavator.step)
        self._loop = excavator.rollouts(record=(), threads=threads)
        self._kinematics = Dynamics(excavator.mechanism, threads=threads)
        mechanism = excavator.mechanism
        self._joints = [mechanism.q_slices[name].start for name in JOINTS]
        self._rates = [mechanism.v_slices[name].start for name in JOINTS]
        self._pressures = _pressure_scales(excavator.actuation)
        self._pool_q = _postures(excavator)
        pool = self._loop.layout.subsystems.initial(self._pool_q)
        self._pool = self._loop.layout.subsystems.split(pool)
        self.time = np.zeros(self.count)
        self.achieved = np.zeros(self.count)
        self.goals = np.zeros((self.count, 3))
        self.q = self._pool_q[np.zeros(self.count, dtype=int)]
        self.v = np.zeros((self.count, mechanism.nv))
        self._states: dict[str, Array] = {
            name: np.repeat(values[:1], self.count, axis=0) for name, values in self._pool.items()
        }

    def begin(self, which: Mask, rng: np.random.Generator) -> None:
        """Put some machines back to a begin: at rest, in a posture and with a goal at random.

        Args:
            which: Those machines, shape (machines,).
            rng: Where chance comes from.
        """
        some = int(np.count_nonzero(which))
        drawn = rng.integers(len(self._pool_q), size=some)
        self.goals[which] = self.task.goals(rng, some)
        self.q[which], self.v[which] = self._pool_q[drawn], 0.0
        for name, values in self._states.items():
            values[which] = self._pool[name][drawn]
        self.time[which], self.achieved[which] = 0.0, 0.0

    def step(self, sticks: ArrayLike) -> EpisodeStep:
        """Hold the sticks for a period.

        Args:
            sticks: Deflections, shape (machines, 4); what lies beyond -1 and 1 is taken for these.

        Raises:
            InvalidInput: When they have another shape or are not finite.
        """
        given = np.asarray(sticks, dtype=np.float64)
        if given.shape != (self.count, 4) or not np.isfinite(given).all():
            raise InvalidInput(
                f"sticks have shape {given.shape}; expected ({self.count}, 4) finite numbers."
            )
        held = np.clip(given, -1.0, 1.0)
        before = self.seen()
        result = self._loop(
            self.q,
            self.v,
            steps=self._steps,
            inputs={"operator": self.excavator.commands(held, self.mode), "mode": self._mode},
            states=self._states,
            start=self.time,
        )
        good = ~result.diverged & (np.abs(result.final_v) < RUNAWAY).all(axis=-1)
        self.q[good], self.v[good] = result.final_q[good], result.final_v[good]
        for name, values in self._states.items():
            values[good] = result.final_states[name][good]
        self.time += self.period
        reward, achieved = self.task.rewards(before, self.seen(), self.goals, held)
        self.achieved += np.where(good, achieved, 0.0)
        return EpisodeStep(
            reward=np.where(good, reward, LOST),
            done=good & (self.achieved >= self.task.enough),
            lost=~good,
            late=self.time >= self.task.duration - self.period / 2,
        )

    def seen(self) -> Seen:
        """What the task judges."""
        tip = np.asarray(self._kinematics.forward_kinematics(self.q, frame=TEETH))[:, :3, 3]
        return Seen(tip, self._load())

    def observation(self) -> NDArray[np.float32]:
        """What a driver sees, shape (machines, :attr:`width`), cut off at ±10.

        Cosine and sine of the swing; angles of boom, stick and bucket over π; rates of the four
        over those at full deflection; how far each is behind what control wants, over 0.15 rad;
        pressures over the supply's; share of a heaped bucket; the way from the teeth to the goal,
        outwards, sideways and up from the cab, over 5 m.
        """
        angles, rates = self.q[:, self._joints], self.v[:, self._rates]
        swing = angles[:, 0]
        way = self.goals - self.seen().tip
        parts = [
            np.cos(swing)[:, None],
            np.sin(swing)[:, None],
            angles[:, 1:] / np.pi,
            rates / np.array(self.excavator.joint_rates),
            (self._states["desired"] - angles) / LEAD,
            *(self._states[name] / scale for name, scale in self._pressures.items()),
            self._load()[:, None],
            (way[:, 0] * np.cos(swing) + way[:, 1] * np.sin(swing))[:, None] / DISTANCE,
            (way[:, 1] * np.cos(swing) - way[:, 0] * np.sin(swing))[:, None] / DISTANCE,
            way[:, 2:] / DISTANCE,
        ]
        return np.clip(np.concatenate(parts, axis=1), -FARTHEST, FARTHEST).astype(np.float32)

    @property
    def width(self) -> int:
        """How many numbers a driver sees."""
        return 17 + sum(self._states[name].shape[-1] for name in self._pressures)

    def _load(self) -> Array:
        """Share of a heaped bucket, shape (machines,)."""
        ground = self.excavator.ground
        if ground is None:
            return np.zeros(self.count)
        return np.asarray(self._states[SOIL][:, 0] / ground.full_load)


def _postures(excavator: Excavator) -> Array:
    """Postures to begin in, always the same, shape (POSTURES, nq)."""
    rng = np.random.default_rng(0)
    about = np.array(excavator.posture) + rng.uniform(-1, 1, (POSTURES, 4)) * np.array(SPREAD)
    return np.stack([cat215b_posture(excavator.mechanism, *angles) for angles in about])


def _pressure_scales(actuation: Actuation) -> Mapping[str, Array]:
    """Quantities of the actuation that are pressures, and what they count in."""
    match actuation:
        case Hydraulics():
            return {"pressure": np.array(actuation.pump.pressure)}
        case RotaryHydraulics():
            supplies = np.array([motor.supply for motor in actuation.actuators.values()])
            return {"pressure_in": supplies, "pressure_out": supplies}
    return {}
