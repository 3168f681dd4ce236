"""Chain described from joint axis to joint axis, as in the source.

Frame O_i is fixed in link i and stands on the axis of joint i + 1, its z along that axis, where it
was before joint i + 1 moved; the last one is the tip. All vectors of link i are in the axes of O_i.
Denavit and Hartenberg's frames are of this kind, and so are those of any other chain of turning and
sliding joints. What vectors, matrices and scalars are is left open: symbols, numbers, nodes of a
program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from phalanx.equations.inverse_dynamics.vector_forms.operators import M, S, V

V2 = TypeVar("V2")
M2 = TypeVar("M2")
S2 = TypeVar("S2")


@dataclass(frozen=True)
class LinkMotion(Generic[V]):
    """How O_i moves, in its own axes.

    Attributes:
        w: Angular velocity [rad/s].
        dw: Angular acceleration [rad/s²].
        a: Acceleration of the origin, less gravity [m/s²].
    """

    w: V
    dw: V
    a: V

    def each(self, vector: Callable[[V], V2]) -> LinkMotion[V2]:
        """The same in other vectors."""
        return LinkMotion(vector(self.w), vector(self.dw), vector(self.a))


@dataclass(frozen=True)
class JointLoad(Generic[V]):
    """Force f [N] and moment n about O_{i-1} [N·m] on link i by link i - 1, in the axes of O_i."""

    f: V
    n: V

    def each(self, vector: Callable[[V], V2]) -> JointLoad[V2]:
        """The same in other vectors."""
        return JointLoad(vector(self.f), vector(self.n))


@dataclass(frozen=True)
class AxisLink(Generic[V, M, S]):
    """Link i of a chain and joint i, which carries it.

    Attributes:
        turns: Whether the joint turns; else it slides.
        A: From the axes of O_i to those of O_{i-1}.
        axis: The joint's axis in O_i.
        rate, acceleration: e3 q' and e3 q'', in O_{i-1}.
        twice_rate, own_acceleration: 2 q' and q'' along the axis in O_i, for joints that slide.
        p: From O_{i-1} to O_i [m].
        r: From O_i to the centre of mass [m].
        s: From O_{i-1} to the centre of mass [m], p + r.
        m: Mass [kg].
        J: Inertia tensor about the centre of mass [kg·m²].
    """

    turns: bool
    A: M
    axis: V
    rate: V
    acceleration: V
    twice_rate: V
    own_acceleration: V
    p: V
    r: V
    s: V
    m: S
    J: M

    def each(
        self, vector: Callable[[V], V2], matrix: Callable[[M], M2], scalar: Callable[[S], S2]
    ) -> AxisLink[V2, M2, S2]:
        """The same link in other vectors, matrices and scalars."""
        return AxisLink(
            self.turns,
            matrix(self.A),
            vector(self.axis),
            vector(self.rate),
            vector(self.acceleration),
            vector(self.twice_rate),
            vector(self.own_acceleration),
            vector(self.p),
            vector(self.r),
            vector(self.s),
            scalar(self.m),
            matrix(self.J),
        )


@dataclass(frozen=True)
class Base(Generic[V, M]):
    """Base of a chain.

    Attributes:
        root: Motion of the root, in its axes, less gravity.
        A: From the axes of O_0 to those of the root.
        p: From the root's origin to O_0, in axes of O_0 [m].
        motion: Motion of O_0, in its axes, less gravity.
    """

    root: LinkMotion[V]
    A: M
    p: V
    motion: LinkMotion[V]

    def each(self, vector: Callable[[V], V2], matrix: Callable[[M], M2]) -> Base[V2, M2]:
        """The same in other vectors and matrices."""
        return Base(
            self.root.each(vector), matrix(self.A), vector(self.p), self.motion.each(vector)
        )


@dataclass(frozen=True)
class AxisChain(Generic[V, M, S]):
    """A chain and what happens at its ends.

    Attributes:
        links: From the base to the tip.
        base: Where they begin.
        A_tip: From the axes in which the tip's load is given to those of O_n.
        tip: What the tip gives its surroundings, at O_n; None for a free end.
    """

    links: Sequence[AxisLink[V, M, S]]
    base: Base[V, M]
    A_tip: M
    tip: JointLoad[V] | None

    def each(
        self, vector: Callable[[V], V2], matrix: Callable[[M], M2], scalar: Callable[[S], S2]
    ) -> AxisChain[V2, M2, S2]:
        """The same chain in other vectors, matrices and scalars."""
        return AxisChain(
            tuple(link.each(vector, matrix, scalar) for link in self.links),
            self.base.each(vector, matrix),
            matrix(self.A_tip),
            None if self.tip is None else self.tip.each(vector),
        )

    @property
    def A_after(self) -> list[M]:
        """For each link the matrix of the next joint, from the axes of O_{i+1} to those of O_i."""
        return [*(link.A for link in self.links[1:]), self.A_tip]
