"""Loads of segments of a chain, combined by a parallel suffix.

The mirror image of :mod:`segments`: a parallel suffix gives the load of every joint. Handed on are
the force and moment of a segment, and how it reaches on to the next one. The source hands the lever
R on in axes of the segment's last frame; here it is in those of the first, where both come from the
same matrix W and its number of operators is right: in the source's axes each node would need
W[k+1, b] too, a further product of matrices, which it does not count.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. IV and V, tables IV.1 and V.1, appendices B to D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisLink, JointLoad
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench


@dataclass(frozen=True)
class LoadSegment(Generic[V, M]):
    """Load of links a … b on joint a, in axes of O_a.

    Attributes:
        first, last: a and b.
        f: Force [N].
        n: Moment about O_{a-1} [N·m].
        W: From the axes of O_{b+1} to those of O_a.
        R: From O_{a-1} to O_b [m].
    """

    first: int
    last: int
    f: V
    n: V
    W: M
    R: V

    @property
    def load(self) -> JointLoad[V]:
        """Of a segment that ends at the tip: what its first joint carries."""
        return JointLoad(self.f, self.n)


def base_load_leaf(o: VectorOperators[V, M, S], A_after: M) -> LoadSegment[V, M]:
    """The base, which needs nothing: what it ends up with is what the ground carries."""
    return LoadSegment(0, 0, o.zero, o.zero, A_after, o.zero)


@dataclass(frozen=True)
class Reach(Generic[V]):
    """How a link reaches from what it hangs on, in axes of O_i.

    Attributes:
        lever: From O_{i-1} to the joint [m]; None where they coincide.
        R: From O_{i-1} to O_i [m].
    """

    lever: V | None
    R: V


def reach_of(work: Workplace[V, M, S], i: int, link: AxisLink[V, M, S]) -> Reach[V]:
    """B1 and B2: the lever of a joint in axes of its link, and with it the whole reach."""
    if link.lever is None:
        return Reach(None, link.p)
    o = work.at(PassDirection.OUTWARD, 0, i, i)
    lever = o.turned_back("B1", link.A, link.lever)
    return Reach(lever, o.sum("B2", lever, link.p))


def load_leaf(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    own: OwnWrench[V],
    A_after: M,
    reach: Reach[V] | None = None,
) -> LoadSegment[V, M]:
    """One link; ``A_after`` is from the axes of O_{i+1} to those of O_i."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    sF = o.cross("sF", link.s, own.F)
    n = o.sum("n", own.N, sF)
    if reach is None or reach.lever is None:
        return LoadSegment(i, i, own.F, n, A_after, link.p)
    n = o.sum("B4", n, o.cross("B3", reach.lever, own.F))
    return LoadSegment(i, i, own.F, n, A_after, reach.R)


def with_branches(
    o: VectorOperators[V, M, S],
    leaf: LoadSegment[V, M],
    branches: Sequence[tuple[M, LoadSegment[V, M]]],
) -> LoadSegment[V, M]:
    """A link with further branches: for each T19, T24 and what its force does at the link's end.

    Args:
        o: Operators at the link.
        leaf: The link by itself.
        branches: For each the matrix from the axes of its first link, and its load.
    """
    f, n = leaf.f, leaf.n
    for k, (A, branch) in enumerate(branches, start=2):
        T19 = o.turned(f"T19.{k}", A, branch.f)
        T24 = o.turned(f"T24.{k}", A, branch.n)
        B6 = o.cross(f"B6.{k}", leaf.R, T19)
        f = o.sum(f"B8.{k}", f, T19)
        n = o.sum(f"B7.{k}", n, B6)
        n = o.sum(f"B9.{k}", n, T24)
    return replace(leaf, f=f, n=n)


def about_joint(o: VectorOperators[V, M, S], reach: Reach[V], load: JointLoad[V]) -> JointLoad[V]:
    """B10 and B11: the load on a link about its joint instead of O_{i-1}."""
    if reach.lever is None:
        return load
    B10 = o.cross("B10", load.f, reach.lever)
    return JointLoad(load.f, o.sum("B11", load.n, B10))


def tip_leaf(
    work: Workplace[V, M, S],
    i: int,
    last: LoadSegment[V, M],
    A_tip: M,
    tip: JointLoad[V],
) -> LoadSegment[V, M]:
    """The last link with what the tip gives its surroundings."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    K1 = o.turned("K1", A_tip, tip.f)
    K2 = o.turned("K2", A_tip, tip.n)
    K3 = o.cross("K3", last.R, K1)
    K4 = o.sum("K4", K2, K3)
    f, n = o.sum("K5", last.f, K1), o.sum("K6", last.n, K4)
    return LoadSegment(last.first, last.last, f, n, last.W, last.R)


def combine_loads(
    work: Workplace[V, M, S],
    level: int,
    left: LoadSegment[V, M],
    right: LoadSegment[V, M],
    *,
    lean: bool = False,
) -> LoadSegment[V, M]:
    """[a, k] and [k+1, b] as [a, b]: T19 to T24, W and R.

    The lean form has the lever act where T19 is already turned, R × T19, which saves two operators
    of eleven (T20 and T21 are gone) and takes the same time.
    """
    o = work.at(PassDirection.INWARD, level, left.first, right.last)
    return _combined(o, left, right, lean=lean)


def unified_load_leaf(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    own: OwnWrench[V],
    A_after: M,
    *,
    lean: bool = False,
) -> LoadSegment[V, M]:
    """One link by the operations that combine two segments, for arrays of equal nodes."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    sF = o.cross("sF", link.s, own.F)
    force = LoadSegment(i, i, own.F, own.N, o.unit, o.zero)
    reach = LoadSegment(i, i, o.zero, sF, A_after, link.p)
    return _combined(o, force, reach, lean=lean)


def _combined(
    o: VectorOperators[V, M, S],
    left: LoadSegment[V, M],
    right: LoadSegment[V, M],
    *,
    lean: bool = False,
) -> LoadSegment[V, M]:
    Y = left.W
    T19 = o.turned("T19", Y, right.f)
    f = o.sum("f", left.f, T19)
    if lean:
        T22 = o.cross("T22", left.R, T19)
    else:
        T20 = o.turned_back("T20", Y, left.R)
        T21 = o.cross("T21", T20, right.f)
        T22 = o.turned("T22", Y, T21)
    T23 = o.sum("T23", left.n, T22)
    T24 = o.turned("T24", Y, right.n)
    n = o.sum("n", T23, T24)
    T25 = o.turned("T25", Y, right.R)
    R = o.sum("R", left.R, T25)
    return LoadSegment(left.first, right.last, f, n, o.product("W", Y, right.W), R)
