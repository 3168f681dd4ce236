"""Linear Newton-Euler in the source's staggered temporaries.

Every variable advances one joint in the time of a matrix times a vector and a sum, because all that
does not depend on the joint before is done while the others wait for it.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. III, table III.1 and appendix A. Sliding joints, which the
    source has in table I.1 only, take P1 to P3: their own acceleration enters before T10, so
    that they wait for nothing either. Trees and joints of several freedoms are not in the source:
    B1 to B5 bring the motion to a joint that stands off O_{i-1}, D1 to D4 turn a link about any
    axis, Q1 to Q4 move it along any, and B6 to B9 add what further joints on a link carry. A step
    then takes one sum more, or as many as there are further joints on a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    AxisChain,
    AxisLink,
    JointLoad,
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
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench, own_wrenches


def move(
    work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S], before: LinkMotion[V]
) -> LinkMotion[V]:
    """T1 to T11: the motion of O_i from that of O_{i-1}."""
    o = work.at(PassDirection.OUTWARD, 0, i, i)
    before = _at_joint(o, link, before)
    if link.several is not None:
        return _several(o, link, link.several, before)
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


def _at_joint(
    o: VectorOperators[V, M, S], link: AxisLink[V, M, S], before: LinkMotion[V]
) -> LinkMotion[V]:
    """B1 to B5: motion of what carries a link, where the joint is: a + w' × b + w × (w × b)."""
    if link.lever is None:
        return before
    B1 = o.cross("B1", before.w, link.lever)
    B2 = o.cross("B2", before.w, B1)
    B3 = o.cross("B3", before.dw, link.lever)
    B4 = o.sum("B4", B2, B3)
    return LinkMotion(before.w, before.dw, o.sum("B5", before.a, B4))


def _several(
    o: VectorOperators[V, M, S],
    link: AxisLink[V, M, S],
    joint: SeveralFreedoms[V],
    before: LinkMotion[V],
) -> LinkMotion[V]:
    """Motion of O_i beyond a joint of several freedoms, whose motion is in axes of O_i."""
    D1 = o.turned_back("D1", link.A, before.w)
    w = o.sum("w", D1, joint.w)
    D2 = o.turned_back("D2", link.A, before.dw)
    D3 = o.cross("D3", D1, joint.w)
    D4 = o.sum("D4", D3, joint.dw)
    dw = o.sum("dw", D2, D4)
    T7 = o.cross("T7", w, link.p)
    T8 = o.cross("T8", w, T7)
    if joint.u is not None and joint.du is not None:
        Q1 = o.sum("Q1", D1, w)  # u turns with the link, and moves in what turns at D1
        Q2 = o.cross("Q2", Q1, joint.u)
        Q3 = o.sum("Q3", Q2, joint.du)
        T8 = o.sum("Q4", T8, Q3)
    T9 = o.cross("T9", dw, link.p)
    T10 = o.sum("T10", T8, T9)
    T11 = o.turned_back("T11", link.A, before.a)
    return LinkMotion(w, dw, o.sum("a", T10, T11))


def _sliding(o: VectorOperators[V, M, S], link: AxisLink[V, M, S], w: V, T8: V) -> V:
    """T8, with the acceleration of a slide in a turning link: q'' + 2 w × q' along the axis."""
    if not link.slides:
        return T8
    P1 = o.cross("P1", w, link.twice_rate)
    P2 = o.sum("P2", P1, link.own_acceleration)
    return o.sum("P3", T8, P2)


@dataclass(frozen=True)
class Hung(Generic[V, M]):
    """What hangs on a link.

    Attributes:
        A: From its axes to those of the link.
        lever: From O of the link to its joint, in the link's axes; None where they coincide.
        load: What it asks of the link, at its joint.
    """

    A: M
    lever: V | None
    load: JointLoad[V]


