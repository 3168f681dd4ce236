"""A machine cut into parts that meet only in their loops: legs, platforms.

Branches that leave the root separately share no inertia: the mass matrix has a block for each, and
what one does to another goes through the closures between them. So every branch is a part that a
node can own.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Mechanism


@short_repr
@dataclass(frozen=True)
class Part:
    """A part of a machine that owns its coordinates.

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


def subsystems(mechanism: Mechanism) -> tuple[Part, ...]:
    """The parts of a machine, in the order of their first bodies.

    Raises:
        InvalidModel: The machine has no loops, or is one part.
    """
    if not mechanism.loops:
        raise InvalidModel(
            f"mechanism '{mechanism.name}' has no loops, so its parts do not meet: simulate it as "
            "one, or take a machine with closures, such as planar_3rrr."
        )
    branches = _branches(mechanism)
    parts = []
    for branch in dict.fromkeys(branches.values()):
        bodies = tuple(body for body, of in branches.items() if of == branch)
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
        parts.append(Part(branch, bodies, names, q, v, loops))
    if len(parts) < 2:
        raise InvalidModel(
            f"all that moves in mechanism '{mechanism.name}' hangs on one branch, "
            f"'{parts[0].name if parts else mechanism.bodies[0].name}'; there is nothing to cut."
        )
    return tuple(parts)


def _branches(mechanism: Mechanism) -> dict[str, str]:
    """For each body but the root, the first body of its branch."""
    root = mechanism.bodies[0].name
    branches: dict[str, str] = {}
    for joint in mechanism.joints:
        branches[joint.child] = joint.child if joint.parent == root else branches[joint.parent]
    # coordinates that follow others belong with them
    for joint in mechanism.joints:
        if joint.mimic is not None:
            own = branches[joint.child]
            other = branches[mechanism.joint(joint.mimic.leader).child]
            branches = {body: other if of == own else of for body, of in branches.items()}
    return branches


def _range(part: slice) -> range:
    return range(part.start, part.stop)
