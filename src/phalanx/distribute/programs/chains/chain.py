"""A chain or tree divided into segments: its machine code, compiled once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.distribute.programs.chains.segments import Joints, Segment, segments_of
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, jointed_bodies
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class ChainModel:
    """A chain or tree of bodies.

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

    def positions_of(self, joints: Joints) -> NDArray[np.intp]:
        """Where the positions of some joints are among those of the machine, joint after joint."""
        return _spans(self.q_begins, joints)

    def velocities_of(self, joints: Joints) -> NDArray[np.intp]:
        """Where the velocities of some joints are."""
        return _spans(self.v_begins, joints)

    def cut(self, segment: Segment, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Return positions, velocities and joint forces of a segment, out of those of all."""
        own = self.velocities_of(segment.joints)
        return q[self.positions_of(segment.joints)], v[own], tau[own]

    def divided(self, processes: int) -> tuple[Segment, ...]:
        """Divide it among processes.

        Raises:
            InvalidInput: There are more processes than bodies, or none.
        """
        return segments_of(self.jointed.structure, processes)

    def body_of_freedom(self, freedom: int) -> str:
        """Return the name of the body whose joint has a velocity."""
        return _body(self.jointed, int(np.searchsorted(self.v_begins, freedom, side="right")) - 1)

    def body_of_position(self, position: int) -> str:
        """Return the name of the body whose joint has a position."""
        return _body(self.jointed, int(np.searchsorted(self.q_begins, position, side="right")) - 1)


@lru_cache(maxsize=16)
def chain_of(mechanism: Mechanism) -> ChainModel:
    """Return a machine as a chain or tree.

    Raises:
        InvalidModel: It has loops, or a body without mass that cannot be joined with the next.
    """
    return ChainModel(mechanism, jointed_bodies(bodies_of(mechanism)))


def _spans(begins: NDArray[np.intp], joints: Joints) -> NDArray[np.intp]:
    """Numbers from each of some begins up to the next begin."""
    spans = [np.arange(begins[joint], begins[joint + 1]) for joint in joints.tolist()]
    return np.concatenate(spans)


def _body(jointed: JointedBodies, at: int) -> str:
    bodies = jointed.bodies
    return bodies.mechanism.joints[bodies.joint[jointed.node[at]]].child