def carry(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    own: OwnWrench[V],
    hung: Sequence[Hung[V, M]],
) -> JointLoad[V]:
    """T19 to T24: what joint i carries, from what the joints on its link do."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    T19, T24, arms = _hung_on(o, hung)
    f = o.sum("f", own.F, T19)
    T20 = o.cross("T20", link.s, own.F)
    T21 = o.sum("T21", T20, own.N)
    T22 = o.cross("T22", link.p, T19)
    T23 = o.sum("T23", T21, T22)
    for branch, arm in arms.items():
        T23 = o.sum(f"B7{branch}", T23, arm)
    return JointLoad(f, o.sum("n", T23, T24))


def _hung_on(o: VectorOperators[V, M, S], hung: Sequence[Hung[V, M]]) -> tuple[V, V, dict[str, V]]:
    """T19 and T24 of all that hangs on a link, and moments of forces that act off O_i."""
    force = moment = None
    arms = {}
    for k, one in enumerate(hung, start=1):
        branch = "" if k == 1 else f".{k}"
        f = o.turned(f"T19{branch}", one.A, one.load.f)
        n = o.turned(f"T24{branch}", one.A, one.load.n)
        if one.lever is not None:
            arms[branch] = o.cross(f"B6{branch}", one.lever, f)
        force = f if force is None else o.sum(f"B8{branch}", force, f)
        moment = n if moment is None else o.sum(f"B9{branch}", moment, n)
    assert force is not None and moment is not None, "a free end hangs on the last links"
    return force, moment, arms


def read_out(
    work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S], load: JointLoad[V]
) -> list[S]:
    """Parts of a joint's load along its freedoms: joint forces, without those of rotors."""
    o = work.at(PassDirection.READOUT, 0, i, i)
    forces = []
    for k, freedom in enumerate(link.freedoms, start=1):
        role = "tau" if len(link.freedoms) == 1 else f"tau.{k}"
        if freedom.turn is None:
            assert freedom.slide is not None, "a freedom turns or slides"
            forces.append(o.dot(role, freedom.slide, load.f))
        elif freedom.slide is None:
            forces.append(o.dot(role, freedom.turn, load.n))
        else:
            turning = o.dot(f"{role}.n", freedom.turn, load.n)
            sliding = o.dot(f"{role}.f", freedom.slide, load.f)
            forces.append(o.added(role, turning, sliding))
    return forces


def linear_form(work: Workplace[V, M, S], chain: AxisChain[V, M, S]) -> list[JointLoad[V]]:
    """Joint loads by the linear form, link after link."""
    motions = linear_motions(work, chain)
    return linear_loads(work, chain, own_wrenches(work, chain, motions))


def linear_motions(work: Workplace[V, M, S], chain: AxisChain[V, M, S]) -> list[LinkMotion[V]]:
    """How every link moves, from the base on."""
    motions = [chain.base.motion]
    for i, link in enumerate(chain.links, start=1):
        motions.append(move(work, i, link, motions[link.parent]))
    return motions[1:]


def linear_loads(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], own: Sequence[OwnWrench[V]]
) -> list[JointLoad[V]]:
    """Joint loads from the links' inertial wrenches, from the tips inward."""
    zero = work.at(PassDirection.INWARD, 0, 0, 0).zero
    free, carried = JointLoad(zero, zero), chain.carried
    loads: dict[int, JointLoad[V]] = {}
    for i in reversed(range(1, len(chain.links) + 1)):
        links = [(chain.links[j - 1], loads[j]) for j in carried[i]]
        hung = [Hung(link.A, link.lever, load) for link, load in links]
        hung.sort(key=lambda one: one.lever is not None)  # the joint in O_i first
        if not hung:
            at_end = chain.tip if i == chain.tip_link else None
            hung.append(Hung(chain.A_tip, None, at_end or free))
        loads[i] = carry(work, i, chain.links[i - 1], own[i - 1], hung)
    return [loads[i] for i in range(1, len(chain.links) + 1)]
