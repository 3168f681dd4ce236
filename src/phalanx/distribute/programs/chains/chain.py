"""A chain divided into segments: its machine code, compiled once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.distribute.programs.chains.segments import ChainSegment
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, jointed_bodies
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class ChainModel:
    """A chain of bodies.

    Attributes:
        mechanism: The machine.
        jointed: Its bodies, each on a joint.
    """

    mechanism: Mechanism
    jointed: JointedBodies

    def __len__(self) -> int:
        """How many bodies it has."""
        return len(self.jointed)

    @cached_property
    def equations(self) -> ConstraintEquations:
        """Compiled when first asked for."""
        return ConstraintEquations(self.jointed)

    @cached_property
    def q_begins(self) -> NDArray[np.intp]:
        """Where the positions of each body's joint begin, and where the last end."""
        return np.append(self.jointed.bodies.q[self.jointed.first_node], self.mechanism.nq)

    @cached_property
    def v_begins(self) -> NDArray[np.intp]:
        """Where the velocities of each body's joint begin, and where the last end."""
        return np.append(self.jointed.bodies.v[self.jointed.first_node], self.mechanism.nv)

    def cut(
        self, segment: ChainSegment, q: Array, v: Array, tau: Array
    ) -> tuple[Array, Array, Array]:
        """Return positions, velocities and joint forces of a segment, out of those of the chain."""
        at = slice(self.q_begins[segment.first], self.q_begins[segment.stop])
        own = slice(self.v_begins[segment.first], self.v_begins[segment.stop])
        return q[at], v[own], tau[own]

    def body_of_freedom(self, freedom: int) -> str:
        """Return the name of the body whose joint has a velocity."""
        return _body(self.jointed, int(np.searchsorted(self.v_begins, freedom, side="right")) - 1)

    def body_of_position(self, position: int) -> str:
        """Return the name of the body whose joint has a position."""
        return _body(self.jointed, int(np.searchsorted(self.q_begins, position, side="right")) - 1)


@lru_cache(maxsize=16)
def chain_of(mechanism: Mechanism) -> ChainModel:
    """Return a machine as a chain.

    Raises:
        InvalidModel: It has loops or branches, or a body without mass.
    """
    jointed = jointed_bodies(bodies_of(mechanism))
    parent = jointed.structure.parent
    forked = np.flatnonzero(parent != np.arange(-1, len(jointed) - 1))
    if len(forked):
        at = int(parent[forked[0]])
        where = f"at body '{_body(jointed, at)}'" if at >= 0 else "at its root"
        raise InvalidModel(
            f"mechanism '{mechanism.name}' branches {where}; only a chain can be divided into "
            "segments of consecutive bodies."
        )
    return ChainModel(mechanism, jointed)


def _body(jointed: JointedBodies, at: int) -> str:
    bodies = jointed.bodies
    return bodies.mechanism.joints[bodies.joint[jointed.node[at]]].child
