"""A run of a chain on several nodes, before it starts: the same for every node."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.version import __version__
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.chains.chain import Chain, chain_of
from phalanx.distribute.programs.chains.forward import Solving, checked_state
from phalanx.distribute.programs.chains.segments import Segment, shared_out
from phalanx.dynamics.evaluators.warm_starts import CUBIC, Polynomial
from phalanx.mechanism import Mechanism
from phalanx.mechanism.loads import refuse_loads
from phalanx.simulation.run.steps import whole_steps


class Stepping(StrEnum):
    """How nodes take a step."""

    RUNGE_KUTTA = "runge-kutta"  # of order 4: four evaluations
    SEMI_IMPLICIT = "semi-implicit"  # of order 1: velocities first, then positions; one evaluation


@final
@dataclass(frozen=True, eq=False)
class ChainPlan:
    """A run of a chain, before it starts.

    Attributes:
        mechanism: The chain. Joints have their own damping, springs and dry friction.
        nodes: How many segments it is shared out to, each a node's.
        solving: How constraint forces are found.
        duration: [s].
        step: [s]; one length for all nodes.
        stepping: How a step is taken.
        start: Where an iteration begins: the polynomial through the forces before; None: at zero.
        every: Every so many steps a row is recorded.
        q: Positions at first, shape (nq,); neutral when not given.
        v: Velocities at first, shape (nv,); zero when not given.
        tau: Joint forces, constant, shape (nv,); none when not given.
    """

    mechanism: Mechanism
    nodes: int
    solving: Solving = field(default_factory=Solving)
    duration: float = 1.0
    step: float = 1e-3
    stepping: Stepping = Stepping.RUNGE_KUTTA
    start: Polynomial | None = CUBIC
    every: int = 1
    q: Array | None = None
    v: Array | None = None
    tau: Array | None = None

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return whole_steps(self.duration, self.step)

    @cached_property
    def chain(self) -> Chain:
        """The chain; its code is made when first needed."""
        return chain_of(self.mechanism)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """What each node has."""
        return shared_out(len(self.chain), self.nodes)

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        """Positions and velocities at first, and joint forces."""
        m = self.mechanism
        q = m.neutral() if self.q is None else self.q
        v, tau = (np.zeros(m.nv) if x is None else x for x in (self.v, self.tau))
        return checked_state(self.chain, q, v, tau)

    def check(self) -> None:
        """All checks that need no compiler.

        Raises:
            InvalidModel: The machine is no chain.
            UnsupportedLoad: It has a spring between frames, or a fluid.
            InvalidInput: Numbers do not fit together.
        """
        refuse_loads(self.mechanism, "distribute.chains.cosimulate")
        _ = self.segments, self.state, self.steps, self.solving.three_term
        if self.every < 1 or self.steps % self.every:
            raise InvalidInput(
                f"every={self.every}; expected a divisor of the {self.steps} steps, so that the "
                "last one is recorded."
            )

    def check_ranks(self, size: int) -> None:
        """InvalidInput unless every node has a rank."""
        if size != self.nodes:
            raise InvalidInput(
                f"a chain on {self.nodes} nodes needs as many ranks; got {size}. Start "
                f"{self.nodes} ranks."
            )

    def facts(self, *, on_ranks: bool) -> dict[str, Any]:
        """What a recording says of the run."""
        return {
            "model": self.mechanism.name,
            "method": self.solving.iteration.name,
            "stopping": repr(self.solving.stopping),
            "stepping": str(self.stepping),
            "start": "zero" if self.start is None else f"polynomial of order {self.start.order}",
            "step": self.step,
            "duration": self.duration,
            "segments": [len(segment) for segment in self.segments],
            "ranks": self.nodes if on_ranks else 0,
            "phalanx": __version__,
        }
