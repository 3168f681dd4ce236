"""Linear Newton-Euler in the source's staggered temporaries.

Every variable advances one joint in the time of a matrix times a vector and a sum, because all that
does not depend on the joint before is done while the others wait for it.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. III, table III.1 and appendix A. Sliding joints, which the
    source has in table I.1 only, take P1 to P3: their own acceleration enters before T10, so
    that they wait for nothing either.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    AxisChain,
    AxisLink,
    JointLoad,
    LinkMotion,
)
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench, own_wrenches


def move(
    work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S], before: LinkMotion[V]
) -> LinkMotion[V]:
    """T1 to T11: the motion of O_i from that of O_{i-1}."""
    o = work.at(PassDirection.OUTWARD, 0, i, i)
    if link.turns:
        T1, T3 = link.rate, link.acceleration
        T2 = o.sum("T2", before.w, T1)
        w = o.turned_back("w", link.A, T2)
        T4 = o.cross("T4", before.w, T1)
        T5 = o.sum("T5", T3, T4)
        T6 = o.sum("T6", T5, before.dw)
        dw = o.turned_back("dw", link.A, T6)
    else:
        w = o.turned_back("w", link.A, before.w)
        dw = o.turned_back("dw", link.A, before.dw)
    T7 = o.cross("T7", w, link.p)
    T8 = _sliding(o, link, w, o.cross("T8", w, T7))
    T9 = o.cross("T9", dw, link.p)
    T10 = o.sum("T10", T8, T9)
    T11 = o.turned_back("T11", link.A, before.a)
    return LinkMotion(w, dw, o.sum("a", T10, T11))


def _sliding(o: VectorOperators[V, M, S], link: AxisLink[V, M, S], w: V, T8: V) -> V:
    """T8, with the acceleration of a slide in a turning link: q'' + 2 w × q' along the axis."""
    if link.turns:
        return T8
    P1 = o.cross("P1", w, link.twice_rate)
    P2 = o.sum("P2", P1, link.own_acceleration)
    return o.sum("P3", T8, P2)


def carry(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    own: OwnWrench[V],
    A_after: M,
    after: JointLoad[V],
) -> JointLoad[V]:
    """T19 to T24: what joint i carries, from what joint i + 1 does."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    T19 = o.turned("T19", A_after, after.f)
    f = o.sum("f", own.F, T19)
    T20 = o.cross("T20", link.s, own.F)
    T21 = o.sum("T21", T20, own.N)
    T22 = o.cross("T22", link.p, T19)
    T23 = o.sum("T23", T21, T22)
    T24 = o.turned("T24", A_after, after.n)
    return JointLoad(f, o.sum("n", T23, T24))


def linear_form(work: Workplace[V, M, S], chain: AxisChain[V, M, S]) -> list[JointLoad[V]]:
    """Joint loads by the linear form, link after link."""
    motions = linear_motions(work, chain)
    return linear_loads(work, chain, own_wrenches(work, chain, motions))


def linear_motions(work: Workplace[V, M, S], chain: AxisChain[V, M, S]) -> list[LinkMotion[V]]:
    """How every link moves, from the base on."""
    motions = [chain.base.motion]
    for i, link in enumerate(chain.links, start=1):
        motions.append(move(work, i, link, motions[-1]))
    return motions[1:]


def linear_loads(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], own: Sequence[OwnWrench[V]]
) -> list[JointLoad[V]]:
    """Joint loads from the links' inertial wrenches, from the tip inward."""
    zero = work.at(PassDirection.INWARD, 0, 0, 0).zero
    loads = [chain.tip or JointLoad(zero, zero)]
    after = chain.A_after
    for i in reversed(range(len(chain.links))):
        loads.append(carry(work, i + 1, chain.links[i], own[i], after[i], loads[-1]))
    return loads[:0:-1]
