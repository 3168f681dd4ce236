"""Learning tasks for excavators: goals and rewards.

A task judges many machines at once and knows nothing of learning. Rewards for being on the way are
differences of a potential, so that going in circles earns nothing (Ng, Harada and Russell, Policy
invariance under reward transformations, 1999).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import radians
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """Quantities of each machine that a task judges.

    Attributes:
        tip: Where the teeth are [m], shape (machines, 3).
        load: Share of a heaped bucket that is in, shape (machines,).
    """

    tip: Array
    load: Array


class ExcavatorTask(ABC):
    """Learning task: goals, rewards, and when it is done."""

    duration: float  # of an episode [s]
    effort: float  # cost of a step with all sticks at their ends

    @property
    @abstractmethod
    def digs(self) -> bool:
        """Whether it needs ground."""

    @property
    @abstractmethod
    def enough(self) -> float:
        """What must be achieved for it to be done."""

    @abstractmethod
    def goals(self, rng: np.random.Generator, count: int) -> Array:
        """Places to go to [m], drawn at random, shape (count, 3)."""

    @abstractmethod
    def judge(self, before: Seen, after: Seen, goals: Array) -> tuple[Array, Array]:
        """Reward of a step without its effort, and what it achieved, shape (machines,) each."""

    def rewards(
        self, before: Seen, after: Seen, goals: Array, sticks: Array
    ) -> tuple[Array, Array]:
        """Reward of a step, and what it achieved, shape (machines,) each."""
        reward, achieved = self.judge(before, after, goals)
        return reward - self.effort * np.mean(sticks**2, axis=-1), achieved


@final
@dataclass(frozen=True)
class ReachPoint(ExcavatorTask):
    """Bring the teeth to a point.

    Reward: metres by which they came nearer, and 1 for being there, which ends the episode.

    Attributes:
        tolerance: How near is there [m].
        swing: Goals are up to this angle to either side [rad].
        radius: Least and greatest distance of goals from the swing's axis [m].
        height: Least and greatest height of goals [m].
        duration: Of an episode [s].
        effort: Cost of a step with all sticks at their ends.
    """

    tolerance: float = 0.4
    swing: float = radians(60.0)
    radius: tuple[float, float] = (5.0, 7.0)
    height: tuple[float, float] = (0.0, 2.0)
    duration: float = 15.0
    effort: float = 0.01

    def __post_init__(self) -> None:
        _check_ranges(self.radius, self.height)
        _check_positive(tolerance=self.tolerance, duration=self.duration)

    @property
    def digs(self) -> bool:
        return False

    @property
    def enough(self) -> float:
        return 1.0

    def goals(self, rng: np.random.Generator, count: int) -> Array:
        angle = rng.uniform(-self.swing, self.swing, count)
        return _around(angle, rng.uniform(*self.radius, count), rng.uniform(*self.height, count))

    def judge(self, before: Seen, after: Seen, goals: Array) -> tuple[Array, Array]:
        far, near = (np.linalg.norm(seen.tip - goals, axis=-1) for seen in (before, after))
        there = (near < self.tolerance).astype(np.float64)
        return far - near + there, there


@final
@dataclass(frozen=True)
class DigAndDump(ExcavatorTask):
    """Fill the bucket and empty it over a place beside the machine.

    Reward: 10 for a heaped bucket that falls within the zone, -1 for one that falls elsewhere, by
    the share that fell; and the increase of load · (2 - distance / 10 m), where distance is that
    of the teeth from the zone's middle, seen from above. What falls is the loss of load over a
    step, so soil that runs out while more comes in does not count.

    Attributes:
        share: Of a heaped bucket, which is to be dumped; the episode ends when it is.
        zone: Radius of the place [m].
        swing: Least and greatest angle of the place to either side [rad].
        radius: Least and greatest distance of the place from the swing's axis [m].
        surface: Height of its middle [m].
        duration: Of an episode [s].
        effort: Cost of a step with all sticks at their ends.
    """

    share: float = 0.3
    zone: float = 1.5
    swing: tuple[float, float] = (radians(60.0), radians(110.0))
    radius: tuple[float, float] = (5.5, 7.0)
    surface: float = -0.93
    duration: float = 30.0
    effort: float = 0.01

    def __post_init__(self) -> None:
        _check_ranges(self.swing, self.radius)
        _check_positive(share=self.share, zone=self.zone, duration=self.duration)

    @property
    def digs(self) -> bool:
        return True

    @property
    def enough(self) -> float:
        return self.share

    def goals(self, rng: np.random.Generator, count: int) -> Array:
        angle = rng.uniform(*self.swing, count) * rng.choice([-1.0, 1.0], count)
        return _around(angle, rng.uniform(*self.radius, count), np.full(count, self.surface))

    def judge(self, before: Seen, after: Seen, goals: Array) -> tuple[Array, Array]:
        fallen = np.maximum(before.load - after.load, 0)
        inside = np.linalg.norm((after.tip - goals)[:, :2], axis=-1) < self.zone
        delivered, spilt = np.where(inside, fallen, 0.0), np.where(inside, 0.0, fallen)
        on_the_way = self._potential(after, goals) - self._potential(before, goals)
        return 10 * delivered - spilt + on_the_way, delivered

    def _potential(self, seen: Seen, goals: Array) -> Array:
        distance = np.linalg.norm((seen.tip - goals)[:, :2], axis=-1)
        return np.asarray(seen.load * (2 - distance / 10))


def _around(angle: Array, radius: Array, height: Array) -> Array:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1)


def _check_ranges(*ranges: tuple[float, float]) -> None:
    for low, high in ranges:
        if not -np.inf < low <= high < np.inf:
            raise InvalidInput(f"a task draws between {low} and {high}; expected low and high.")


def _check_positive(**numbers: float) -> None:
    for name, value in numbers.items():
        if not 0 < value < np.inf:
            raise InvalidInput(f"{name}={value}; expected a positive number.")
