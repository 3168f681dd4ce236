"""Sub-machine: some joints of a chain or tree as a machine of their own, on a moving base.

Kinds of joints stay those of the whole machine, and so does the width of blocks: a part is worked
on by the same machine code, and its blocks are those of the whole, to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, JointKind
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure


def part_of(jointed: JointedBodies, joints: NDArray[np.intp]) -> JointedBodies:
    """The bodies of some joints, rising.

    All those whose parent is not among them stand on the part's root: one body, or the root.
    """
    whole = jointed.structure
    place = np.full(len(jointed) + 1, -1)  # the last is for joints on the root
    place[joints] = np.arange(len(joints))
    steps = jointed.node[joints] - jointed.first_node[joints] + 1
    return JointedBodies(
        _nodes(jointed.bodies, nodes_of(jointed, joints)),
        np.cumsum(steps) - 1,
        Structure(place[whole.parent[joints]].astype(np.int32), whole.sizes[joints], whole.width),
        tuple(_kind(kind, place) for kind in jointed.kinds),
        jointed.inverse_mass[joints],
        jointed.compliance[joints],
    )


def nodes_of(jointed: JointedBodies, joints: NDArray[np.intp]) -> NDArray[np.intp]:
    """Nodes of some joints, joint after joint."""
    spans = zip(jointed.first_node[joints], jointed.node[joints], strict=True)
    return np.concatenate([np.arange(first, last + 1) for first, last in spans])


def _kind(kind: JointKind, place: NDArray[np.intp]) -> JointKind:
    """A kind's joints within a part; there may be none."""
    there = place[kind.members] >= 0
    numbers = tuple(of_node[there] for of_node in kind.numbers)
    return replace(kind, members=place[kind.members[there]], numbers=numbers)


def _nodes(bodies: Bodies, nodes: NDArray[np.intp]) -> Bodies:
    place = np.full(len(bodies) + 1, -1, np.int32)
    place[nodes] = np.arange(len(nodes))
    nq, nv = bodies.nq[nodes], bodies.nv[nodes]
    freedoms = np.repeat(bodies.v[nodes] - np.cumsum(nv) + nv, nv) + np.arange(nv.sum())
    return replace(
        bodies,
        freedom=bodies.freedom[nodes],
        parent=place[bodies.parent[nodes]],
        joint=bodies.joint[nodes],
        rotation=bodies.rotation[nodes],
        translation=bodies.translation[nodes],
        slide=bodies.slide[nodes],
        mass=bodies.mass[nodes],
        first=bodies.first[nodes],
        second=bodies.second[nodes],
        q=(np.cumsum(nq) - nq).astype(np.int32),
        v=(np.cumsum(nv) - nv).astype(np.int32),
        armature=bodies.armature[freedoms],
        body_node=place[bodies.body_node],
    )
