"""Detection of platforms on legs: which node is the platform, which belong to which leg."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism import Mechanism
from phalanx.mechanism.loop import Loop


def platform_node(model: Model) -> int:
    """The node that is free in the plane or in space."""
    free = [
        i
        for i, node in enumerate(model.nodes)
        if node.parent < 0 and node.freedom in (Freedom.PLANE, Freedom.FREE)
    ]
    if len(free) != 1 or model.has_mimics or not model.mechanism.loops:
        raise InvalidModel(
            f"'{model.mechanism.name}' is not a platform on legs: this method takes one body that "
            "is free in the plane or in space, legs of turning and sliding joints from the base, "
            "and a loop from each leg to the platform. Use multipliers or projection."
        )
    return free[0]


def chain_to(model: Model, platform: int, loop: Loop) -> list[int]:
    """Nodes of the leg that a loop closes, from the base."""
    ends = [place.node for place in model.ends(loop)]
    others = [end for end in ends if end != platform]
    if len(others) != 1 or others[0] < 0:
        raise InvalidModel(
            f"loop '{loop.name}' of '{model.mechanism.name}' does not join a leg and the platform "
            f"'{model.nodes[platform].joint}'. Use multipliers or projection."
        )
    return [*reversed(model.path(others[0])), others[0]]


def check_all_nodes_used(model: Model, platform: int, chains: list[list[int]]) -> None:
    """Raise InvalidModel unless every node belongs to one leg, or is the platform."""
    used = [platform, *(i for chain in chains for i in chain)]
    joints = {model.nodes[i].joint for i in used if used.count(i) > 1}
    joints |= {node.joint for i, node in enumerate(model.nodes) if i not in used}
    joints |= {
        model.nodes[i].joint
        for i in used[1:]
        if model.nodes[i].freedom in (Freedom.PLANE, Freedom.FREE)
    }
    if joints:
        raise InvalidModel(
            f"'{model.mechanism.name}' is not a platform on legs: {', '.join(sorted(joints))} "
            "belong to no leg or to several, or move freely. Use multipliers or projection."
        )


def driven_velocities(mechanism: Mechanism, actuated: Sequence[str] | None) -> list[int]:
    """Numbers of the velocities of motors."""
    names = [j.name for j in mechanism.actuated_joints] if actuated is None else actuated
    driven: list[int] = []
    for name in names:
        mechanism.joint(name)
        part = mechanism.v_slices[name]
        driven += range(part.start, part.stop)
    return driven


def checked_shares(shares: Sequence[float] | None, legs: int) -> list[float]:
    """How much of the platform each leg carries; even when not given."""
    if shares is None:
        return [1 / legs] * legs
    given = np.asarray(shares, dtype=np.float64)
    if given.shape != (legs,) or not np.isfinite(given).all() or abs(given.sum() - 1) > 1e-12:
        raise InvalidInput(
            f"shares of the platform must be {legs} numbers that add up to 1, got {shares}."
        )
    return [float(share) for share in given]
