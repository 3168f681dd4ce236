"""Logarithmic Newton-Euler: motions by a parallel prefix, loads by a parallel suffix.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. IV to VI.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.base.scans import PrefixNetwork, prefix_by_level, suffix_by_level
from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, JointLoad, LinkMotion
from phalanx.equations.inverse_dynamics.vector_forms.loads import (
    LoadSegment,
    base_load_leaf,
    combine_loads,
    load_leaf,
    tip_leaf,
    unified_load_leaf,
)
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    Workplace,
)
from phalanx.equations.inverse_dynamics.vector_forms.own import OwnWrench, own_wrenches
from phalanx.equations.inverse_dynamics.vector_forms.segments import (
    SegmentMotion,
    base_leaf,
    combine,
    leaf,
    unified_leaf,
)


def logarithmic_form(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    network: PrefixNetwork,
    *,
    grounded: bool = False,
    unified: bool = False,
    lean: bool = False,
) -> list[JointLoad[V]]:
    """Joint loads by the logarithmic form; unless grounded, that of the ground comes first.

    Args:
        work: Where operators are to be had.
        chain: The chain.
        network: How segments are joined.
        grounded: Whether to begin at joint 1, for a base that does not turn.
        unified: Whether leaves take the operations of a combination.
        lean: Whether loads are combined by nine operators instead of the source's eleven.
    """
    motions = link_motions(work, chain, network, grounded=grounded, unified=unified)
    own = own_wrenches(work, chain, motions)
    ends = load_leaves(work, chain, own, grounded=grounded, unified=unified, lean=lean)

    def join(level: int, left: LoadSegment[V, M], right: LoadSegment[V, M]) -> LoadSegment[V, M]:
        return combine_loads(work, level, left, right, lean=lean)

    return [segment.load for segment in suffix_by_level(network, ends, join)]


def link_motions(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    network: PrefixNetwork,
    *,
    grounded: bool = False,
    unified: bool = False,
) -> list[LinkMotion[V]]:
    """How every link moves, by a parallel prefix."""
    leaves = [] if grounded else [base_leaf(work, chain.base)]
    for i, link in enumerate(chain.links, start=1):
        ground = chain.base.motion if grounded and i == 1 else None
        if unified:
            leaves.append(unified_leaf(work, i, link, ground))
        else:
            leaves.append(leaf(work, i, link, ground))

    def join(
        level: int, left: SegmentMotion[V, M], right: SegmentMotion[V, M]
    ) -> SegmentMotion[V, M]:
        return combine(work, level, left, right)

    segments = prefix_by_level(network, leaves, join)
    return [segment.motion for segment in segments[0 if grounded else 1 :]]


def load_leaves(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    own: Sequence[OwnWrench[V]],
    *,
    grounded: bool = False,
    unified: bool = False,
    lean: bool = False,
) -> list[LoadSegment[V, M]]:
    """The links as segments of loads, after the base unless grounded."""
    links, count = chain.links, len(chain.links)
    ends = []
    for i, (link, wrench, A) in enumerate(zip(links, own, chain.A_after, strict=True), start=1):
        if unified:
            ends.append(unified_load_leaf(work, i, link, wrench, A, lean=lean))
        else:
            ends.append(load_leaf(work, i, link, wrench, A))
    if chain.tip is not None:
        ends[-1] = tip_leaf(work, count, links[-1], ends[-1], chain.A_tip, chain.tip)
    if not grounded:
        ends.insert(0, base_load_leaf(work.at(PassDirection.INWARD, 0, 0, 0), links[0].A))
    return ends
