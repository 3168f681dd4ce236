"""Chain or tree described from joint axis to joint axis, as in the source.

Frame O_i is fixed in link i and stands on the axis of joint i + 1, its z along that axis, where it
was before joint i + 1 moved; the last one is the tip. All vectors of link i are in the axes of O_i.
Denavit and Hartenberg's frames are of this kind, and so are those of any other chain of turning and
sliding joints. What vectors, matrices and scalars are is left open: symbols, numbers, nodes of a
program.

In a tree O_i stands on the first of the joints that link i carries. From there a lever leads to
each of the others, and to a joint that moves along more than one axis.
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
class SeveralFreedoms(Generic[V]):
    """Motion of a joint of several freedoms by itself, in axes of O_i.

    Attributes:
        w: Angular velocity [rad/s].
        dw: Its rate in axes of O_i [rad/s²].
        u: Velocity of the joint's moving frame [m/s]; None for a joint that only turns.
        du: Its rate in axes of O_i [m/s²].
    """

    w: V
    dw: V
    u: V | None
    du: V | None

    def each(self, vector: Callable[[V], V2]) -> SeveralFreedoms[V2]:
        """The same in other vectors."""
        u, du = (None if x is None else vector(x) for x in (self.u, self.du))
        return SeveralFreedoms(vector(self.w), vector(self.dw), u, du)


@dataclass(frozen=True)
class AxisFreedom(Generic[V]):
    """One freedom of a joint: what a load does along it.

    Attributes:
        coordinate: Place of its velocity in v; those that mimic each other share one.
        turn: Rotation by a unit of velocity, in O_i; None where there is none.
        slide: Displacement by a unit of velocity, in O_i; None where there is none.
    """

    coordinate: int
    turn: V | None
    slide: V | None

    def each(self, vector: Callable[[V], V2]) -> AxisFreedom[V2]:
        """The same in other vectors."""
        turn, slide = (None if x is None else vector(x) for x in (self.turn, self.slide))
        return AxisFreedom(self.coordinate, turn, slide)


@dataclass(frozen=True)
class AxisTurn(Generic[M, S]):
    """Matrix A_i of a joint that turns about z: before Rz(angle) after.

    Attributes:
        before: From axes of the joint to those of what it hangs on; None where they are the same.
        angle: Of the joint [rad].
        after: From axes of O_i to those of the joint's moving frame.
    """

    before: M | None
    angle: S
    after: M

    def each(self, matrix: Callable[[M], M2], scalar: Callable[[S], S2]) -> AxisTurn[M2, S2]:
        """The same in other matrices and scalars."""
        before = None if self.before is None else matrix(self.before)
        return AxisTurn(before, scalar(self.angle), matrix(self.after))


@dataclass(frozen=True)
class AxisLink(Generic[V, M, S]):
    """Link i and joint i, which carries it; O_{i-1} stands for the frame of what it hangs on.

    Attributes:
        turns: Whether the joint turns about its axis.
        slides: Whether it slides along its axis; a screw does both.
        A: From the axes of O_i to those of O_{i-1}.
        axis: The joint's axis in O_i.
        rate, acceleration: q' and q'' along the axis, in O_{i-1}.
        own_rate, twice_rate, own_acceleration: q', 2 q' and q'' along the axis in O_i, for joints
            that slide.
        p: From the joint to O_i [m]; the joint is in O_{i-1}, but for a lever.
        r: From O_i to the centre of mass [m].
        s: From the joint to the centre of mass [m], p + r.
        m: Mass [kg].
        J: Inertia tensor about the centre of mass [kg·m²].
        parent: Number of the link that it hangs on, from 1; 0 is the base.
        lever: From O_{i-1} to the joint, in O_{i-1} [m]; None where the joint is in O_{i-1}.
        several: Motion of a joint of several freedoms; such a joint neither turns nor slides.
        freedoms: What loads do along the joint.
    """

    turns: bool
    slides: bool
    A: M
    axis: V
    rate: V
    acceleration: V
    own_rate: V
    twice_rate: V
    own_acceleration: V
    p: V
    r: V
    s: V
    m: S
    J: M
    parent: int
    lever: V | None
    several: SeveralFreedoms[V] | None
    freedoms: tuple[AxisFreedom[V], ...]

    def each(
        self, vector: Callable[[V], V2], matrix: Callable[[M], M2], scalar: Callable[[S], S2]
    ) -> AxisLink[V2, M2, S2]:
        """The same link in other vectors, matrices and scalars."""
        return AxisLink(
            self.turns,
            self.slides,
            matrix(self.A),
            vector(self.axis),
            vector(self.rate),
            vector(self.acceleration),
            vector(self.own_rate),
            vector(self.twice_rate),
            vector(self.own_acceleration),
            vector(self.p),
            vector(self.r),
            vector(self.s),
            scalar(self.m),
            matrix(self.J),
            self.parent,
            None if self.lever is None else vector(self.lever),
            None if self.several is None else self.several.each(vector),
            tuple(freedom.each(vector) for freedom in self.freedoms),
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
    """A chain or tree and what happens at its ends.

    Attributes:
        links: From the base outward, each after the one that it hangs on.
        base: Where they begin.
        A_tip: From the axes in which a tip's load is given to those of its link.
        tip: What the tip gives its surroundings, at O_n; None for a free end.
        tip_link: Number of the link at whose end that is, from 1.
    """

    links: Sequence[AxisLink[V, M, S]]
    base: Base[V, M]
    A_tip: M
    tip: JointLoad[V] | None
    tip_link: int

    def each(
        self, vector: Callable[[V], V2], matrix: Callable[[M], M2], scalar: Callable[[S], S2]
    ) -> AxisChain[V2, M2, S2]:
        """The same chain in other vectors, matrices and scalars."""
        return AxisChain(
            tuple(link.each(vector, matrix, scalar) for link in self.links),
            self.base.each(vector, matrix),
            matrix(self.A_tip),
            None if self.tip is None else self.tip.each(vector),
            self.tip_link,
        )

    @property
    def A_after(self) -> list[M]:
        """Of a chain: for each link the matrix of the next joint, from axes of O_{i+1} to O_i."""
        return [*(link.A for link in self.links[1:]), self.A_tip]

    @property
    def carried(self) -> list[list[int]]:
        """For the base and every link the numbers of the links that hang on it, from 1."""
        numbers: list[list[int]] = [[] for _ in range(len(self.links) + 1)]
        for i, link in enumerate(self.links, start=1):
            numbers[link.parent].append(i)
        return numbers
