"""Tree topology: ordering of bodies and joints, incidence and path matrices.

Policy: direct-path numbering. The root is 0; every branch is numbered to its tip before the next
one starts, children in the order in which the input lists their joints (Wong 1991, §3.1.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism.body import Body
from phalanx.mechanism.joint import Joint

IntArray = NDArray[np.int64]


def check_unique(owner: str, kinds: str, names: Sequence[str]) -> None:
    """Raise InvalidModel when a name occurs twice or is empty."""
    seen: set[str] = set()
    for name in names:
        if not name:
            raise InvalidModel(f"{owner} has {kinds} without a name.")
        if name in seen:
            raise InvalidModel(f"{owner} has two {kinds} named '{name}'; names must be unique.")
        seen.add(name)


def order_tree(
    owner: str, bodies: Sequence[Body], joints: Sequence[Joint]
) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints of a tree, root first, so that ``joints[k]`` moves ``bodies[k + 1]``.

    Raises:
        InvalidModel: When the joints do not form one tree: two roots, a cycle, two parents.
        UnknownName: When a joint names a body that does not exist.
    """
    by_name = {body.name: body for body in bodies}
    joint_into: dict[str, Joint] = {}
    joints_from: dict[str, list[Joint]] = {name: [] for name in by_name}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in by_name:
                raise UnknownName(f"{owner}, joint '{joint.name}',", "body", end, by_name)
        if joint.parent == joint.child:
            raise InvalidModel(f"joint '{joint.name}' of {owner} joins '{joint.child}' to itself.")
        if joint.child in joint_into:
            raise InvalidModel(
                f"body '{joint.child}' of {owner} has two parents, by joints "
                f"'{joint_into[joint.child].name}' and '{joint.name}'. "
                "A body has one parent in the tree; make the other joint a loop closure."
            )
        joint_into[joint.child] = joint
        joints_from[joint.parent].append(joint)

    roots = [name for name in by_name if name not in joint_into]
    if not roots:
        raise InvalidModel(
            f"the joints of {owner} run in a cycle: no body is without a parent. "
            "Make one of them a loop closure."
        )
    if len(roots) > 1:
        raise InvalidModel(
            f"{owner} has {len(roots)} roots ({', '.join(roots[:6])}); a tree has one. "
            "Connect the others by joints (fixed or floating)."
        )
    ordered_bodies = [by_name[roots[0]]]
    ordered_joints: list[Joint] = []
    stack = list(reversed(joints_from[roots[0]]))
    while stack:
        joint = stack.pop()
        ordered_joints.append(joint)
        ordered_bodies.append(by_name[joint.child])
        stack.extend(reversed(joints_from[joint.child]))
    if len(ordered_bodies) < len(by_name):
        reached = {body.name for body in ordered_bodies}
        lost = [name for name in by_name if name not in reached]
        raise InvalidModel(
            f"the bodies {', '.join(lost[:6])} of {owner} hang on a cycle of joints and not on "
            f"the root '{roots[0]}'. Make one joint of the cycle a loop closure."
        )
    return ordered_bodies, ordered_joints


def incidence_matrix(parents: Sequence[int]) -> IntArray:
    """Wong's U: 1 on the diagonal, -1 at (body, its parent); the root's parent is -1."""
    U = np.eye(len(parents), dtype=np.int64)
    for i, parent in enumerate(parents):
        if parent >= 0:
            U[i, parent] = -1
    return U


def path_matrix(parents: Sequence[int]) -> IntArray:
    """Wong's U⁻¹: 1 at (i, j) when body j lies on the path from the root to body i."""
    paths = np.zeros((len(parents), len(parents)), dtype=np.int64)
    for i, parent in enumerate(parents):
        if parent >= 0:
            paths[i] = paths[parent]
        paths[i, i] = 1
    return paths
