"""Forward dynamics by articulated bodies in vector operations.

What motion and gravity ask for at zero acceleration comes from the linear form of inverse dynamics;
what remains of the joint forces accelerates the machine from rest. A joint of several freedoms is
eliminated one freedom after the other, so that only numbers are inverted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, AxisLink, JointLoad
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)
from phalanx.equations.vector_quantities.inertia import (
    AxisBody,
    BlockInertia,
    about,
    along,
    handed_inertia,
    handed_load,
    inertia_sum,
    less_product,
    load_at_joint,
    response,
)


@dataclass(frozen=True)
class EliminatedFreedom(Generic[V, S]):
    """A freedom that was eliminated.

    Attributes:
        ratio: U / D: how much its acceleration falls short when its link accelerates.
        drive: Its acceleration when its link does not accelerate [m/s² or rad/s²].
    """

    ratio: JointLoad[V]
    drive: S


@dataclass(frozen=True)
class LinkAcceleration(Generic[V]):
    """Angular acceleration of a link and acceleration of a point of it, from rest."""

    dw: V
    a: V


def accelerate_from_rest(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    bodies: Sequence[AxisBody[M, S]],
    forces: Sequence[Sequence[S]],
) -> dict[int, S]:
    """Accelerations by coordinate under a force along each freedom of each joint.

    Args:
        work: Where operators are to be had.
        chain: The machine; no joint mimics another.
        bodies: Inertia of each link.
        forces: For each joint a force [N or N·m] along each of its freedoms.
    """
    eliminated = _inward(work, chain, bodies, forces)
    moved: list[LinkAcceleration[V] | None] = [None]
    result: dict[int, S] = {}
    for i, link in enumerate(chain.links, start=1):
        o = work.at(PassDirection.RETURN, 0, i, i)
        moved.append(_move(o, link, eliminated[i - 1], moved[link.parent], result))
    return result


def _inward(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    bodies: Sequence[AxisBody[M, S]],
    forces: Sequence[Sequence[S]],
) -> list[list[EliminatedFreedom[V, S]]]:
    """Joints from the tips inward: each hands on what it cannot yield to."""
    count = len(chain.links)
    totals = [body.inertia for body in bodies]
    loads: list[JointLoad[V] | None] = [None] * count
    eliminated: list[list[EliminatedFreedom[V, S]]] = [[] for _ in range(count)]
    for i in reversed(range(1, count + 1)):
        link, body = chain.links[i - 1], bodies[i - 1]
        o = work.at(PassDirection.INWARD, 0, i, i)
        I = about(o, "p", totals[i - 1], body.arm)
        load = loads[i - 1]
        load = None if load is None else load_at_joint(o, "load ", link, load)
        for k in reversed(range(len(link.freedoms))):
            rotor, force = body.rotors[k], forces[i - 1][k]
            freedom, I, load = _eliminate(o, link, k, I, load, rotor, force, last=not link.parent)
            eliminated[i - 1].insert(0, freedom)
        if link.parent:
            p, to = link.parent - 1, work.at(PassDirection.INWARD, 0, link.parent, link.parent)
            totals[p] = inertia_sum(to, f"+{i} ", totals[p], handed_inertia(work, i, link, body, I))
            assert load is not None, "a joint has a freedom"
            handed, before = handed_load(o, "handed ", link, load), loads[p]
            if before is not None:
                f = to.sum(f"+{i} f", before.f, handed.f)
                handed = JointLoad(f, to.sum(f"+{i} n", before.n, handed.n))
            loads[p] = handed
    return eliminated


def _eliminate(
    o: VectorOperators[V, M, S],
    link: AxisLink[V, M, S],
    k: int,
    I: BlockInertia[M],
    load: JointLoad[V] | None,
    rotor: S | None,
    force: S,
    *,
    last: bool,
) -> tuple[EliminatedFreedom[V, S], BlockInertia[M], JointLoad[V] | None]:
    """A freedom eliminated: I - U Uᵀ / D and p + U u / D remain, with U = I s and D = s · U."""
    freedom, role = link.freedoms[k], f"{k + 1} "
    U = response(o, f"{role}U", I, freedom)
    D = along(o, f"{role}D", freedom, U)
    D = D if rotor is None else o.added(f"{role}rotor", D, rotor)
    inverse = o.reciprocal(f"{role}1/D", D)
    if load is not None:
        force = o.subtracted(f"{role}u", force, along(o, f"{role}s.p", freedom, load))
    drive = o.multiplied(f"{role}drive", inverse, force)
    ratio = JointLoad(
        o.scaled(f"{role}U/D f", inverse, U.f), o.scaled(f"{role}U/D n", inverse, U.n)
    )
    gone = EliminatedFreedom(ratio, drive)
    if last and k == 0:  # nothing carries the joint, so that nobody asks for the rest
        return gone, I, load
    f, n = o.scaled(f"{role}U drive f", drive, U.f), o.scaled(f"{role}U drive n", drive, U.n)
    if load is not None:
        f, n = o.sum(f"{role}p f", load.f, f), o.sum(f"{role}p n", load.n, n)
    rest = BlockInertia(
        less_product(o, f"{role}I", I.rotation, ratio.n, U.n),
        less_product(o, f"{role}C", I.coupling, ratio.n, U.f),
        less_product(o, f"{role}T", I.translation, ratio.f, U.f),
    )
    return gone, rest, JointLoad(f, n)


def _move(
    o: VectorOperators[V, M, S],
    link: AxisLink[V, M, S],
    freedoms: Sequence[EliminatedFreedom[V, S]],
    before: LinkAcceleration[V] | None,
    result: dict[int, S],
) -> LinkAcceleration[V]:
    """Acceleration of O_i from that of what it hangs on, None for a base at rest."""
    dw = a = None
    if before is not None:
        at_joint = before.a
        if link.lever is not None:
            at_joint = o.sum("a b", at_joint, o.cross("dw x b", before.dw, link.lever))
        dw, a = o.turned_back("A dw", link.A, before.dw), o.turned_back("A a", link.A, at_joint)
    for k, (axis, freedom) in enumerate(zip(link.freedoms, freedoms, strict=True), start=1):
        role, own = f"{k} ", freedom.drive
        parts = []
        if dw is not None:
            parts.append(o.dot(f"{role}U.dw", freedom.ratio.n, dw))
        if a is not None:
            parts.append(o.dot(f"{role}U.a", freedom.ratio.f, a))
        for number, part in enumerate(parts, start=1):
            own = o.subtracted(f"{role}acceleration {number}", own, part)
        result[axis.coordinate] = own
        if axis.turn is not None:
            turned = o.scaled(f"{role}dw", own, axis.turn)
            dw = turned if dw is None else o.sum(f"{role}dw+", dw, turned)
        if axis.slide is not None:
            slid = o.scaled(f"{role}a", own, axis.slide)
            a = slid if a is None else o.sum(f"{role}a+", a, slid)
    return LinkAcceleration(o.zero if dw is None else dw, _swung(o, link, dw, a))


def _swung(o: VectorOperators[V, M, S], link: AxisLink[V, M, S], dw: V | None, a: V | None) -> V:
    """Acceleration of O_i from that of its joint."""
    if dw is None:
        return o.zero if a is None else a
    swung = o.cross("dw x p", dw, link.p)
    return swung if a is None else o.sum("a p", a, swung)
