"""Spatial vectors: twists and wrenches, each a pair of vectors.

A twist has an angular and a linear velocity, a wrench a moment and a force, both at the origin of
some frame and in its axes. Momentum is a wrench, the one that its loss would supply; unit motions
of a joint are a twist with a column for each. Order within a pair is angular first; six numbers
at interfaces have the linear part first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

import casadi as ca
from casadi import SX

from phalanx.equations.spatial.poses import Rotation, Transform
from phalanx.equations.spatial.vectors import columnwise_cross


@dataclass(frozen=True, eq=False)
class Pair:
    """Base of twists and wrenches: sums and multiples, part by part.

    Attributes:
        turning: About the origin: angular velocity or moment, shape (3, k).
        straight: Of the origin: linear velocity or force, shape (3, k).
    """

    turning: SX
    straight: SX

    @classmethod
    def none(cls, columns: int = 1) -> Self:
        """Both parts zero."""
        return cls(SX.zeros(3, columns), SX.zeros(3, columns))

    @classmethod
    def of(cls, numbers: SX) -> Self:
        """From six numbers, linear part first, shape (6, k)."""
        return cls(numbers[3:, :], numbers[:3, :])

    @property
    def numbers(self) -> SX:
        """Six numbers, linear part first, shape (6, k)."""
        return ca.vertcat(self.straight, self.turning)

    def each(self, change: Callable[[SX], SX]) -> Self:
        """Both parts changed in the same way."""
        return type(self)(change(self.turning), change(self.straight))

    def __add__(self, other: Self) -> Self:
        """Both together."""
        return type(self)(self.turning + other.turning, self.straight + other.straight)

    def __sub__(self, other: Self) -> Self:
        """One without the other."""
        return type(self)(self.turning - other.turning, self.straight - other.straight)

    def __rmul__(self, factor: float) -> Self:
        """A multiple."""
        return self.each(lambda part: factor * part)

    def __matmul__(self, amounts: SX) -> Self:
        """The sum of the columns, so much of each."""
        return self.each(lambda part: part @ amounts)

    def in_parent_axes(self, R: Rotation) -> Self:
        """At the same origin, in the axes of the parent."""
        return self.each(R.into_parent)

    def in_child_axes(self, R: Rotation) -> Self:
        """At the same origin, in the axes of a child."""
        return self.each(R.into_child)


@final
class Twist(Pair):
    """Angular and linear velocity of a body, or their rates, at an origin."""

    @property
    def angular(self) -> SX:
        """Angular velocity [rad/s]."""
        return self.turning

    @property
    def linear(self) -> SX:
        """Velocity of the origin [m/s]."""
        return self.straight

    def at(self, r: SX) -> Twist:
        """The same motion, of the point at r."""
        return Twist(self.angular, self.linear + columnwise_cross(self.angular, r))

    def into_child(self, X: Transform) -> Twist:
        """The same motion, of the child's origin and in its axes."""
        return self.at(X.translation).in_child_axes(X.rotation)

    def cross(self, S: Twist) -> Twist:
        """V × S: the rate of motions S that are fixed in a body that moves by V."""
        return Twist(
            columnwise_cross(self.angular, S.angular),
            columnwise_cross(self.angular, S.linear) + columnwise_cross(self.linear, S.angular),
        )

    def cross_wrench(self, F: Wrench) -> Wrench:
        """S ×* F: the rate of a wrench that is carried along motions S."""
        return Wrench(
            columnwise_cross(self.angular, F.moment) + columnwise_cross(self.linear, F.force),
            columnwise_cross(self.angular, F.force),
        )

    def dot(self, F: Wrench) -> SX:
        """Power of wrenches along motions: a row for each motion, a column for each wrench."""
        return self.angular.T @ F.moment + self.linear.T @ F.force


@final
class Wrench(Pair):
    """Moment and force on a body, or its angular and linear momentum, at an origin."""

    @property
    def moment(self) -> SX:
        """Moment about the origin [N·m]."""
        return self.turning

    @property
    def force(self) -> SX:
        """Force [N]."""
        return self.straight

    def about(self, r: SX) -> Wrench:
        """The same wrench, with the moment about the point at r."""
        return Wrench(self.moment - columnwise_cross(r, self.force), self.force)

    def acting_at(self, r: SX) -> Wrench:
        """The wrench about the origin, where this one is about the point at r."""
        return Wrench(self.moment + columnwise_cross(r, self.force), self.force)

    def into_parent(self, X: Transform) -> Wrench:
        """The same wrench, at the parent's origin and in its axes."""
        return self.in_parent_axes(X.rotation).acting_at(X.translation)

    def into_child(self, X: Transform) -> Wrench:
        """The same wrench, at the child's origin and in its axes."""
        return self.about(X.translation).in_child_axes(X.rotation)

    def dot(self, S: Twist) -> SX:
        """Power of wrenches along motions: a row for each wrench, a column for each motion."""
        return self.moment.T @ S.angular + self.force.T @ S.linear
