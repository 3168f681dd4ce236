"""Branches of a machine that meet only in its loops: legs, platforms.

Branches that leave the root separately share no inertia: the mass matrix has a block for each, and
what one does to another goes through the closures between them. So a process
can own every branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Mechanism


@short_repr
@dataclass(frozen=True)
class Branch:
    """A branch from the root of a machine, which owns its coordinates.

    Attributes:
        name: The first body of the branch.
        bodies: Names of its bodies.
        joints: Names of its joints that move, in the machine's order.
        q: Numbers of its positions in those of the machine.
        v: Numbers of its velocities.
        loops: Names of the closures that hold it.
    """

    name: str
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    q: tuple[int, ...]
    v: tuple[int, ...]
    loops: tuple[str, ...]


def branches(mechanism: Mechanism) -> tuple[Branch, ...]:
    """Return the branches of a machine, in the order of their first bodies.

    Raises:
        InvalidModel: The machine has no loops, or is one branch.
    """
    if not mechanism.loops:
        raise InvalidModel(
            f"mechanism '{mechanism.name}' has no loops, so its branches do not meet: simulate "
            "it as one, or take a machine with closures, such as planar_3rrr."
        )
    first_bodies = _first_bodies(mechanism)
    found = []
    for first in dict.fromkeys(first_bodies.values()):
        bodies = tuple(body for body, of in first_bodies.items() if of == first)
        joints = [joint for joint in mechanism.moving_joints if joint.child in bodies]
        names = tuple(joint.name for joint in joints)
        if not names:
            continue  # fixed to the root
        q = tuple(k for name in names for k in _range(mechanism.q_slices[name]))
        v = tuple(k for name in names for k in _range(mechanism.v_slices[name]))
        loops = tuple(
            loop.name
            for loop in mechanism.loops
            if {mechanism.frame(frame).body for frame in (loop.frame_a, loop.frame_b)} & {*bodies}
        )
        found.append(Branch(first, bodies, names, q, v, loops))
    if len(found) < 2:
        raise InvalidModel(
            f"all that moves in mechanism '{mechanism.name}' hangs on one branch, "
            f"'{found[0].name if found else mechanism.bodies[0].name}'; there is nothing to divide."
        )
    return tuple(found)


def _first_bodies(mechanism: Mechanism) -> dict[str, str]:
    """Return the first body of the branch of each body but the root."""
    root = mechanism.bodies[0].name
    first: dict[str, str] = {}
    for joint in mechanism.joints:
        first[joint.child] = joint.child if joint.parent == root else first[joint.parent]
    # coordinates that follow others belong with them
    for joint in mechanism.joints:
        if joint.mimic is not None:
            own = first[joint.child]
            other = first[mechanism.joint(joint.mimic.leader).child]
            first = {body: other if of == own else of for body, of in first.items()}
    return first


def _range(part: slice) -> range:
    return range(part.start, part.stop)
