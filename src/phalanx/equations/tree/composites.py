"""Composite bodies: each node together with all nodes beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

from phalanx.equations.spatial import MassMoments, Transform, Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.momentum_flow import MomentumFlow
from phalanx.equations.tree.passes import inward


class Additive(Protocol):
    """Interface of values that add up and transform between frames: masses, wrenches, inertias."""

    def __add__(self, other: Self) -> Self:
        """Both together, at one origin."""

    def into_parent(self, X: Transform) -> Self:
        """The same at the parent's origin and in its axes."""


T = TypeVar("T", bound=Additive)


def composites(model: Model, X: Sequence[Transform], own: Sequence[T]) -> list[T]:
    """Sum over each node and all nodes beyond it."""
    return inward(model.parents, own, lambda i, parent, child: parent + child.into_parent(X[i]))


def total(model: Model, X: Sequence[Transform], own: Sequence[T], none: T) -> T:
    """Sum over all nodes, about the root's origin and in its axes."""
    result = none
    for node, x, composite in zip(model.nodes, X, composites(model, X, own), strict=True):
        if node.parent < 0:
            result = result + composite.into_parent(x)
    return result


def composite_masses(model: Model, X: Sequence[Transform]) -> list[MassMoments]:
    """Each node with all nodes beyond it, as one rigid body."""
    return composites(model, X, [node.mass for node in model.nodes])


def composite_flows(
    model: Model, X: Sequence[Transform], velocities: Sequence[Twist]
) -> list[MomentumFlow]:
    """Momentum flow of each node with all nodes beyond it."""
    own = [MomentumFlow.of(x.mass, V) for x, V in zip(model.nodes, velocities, strict=True)]
    return composites(model, X, own)
