"""A platform on legs: which process has which branch, how many numbers it integrates and sends."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.distribute.programs.platforms.branches import Branch
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.equations.loops.legs.platform import platform_of
from phalanx.mechanism.loads import refuse_loads


@dataclass(frozen=True)
class Legs:
    """A platform on legs.

    Attributes:
        machine: The machine.
    """

    machine: DividedMachine

    def __post_init__(self) -> None:
        """Check that the machine is a platform on legs, and that each knows all of its loads.

        Raises:
            UnsupportedLoad: A spring between frames, since a leg does not know where others are; a
                fluid.
        """
        refuse_loads(self.machine.mechanism, "distribute.PlatformJob, recursive by legs")
        assert len(self.names) == len(self.machine.motors)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the legs, by the loops that they close."""
        q = SX.sym("q", self.machine.mechanism.nq)
        return tuple(leg.name for leg in platform_of(self.machine.model, q).legs)

    @cached_property
    def platform(self) -> Branch:
        """The branch that is the platform: the one that every loop holds."""
        most = max(self.machine.branches, key=lambda part: len(part.loops))
        assert len(most.loops) == len(self.names)
        return most

    def branch(self, leg: int) -> Branch:
        """Return the branch that is a leg."""
        loop = self.names[leg]
        return next(p for p in self.machine.branches if loop in p.loops and p is not self.platform)

    @property
    def dimension(self) -> int:
        """Numbers of a twist of the platform: 3 in a plane, 6 in space."""
        return len(self.platform.v)

    def size(self, leg: int) -> int:
        """Return how many numbers a leg integrates: positions, motor rate, the platform's pose."""
        return len(self.branch(leg).q) + 1 + len(self.platform.q)

    def reported(self, leg: int) -> int:
        """Return how many of them it reports to the record; the first leg has the platform's."""
        return self.size(leg) - (0 if leg == 0 else len(self.platform.q))
