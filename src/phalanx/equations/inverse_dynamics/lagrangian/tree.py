"""Data of the Lagrangian methods: one coordinate a link, 4×4 transforms."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import MassMoments, skew
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class Tree:
    """Links with one turning or sliding joint each, at one state.

    Attributes:
        model: The machine.
        A: Pose of each link in its parent, shape (4, 4).
        rates: Joint velocities, one a link.
        accelerations: Joint accelerations, one a link.
    """

    model: Model
    A: list[SX]
    rates: list[SX]
    accelerations: list[SX]

    @staticmethod
    def of(mechanism: Mechanism | Model, q: SX, v: SX, a: SX, method: str) -> Tree:
        """The tree of a machine.

        Raises:
            InvalidModel: When a joint neither turns nor slides.
        """
        model = model_of(mechanism)
        for node in model.nodes:
            if node.freedom not in (Freedom.TURN, Freedom.SLIDE):
                raise InvalidModel(
                    f"{method} takes turning and sliding joints; '{node.joint}' of mechanism "
                    f"'{model.mechanism.name}' moves {node.freedom.value[2]}. "
                    "Use inverse_dynamics.recursive."
                )
        return Tree(
            model,
            [X.homogeneous() for X in model.transforms(q)],
            [node.rate(v) for node in model.nodes],
            [node.rate(a) for node in model.nodes],
        )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The links."""
        return self.model.nodes

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent of each link, -1 for the root."""
        return self.model.parents

    @property
    def gravity(self) -> SX:
        """Acceleration of free fall, shape (4,)."""
        return ca.vertcat(self.model.gravity, 0)

    @cached_property
    def generators(self) -> list[SX]:
        """Q_i with dA_i/dq_i = A_i Q_i, shape (4, 4)."""
        return [_generator(node) for node in self.nodes]

    @cached_property
    def inertias(self) -> list[SX]:
        """Pseudo-inertia of each link about its origin: ∫ r rᵀ dm of r = (x, y, z, 1)."""
        return [pseudo_inertia(node.mass) for node in self.nodes]

    def forces(self, parts: list[SX]) -> SX:
        """Forces on the coordinates; each rotor loads its own joint only."""
        loads = zip(self.nodes, parts, self.accelerations, strict=True)
        return self.model.gather([part + node.armature * a for node, part, a in loads])


def _generator(node: Node) -> SX:
    S = node.axes
    return ca.vertcat(ca.horzcat(skew(S.angular), S.linear), SX(1, 4))


def pseudo_inertia(mass: MassMoments) -> SX:
    """[[J, h], [hᵀ, m]]."""
    return ca.vertcat(ca.horzcat(mass.J, mass.h), ca.horzcat(mass.h.T, mass.m))


def trace_of_product(A: SX, B: SX) -> SX:
    """Tr(A B), without the entries off the diagonal."""
    return ca.sum1(ca.sum2(A * B.T))
