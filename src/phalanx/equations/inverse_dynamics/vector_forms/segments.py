"""Motion of segments of a chain, combined by a parallel prefix.

Segment [a, b] is the joints a … b. Its variables say how O_b moves against O_{a-1}, so they
depend on these joints alone, in axes of O_b. Two neighbours [a, k] and [k+1, b] combine to [a, b],
associatively: a parallel prefix gives the motion of all links in a logarithmic number of steps.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. IV and V, tables IV.1 and V.1, appendices B to D.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    AxisLink,
    Base,
    LinkMotion,
    SeveralFreedoms,
)
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)


@dataclass(frozen=True)
class SegmentMotion(Generic[V, M]):
    """How O_b moves against O_{a-1}, in axes of O_b.

    Attributes:
        first, last: a and b; the base is 0.
        W: From the axes of O_b to those of O_{a-1}.
        w: Angular velocity [rad/s].
        dw: Its rate in O_{a-1} [rad/s²].
        Q: What sliding adds to the velocity of the origin [m/s].
        R: From O_{a-1} to O_b [m].
        S: What turning adds to the velocity of the origin [m/s].
        a: Acceleration of the origin [m/s²]; of a segment that begins with the base, less gravity.
    """

    first: int
    last: int
    W: M
    w: V
    dw: V
    Q: V
    R: V
    S: V
    a: V

    @property
    def motion(self) -> LinkMotion[V]:
        """What links ask for, of a segment that begins with the base."""
        return LinkMotion(self.w, self.dw, self.a)


def base_leaf(work: Workplace[V, M, S], base: Base[V, M]) -> SegmentMotion[V, M]:
    """O_0 against the world: whatever moves the root, and gravity as an acceleration."""
    o = work.at(PassDirection.OUTWARD, 0, 0, 0)
    w = o.turned_back("w", base.A, base.root.w)
    dw = o.turned_back("dw", base.A, base.root.dw)
    swing = o.cross("S", w, base.p)
    L1 = o.cross("L1", dw, base.p)
    L2 = o.cross("L2", w, swing)
    L3 = o.turned_back("L3", base.A, base.root.a)
    a = o.sum("a", o.sum("L4", L1, L2), L3)
    return SegmentMotion(0, 0, base.A, w, dw, o.zero, base.p, swing, a)


def carrier(o: VectorOperators[V, M, S], link: int, motion: LinkMotion[V]) -> SegmentMotion[V, M]:
    """A link of known motion, against the world, for a branch that begins on it."""
    zero = o.zero
    return SegmentMotion(0, link, o.unit, motion.w, motion.dw, zero, zero, zero, motion.a)


def leaf(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    ground: LinkMotion[V] | None = None,
    R: V | None = None,
) -> SegmentMotion[V, M]:
    """One joint, or joint 1 together with a ``ground`` that does not turn.

    Args:
        work: Where operators are to be had.
        i: Number of the link.
        link: The link.
        ground: What it stands on, where that accelerates.
        R: From O_{i-1} to O_i, where the joint has a lever; else the link's p.
    """
    o = work.at(PassDirection.OUTWARD, 0, i, i)
    zero, R = o.zero, link.p if R is None else R
    if link.several is not None:
        one = _several(o, i, link, link.several, R)
    elif link.turns:
        w = o.turned_back("w", link.A, link.rate)
        dw = o.turned_back("dw", link.A, link.acceleration)
        swing = o.cross("S", w, link.p)
        L1 = o.cross("L1", dw, link.p)
        L2 = o.cross("L2", w, swing)
        one = SegmentMotion(i, i, link.A, w, dw, zero, R, swing, o.sum("a", L1, L2))
        if link.slides:
            P1 = o.cross("P1", w, link.twice_rate)
            P2 = o.sum("P2", P1, link.own_acceleration)
            one = replace(one, Q=link.own_rate, a=o.sum("P3", one.a, P2))
    else:
        Q = o.turned_back("Q", link.A, link.rate)
        a = o.turned_back("a", link.A, link.acceleration)
        one = SegmentMotion(i, i, link.A, zero, zero, Q, R, zero, a)
    if ground is None:
        return one
    L3 = o.turned_back("L3", link.A, ground.a)
    return replace(one, first=0, a=o.sum("L4", one.a, L3))


def _several(
    o: VectorOperators[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    joint: SeveralFreedoms[V],
    R: V,
) -> SegmentMotion[V, M]:
    """A joint of several freedoms, whose motion is in axes of O_i."""
    swing = o.cross("S", joint.w, link.p)
    L1 = o.cross("L1", joint.dw, link.p)
    L2 = o.cross("L2", joint.w, swing)
    one = SegmentMotion(i, i, link.A, joint.w, joint.dw, o.zero, R, swing, o.sum("a", L1, L2))
    if joint.u is None or joint.du is None:
        return one
    Q1 = o.cross("Q1", joint.w, joint.u)  # u turns with the link
    Q2 = o.sum("Q2", Q1, joint.du)
    return replace(one, Q=joint.u, a=o.sum("Q3", one.a, Q2))


def combine(
    work: Workplace[V, M, S], level: int, left: SegmentMotion[V, M], right: SegmentMotion[V, M]
) -> SegmentMotion[V, M]:
    """[a, k] and [k+1, b] as [a, b]: T1 to T17."""
    o = work.at(PassDirection.OUTWARD, level, left.first, right.last)
    return _combined(o, left, right)


def unified_leaf(
    work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S], ground: LinkMotion[V] | None = None
) -> SegmentMotion[V, M]:
    """One joint by the operations that combine two segments, for arrays of equal nodes.

    The joint's own motion is the left segment, in O_{i-1}, and its link the right one. With a
    ``ground`` that does not turn, the joint begins there, and its left segment accelerates as well.
    The source has T11 of a leaf read the new Q in place of the right one. That would matter for a
    joint that turns and slides at once; here T1 or Q is zero, and a leaf needs no wire of its own.
    """
    o = work.at(PassDirection.OUTWARD, 0, i, i)
    zero, turns = o.zero, link.turns
    a = zero if turns else link.acceleration
    if ground is not None:
        a = ground.a if turns else o.sum("L3", a, ground.a)
    joint = SegmentMotion(
        i if ground is None else 0,
        i,
        o.unit,
        link.rate if turns else zero,
        link.acceleration if turns else zero,
        zero if turns else link.rate,
        zero,
        zero,
        a,
    )
    own = SegmentMotion(i, i, link.A, zero, zero, zero, link.p, zero, zero)
    return _combined(o, joint, own)


def _combined(
    o: VectorOperators[V, M, S], left: SegmentMotion[V, M], right: SegmentMotion[V, M]
) -> SegmentMotion[V, M]:
    W = right.W  # its transpose brings what is left into the axes of O_b
    T1 = o.turned_back("T1", W, left.w)
    T2 = o.turned_back("T2", W, left.dw)
    T3 = o.cross("T3", T1, right.w)
    T4 = o.sum("T4", T3, right.dw)
    w = o.sum("w", T1, right.w)
    dw = o.sum("dw", T2, T4)
    T5 = o.turned_back("T5", W, left.R)
    R = o.sum("R", T5, right.R)
    T6 = o.cross("T6", T1, right.R)
    T7 = o.turned_back("T7", W, left.S)
    T8 = o.sum("T8", T6, right.S)
    swing = o.sum("S", T7, T8)
    T9 = o.turned_back("T9", W, left.Q)
    Q = o.sum("Q", T9, right.Q)
    T10 = o.cross("T10", T2, right.R)
    T11 = o.sum("T11", right.S, right.Q)
    T12 = o.scaled("T12", o.two, T11)
    T13 = o.sum("T13", T6, T12)
    T14 = o.cross("T14", T1, T13)
    T15 = o.sum("T15", T10, T14)
    T16 = o.turned_back("T16", W, left.a)
    T17 = o.sum("T17", right.a, T15)
    a = o.sum("a", T16, T17)
    product = o.product("W", left.W, W)
    return SegmentMotion(left.first, right.last, product, w, dw, Q, R, swing, a)
