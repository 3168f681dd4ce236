"""Figure 3 by operations, and by a machine model: latency of a message, time of an operation.

The paper takes the times of a workstation for its estimates (20) and (21). Here they are made of
counted operations, which every reader can check, and of a computer with a processor for each body
whose messages cost time. Both stand beside one processor that runs the serial recursion.

Policy of the model: bodies take a step of J-CG at the same time, and exchange one block of forces
with their neighbours. A sum over all goes up a binary tree and down again; a step has two of them.
Velocities of bodies are passed on from body to body, or each processor integrates that of its own
body, as the paper has it, and one exchange tells it that of the neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.work import SolutionCost, work_of
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.ready_made import (
    ethernet_cluster,
    multicore,
    transputer_mesh,
)
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.studies.sharf.parallel_time import OVERHEAD, REDUCTIONS, parallel_time
from phalanx.studies.sharf.scaling import SOLUTIONS, moving_chain, recursion_operations, scale

LINKS = (2, 5, 10, 20, 50, 100)
SUMS = (1, 3)  # numbers in each of the sums over all bodies that a step has, in two messages
_VELOCITY = 6  # numbers of a velocity


@final
@dataclass(frozen=True)
class ChainComputer:
    """A processor for each body, with wires between them.

    Attributes:
        name: For tables.
        operation: Time of one operation [s].
        latency: Time to set a message up [s].
        word: Time for each number in it [s].
    """

    name: str
    operation: float
    latency: float
    word: float = 0.0

    def __post_init__(self) -> None:
        """Check the times."""
        times = (self.operation, self.latency, self.word)
        if not all(0 <= t < math.inf for t in times) or not self.operation > 0:
            raise InvalidInput(
                f"'{self.name}' has times {times} of an operation, a message and a number in it; "
                "expected finite ones, and a positive time of an operation."
            )

    def message(self, words: int) -> float:
        """How long a message takes [s]."""
        return self.latency + words * self.word


def _mean(computer: Computer) -> float:
    """Mean time of an addition and a product on a ready-made computer [s]."""
    assert isinstance(computer.speed, Speed)
    return (computer.speed.add + computer.speed.multiply) / 2


def _ready_made() -> tuple[ChainComputer, ...]:
    """Computers of `multiprocessor`."""
    mesh, cores, cluster = transputer_mesh(1, 1), multicore(1), ethernet_cluster(1)
    return (
        ChainComputer("transputers", _mean(mesh), mesh.start_up, mesh.per_word),
        ChainComputer("cores", _mean(cores), cores.synchronization),
        ChainComputer("cluster", _mean(cluster), cluster.start_up, cluster.per_word),
    )


COMPUTERS = _ready_made()


@final
@dataclass(frozen=True)
class ParallelWork:
    """A solution by J-CG with a processor for each body, in operations.

    Attributes:
        links: Number of bodies.
        freedoms: Of each joint.
        iterations: That a solution takes, begun from a cubic, on average.
        cost: Operations of a solution.
        recursion: Operations of one by articulated bodies, on one processor.
    """

    links: int
    freedoms: int
    iterations: float
    cost: SolutionCost
    recursion: int

    @property
    def total(self) -> float:
        """T_CPU: on one processor."""
        return self.cost.of(self.iterations)

    @property
    def levels(self) -> int:
        """Levels of a binary tree over the bodies."""
        return math.ceil(math.log2(self.links))

    @property
    def serial(self) -> float:
        """T_serial: velocities from body to body, and additions up the tree of each sum."""
        return self.cost.serial + self.iterations * REDUCTIONS * self.levels

    @property
    def ideal(self) -> float:
        """By (20)."""
        return parallel_time(self.total, self.serial, self.links)

    @property
    def real(self) -> float:
        """By (21)."""
        return parallel_time(self.total, self.serial, self.links, OVERHEAD)

    @property
    def gain(self) -> float:
        """Operations of the recursion over those of (21): above 1, iterating in parallel wins."""
        return self.recursion / self.real

    def messages(self, *, passed: bool) -> float:
        """Messages that have to follow each other in a solution.

        Args:
            passed: Whether velocities are passed on from body to body; else they are integrated.
        """
        velocities = self.links - 1 if passed else min(1, self.links - 1)
        exchanged = min(1, self.links - 1)
        return velocities + self.iterations * (exchanged + 2 * len(SUMS) * self.levels)

    def seconds(self, computer: ChainComputer, *, passed: bool = True) -> float:
        """Time of a solution on a computer [s]; arguments as for :meth:`messages`."""
        serial = self.serial if passed else self.serial - self.cost.serial
        shared = (self.total - self.serial) / self.links
        own = 0.0 if passed else self.cost.serial / self.links
        sums = sum(2 * self.levels * computer.message(words) for words in SUMS)
        beside = min(1, self.links - 1)
        exchanged = beside * computer.message(6 - self.freedoms)
        velocities = (self.links - 1 if passed else beside) * computer.message(_VELOCITY)
        return (
            computer.operation * (shared + own + serial)
            + velocities
            + self.iterations * (exchanged + sums)
        )

    def alone(self, computer: ChainComputer) -> float:
        """Time of the recursion on one processor of a computer [s]."""
        return computer.operation * self.recursion

    def break_even(self, *, passed: bool = True) -> float:
        """Latency at which both take the same time, in operations; below 0 there is none."""
        free = ChainComputer("messages cost nothing", 1.0, 0.0)
        left = self.recursion - self.seconds(free, passed=passed)
        return left / self.messages(passed=passed)


def parallel_work(
    links: Sequence[int] = LINKS,
    freedoms: Sequence[int] = (1, 2),
    *,
    solutions: int = SOLUTIONS,
    progress: Callable[[str], None] | None = None,
) -> list[ParallelWork]:
    """Count solutions along the motion of chains of several lengths.

    Args:
        links: Numbers of bodies, two or more each.
        freedoms: Of each joint, 1 or 2.
        solutions: Moments of a motion, 10 ms apart.
        progress: Told what is about to be counted.
    """
    report = progress or (lambda what: None)
    found = []
    for kind in freedoms:
        for count in sorted(set(links)):
            report(f"{count} bodies with joints of {kind}, by operations")
            motion = moving_chain(count, kind, solutions)
            bodies = bodies_of(motion.mechanism)
            cost = work_of(jointed_bodies(bodies))
            iterations = scale(motion, kind).iterations
            found.append(ParallelWork(count, kind, iterations, cost, recursion_operations(bodies)))
    return found


def crossover(rows: Sequence[ParallelWork], gain: Callable[[ParallelWork], float]) -> float | None:
    """Number of bodies from which a gain is above 1, for rows of one kind of joint.

    Between two lengths by a line through the logarithms; None where the longest has not come
    there. The first length is the answer where all are above.

    Args:
        rows: In the order of their lengths.
        gain: Of a row.
    """
    below = [k for k, row in enumerate(rows) if not gain(row) > 1]
    if not below:
        return float(rows[0].links)
    k = below[-1]
    if k + 1 == len(rows):
        return None
    (x0, y0), (x1, y1) = (
        (math.log(row.links), math.log(gain(row))) for row in (rows[k], rows[k + 1])
    )
    return math.exp(x0 - y0 * (x1 - x0) / (y1 - y0))
