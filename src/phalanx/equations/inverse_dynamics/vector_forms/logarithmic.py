"""Logarithmic Newton-Euler: motions by a parallel prefix, loads by a parallel suffix.

The source has chains. A tree is paths of links: those of a branch begin with the motion of the link
that they hang on, in the tiers after those that gave it, and what the branch weighs is added to
what that link needs by itself.

Reference:
    Lathrop, MIT AI-TR-754 (1983), ch. IV to VI.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from phalanx.base.scans import PrefixNetwork, prefix_by_level, suffix_by_level
from phalanx.equations.inverse_dynamics.paths import heaviest_children, heavy_paths
from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, JointLoad, LinkMotion
from phalanx.equations.inverse_dynamics.vector_forms.loads import (
    LoadSegment,
    Reach,
    about_joint,
    base_load_leaf,
    combine_loads,
    load_leaf,
    reach_of,
    tip_leaf,
    unified_load_leaf,
    with_branches,
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
    carrier,
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
        chain: The chain or tree.
        network: How segments are joined.
        grounded: Whether to begin at joint 1, for a base that does not turn.
        unified: Whether leaves take the operations of a combination; for chains of joints that
            turn or slide.
        lean: Whether loads are combined by nine operators instead of the source's eleven.
    """
    reaches = [reach_of(work, i, link) for i, link in enumerate(chain.links, start=1)]
    motions = _link_motions(work, chain, network, reaches, grounded=grounded, unified=unified)
    own = own_wrenches(work, chain, motions)
    ends = load_leaves(
        work, chain, own, grounded=grounded, unified=unified, lean=lean, reaches=reaches
    )

    def join(level: int, left: LoadSegment[V, M], right: LoadSegment[V, M]) -> LoadSegment[V, M]:
        return combine_loads(work, level, left, right, lean=lean)

    leaves = dict(enumerate(ends, start=1 if grounded else 0))
    segments: dict[int, LoadSegment[V, M]] = {}
    branches: dict[int, list[tuple[M, LoadSegment[V, M]]]] = defaultdict(list)
    tiers: dict[int, int] = defaultdict(int)  # in which branches on a link have come to their end
    for path in reversed(_paths(chain, grounded=grounded)):
        begun = max(tiers[i] for i in path)

        def join_after(
            level: int,
            left: LoadSegment[V, M],
            right: LoadSegment[V, M],
            begun: int = begun,
        ) -> LoadSegment[V, M]:
            return join(begun + level, left, right)

        whole = [
            with_branches(work.at(PassDirection.INWARD, 0, i, i), leaves[i], branches[i])
            for i in path
        ]
        joined = suffix_by_level(network, whole, join_after)
        segments |= dict(zip(path, joined, strict=True))
        if path[0]:
            link = chain.links[path[0] - 1]
            branches[link.parent].append((link.A, joined[0]))
            ended = begun + len(network.levels(len(path)))
            tiers[link.parent] = max(tiers[link.parent], ended)
    loads = [segments[i].load for i in sorted(segments)]
    shift = len(loads) - len(chain.links)
    for i, reach in enumerate(reaches, start=1):
        o = work.at(PassDirection.READOUT, 0, i, i)
        loads[shift + i - 1] = about_joint(o, reach, loads[shift + i - 1])
    return loads


def _paths(chain: AxisChain[V, M, S], *, grounded: bool) -> list[list[int]]:
    """Links of each path, from 1, a path after that on which it hangs; the base, 0, begins one."""
    parents = [link.parent - 1 for link in chain.links]
    paths = [[i + 1 for i in path] for path in heavy_paths(parents)]
    first = heaviest_children(parents)[-1] + 1
    paths.sort(key=lambda path: path[0] != first)  # that of the base comes first
    return paths if grounded else [[0, *paths[0]], *paths[1:]]


def _link_motions(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    network: PrefixNetwork,
    reaches: Sequence[Reach[V]],
    *,
    grounded: bool,
    unified: bool,
) -> list[LinkMotion[V]]:
    """How every link moves, by parallel prefixes."""
    moved: dict[int, LinkMotion[V]] = {}
    tiers: dict[int, int] = {0: 0}  # in which the motion of a link is there
    base = None if grounded else base_leaf(work, chain.base)
    for path in _paths(chain, grounded=grounded):
        links = [i for i in path if i]
        parent = chain.links[links[0] - 1].parent
        begun, leaves = tiers[parent], []
        if parent:
            o = work.at(PassDirection.OUTWARD, 0, parent, parent)
            leaves.append(carrier(o, parent, moved[parent]))
        elif base is not None:
            leaves.append(base)
        for i in links:
            link = chain.links[i - 1]
            ground = chain.base.motion if grounded and not link.parent else None
            if unified:
                leaves.append(unified_leaf(work, i, link, ground))
            else:
                leaves.append(leaf(work, i, link, ground, reaches[i - 1].R))

        def join(
            level: int,
            left: SegmentMotion[V, M],
            right: SegmentMotion[V, M],
            begun: int = begun,
        ) -> SegmentMotion[V, M]:
            return combine(work, begun + level, left, right)

        joined = prefix_by_level(network, leaves, join)[len(leaves) - len(links) :]
        moved |= {i: segment.motion for i, segment in zip(links, joined, strict=True)}
        tiers |= dict.fromkeys(links, begun + len(network.levels(len(leaves))))
    return [moved[i] for i in sorted(moved)]


def load_leaves(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    own: Sequence[OwnWrench[V]],
    *,
    grounded: bool = False,
    unified: bool = False,
    lean: bool = False,
    reaches: Sequence[Reach[V]] | None = None,
) -> list[LoadSegment[V, M]]:
    """The links as segments of loads, after the base unless grounded."""
    after = [chain.A_tip for _ in range(len(chain.links) + 1)]  # to the next link of a path
    for path in _paths(chain, grounded=False):
        for i, j in pairwise(path):
            after[i] = chain.links[j - 1].A
    ends = []
    for i, (link, wrench) in enumerate(zip(chain.links, own, strict=True), start=1):
        if unified:
            ends.append(unified_load_leaf(work, i, link, wrench, after[i], lean=lean))
        else:
            reach = None if reaches is None else reaches[i - 1]
            ends.append(load_leaf(work, i, link, wrench, after[i], reach))
    if chain.tip is not None:
        k = chain.tip_link
        ends[k - 1] = tip_leaf(work, k, ends[k - 1], chain.A_tip, chain.tip)
    if not grounded:
        ends.insert(0, base_load_leaf(work.at(PassDirection.INWARD, 0, 0, 0), after[0]))
    return ends
