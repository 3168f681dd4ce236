"""Mass matrix by composite bodies in vector operations.

Inward, each link takes up the inertia of all beyond it. The wrench that a unit of a joint's
acceleration asks for then goes from joint to joint to the base, an entry at each.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
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
    load_at_joint,
    response,
)

Entries = dict[tuple[int, int], S]


def mass_matrix(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], bodies: Sequence[AxisBody[M, S]]
) -> Entries[S]:
    """Entries of M that are not always zero, by pairs of coordinates, both orders."""
    totals = [body.inertia for body in bodies]
    entries: Entries[S] = {}
    for i in reversed(range(1, len(chain.links) + 1)):
        link, body = chain.links[i - 1], bodies[i - 1]
        o = work.at(PassDirection.INWARD, 0, i, i)
        at_joint = about(o, "p", totals[i - 1], body.arm)
        _take_column(work, chain, i, at_joint, body, entries)
        if link.parent:
            to = work.at(PassDirection.INWARD, 0, link.parent, link.parent)
            handed = handed_inertia(work, i, link, body, at_joint)
            totals[link.parent - 1] = inertia_sum(to, f"+{i} ", totals[link.parent - 1], handed)
    return entries


def _take_column(
    work: Workplace[V, M, S],
    chain: AxisChain[V, M, S],
    i: int,
    at_joint: BlockInertia[M],
    body: AxisBody[M, S],
    entries: Entries[S],
) -> None:
    """Entries between joint i and all joints that lead to it."""
    freedoms = chain.links[i - 1].freedoms

    def enter(j: int, role: str, row: int, column: int, value: S) -> None:
        before = entries.get((row, column))
        if before is not None:  # joints that mimic each other share a coordinate
            o = work.at(PassDirection.READOUT, 0, j, j)
            value = o.added(f"{role} shared {row},{column}", before, value)
        entries[row, column] = value

    for k, freedom in enumerate(freedoms):
        role, c = f"{i}.{k + 1} ", freedom.coordinate
        o = work.at(PassDirection.READOUT, 0, i, i)
        load = response(o, role, at_joint, freedom)
        for other in range(k + 1):
            entry = along(o, f"{role}M{other + 1}", freedoms[other], load)
            rotor = body.rotors[k] if other == k else None
            if rotor is not None:
                entry = o.added(f"{role}rotor", entry, rotor)
            enter(i, role, c, freedoms[other].coordinate, entry)
            if other != k:
                enter(i, role, freedoms[other].coordinate, c, entry)
        j = i
        while chain.links[j - 1].parent:
            link, j = chain.links[j - 1], chain.links[j - 1].parent
            o = work.at(PassDirection.READOUT, 0, j, j)
            load = load_at_joint(o, role, chain.links[j - 1], handed_load(o, role, link, load))
            for other, there in enumerate(chain.links[j - 1].freedoms, start=1):
                entry = along(o, f"{role}M{other}", there, load)
                enter(j, f"{role}M{other} row", there.coordinate, c, entry)
                enter(j, f"{role}M{other} column", c, there.coordinate, entry)
