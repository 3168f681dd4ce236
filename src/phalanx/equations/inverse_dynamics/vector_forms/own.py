"""Inertial wrench of a link about its centre of mass, shared by linear and logarithmic forms.

Reference:
    Lathrop, MIT AI-TR-754 (1983), tables I.1 and III.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, AxisLink, LinkMotion
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    Workplace,
)


@dataclass(frozen=True)
class OwnWrench(Generic[V]):
    """Force [N] and moment about the centre of mass [N·m] that give a link its motion."""

    F: V
    N: V


def own_wrench(
    work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S], motion: LinkMotion[V]
) -> OwnWrench[V]:
    """T12 to T18: r'' of the centre of mass, F = m r'', N = J w' + w × J w."""
    o = work.at(PassDirection.OWN, 0, i, i)
    w, dw = motion.w, motion.dw
    T12 = o.cross("T12", w, link.r)
    T13 = o.cross("T13", w, T12)
    T14 = o.cross("T14", dw, link.r)
    T15 = o.sum("T15", T13, T14)
    rdd = o.sum("rdd", T15, motion.a)
    F = o.scaled("F", link.m, rdd)
    T16 = o.turned("T16", link.J, w)
    T17 = o.cross("T17", w, T16)
    T18 = o.turned("T18", link.J, dw)
    return OwnWrench(F, o.sum("N", T17, T18))


def own_wrenches(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], motions: Sequence[LinkMotion[V]]
) -> list[OwnWrench[V]]:
    """Inertial wrenches of all links."""
    pairs = zip(chain.links, motions, strict=True)
    return [own_wrench(work, i, link, motion) for i, (link, motion) in enumerate(pairs, start=1)]
