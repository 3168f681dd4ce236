"""Sub-chain: consecutive bodies of a chain as a machine of their own, on a moving base.

Kinds of joints stay those of the whole chain, and so does the width of blocks: a part is worked on
by the same machine code, and its blocks are those of the whole, to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, JointKind
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure


def part_of(jointed: JointedBodies, first: int, stop: int) -> JointedBodies:
    """The bodies ``first`` to ``stop - 1`` of a chain; its root is the body before them."""
    whole = jointed.structure
    assert whole.is_chain and 0 <= first < stop <= len(jointed)
    bodies = _nodes(jointed.bodies, int(jointed.first_node[first]), int(jointed.node[stop - 1]) + 1)
    return JointedBodies(
        bodies,
        jointed.node[first:stop] - jointed.first_node[first],
        Structure(
            np.arange(-1, stop - first - 1, dtype=np.int32), whole.sizes[first:stop], whole.width
        ),
        tuple(_kind(kind, first, stop) for kind in jointed.kinds),
        jointed.inverse_mass[first:stop],
        jointed.compliance[first:stop],
    )


def _kind(kind: JointKind, first: int, stop: int) -> JointKind:
    """A kind's joints within a part; there may be none."""
    a, z = np.searchsorted(kind.members, (first, stop))
    numbers = tuple(of_node[a:z] for of_node in kind.numbers)
    return replace(kind, members=kind.members[a:z] - first, numbers=numbers)


def _nodes(bodies: Bodies, first: int, stop: int) -> Bodies:
    own = slice(first, stop)
    q, v = bodies.q[own], bodies.v[own]
    freedoms = slice(int(v[0]), int(v[-1]) + int(bodies.nv[stop - 1]))
    inside = (bodies.body_node >= first) & (bodies.body_node < stop)
    return replace(
        bodies,
        freedom=bodies.freedom[own],
        parent=bodies.parent[own] - np.int32(first),
        joint=bodies.joint[own],
        rotation=bodies.rotation[own],
        translation=bodies.translation[own],
        slide=bodies.slide[own],
        mass=bodies.mass[own],
        first=bodies.first[own],
        second=bodies.second[own],
        q=q - q[0],
        v=v - v[0],
        armature=bodies.armature[freedoms],
        body_node=np.where(inside, bodies.body_node - first, -1).astype(np.int32),
    )
