"""Choice of the origins of node frames on their axes, for fewest operations.

A turning node's frame may slide along its axis without changing what it describes. Policy: every
origin goes to the point of its axis that leaves fewest non-zero numbers in the shifts from its
parent and to its children, for each costs about ten operations in inverse dynamics. Three passes
over the tree; a choice looks only at its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from phalanx.equations.spatial import Rotation, Transform, constant
from phalanx.equations.tree.model import Model, Place
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism.pose import Array

PASSES = 3
ZERO = 1e-12  # m; shifts are sums of a few given lengths


def slide_origins(model: Model) -> Model:
    """The same model with node origins moved along their axes to where shifts are sparsest."""
    slides = best_slides(model.nodes)
    nodes = [_slid(node, model.nodes, slides, i) for i, node in enumerate(model.nodes)]
    places = {
        name: place
        if place.node < 0 or slides[place.node] == 0
        else Place(place.node, _lowered(place.pose, slides[place.node]))
        for name, place in model.places.items()
    }
    return replace(model, nodes=tuple(nodes), places=places)


def best_slides(nodes: Sequence[Node]) -> list[float]:
    """How far to move each origin along its own z [m]; zero for nodes that do not turn."""
    shifts = [_known(node) for node in nodes]
    axes = [np.asarray(ca.DM(node.placement.rotation.matrix))[:, 2] for node in nodes]
    children: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        if node.parent >= 0:
            children[node.parent].append(i)
    slides = [0.0] * len(nodes)

    def shift(i: int) -> Array | None:
        """Shift from the parent's origin to node i's, as slides are now."""
        own = shifts[i]
        if own is None:
            return None
        parent = nodes[i].parent
        below = slides[parent] if parent >= 0 else 0.0
        return own + axes[i] * slides[i] - np.array([0.0, 0.0, below])

    def cost(i: int) -> int:
        near = (shift(k) for k in (i, *children[i]))
        return sum(int((np.abs(p) > ZERO).sum()) for p in near if p is not None)

    for _ in range(PASSES):
        for i, node in enumerate(nodes):
            touched = (i, *children[i])
            if node.freedom is not Freedom.TURN or any(shifts[k] is None for k in touched):
                continue
            slides[i] = 0.0
            candidates = [0.0, -float(np.dot(_numbers(shift(i)), axes[i]))]
            candidates += [float(_numbers(shift(k))[2]) for k in children[i]]
            costs = []
            for candidate in candidates:
                slides[i] = candidate
                costs.append(cost(i))
            slides[i] = candidates[int(np.argmin(costs))]
    return slides


def _known(node: Node) -> Array | None:
    p = node.placement.translation
    return np.asarray(ca.DM(p)).ravel() if p.is_constant() else None


def _numbers(shift: Array | None) -> Array:
    assert shift is not None
    return shift


def _slid(node: Node, nodes: Sequence[Node], slides: Sequence[float], i: int) -> Node:
    below = slides[node.parent] if node.parent >= 0 else 0.0
    if slides[i] == 0 and below == 0:
        return node
    p = np.asarray(ca.DM(node.placement.translation)).ravel()
    p = p + np.asarray(ca.DM(node.placement.rotation.matrix))[:, 2] * slides[i]
    p = p - np.array([0.0, 0.0, below])
    p[np.abs(p) < ZERO] = 0.0
    lowered = _lowered(Transform(Rotation(ca.SX.eye(3)), ca.SX.zeros(3, 1)), slides[i])
    return replace(
        node,
        placement=Transform(node.placement.rotation, constant(p)),
        mass=node.mass.into_parent(lowered).tidy(),
    )


def _lowered(pose: Transform, slide: float) -> Transform:
    """A pose in a node frame, seen from the frame's new origin."""
    return Transform(pose.rotation, pose.translation - constant([0.0, 0.0, slide]))
