"""Node tree at a posture in root coordinates.

There what moves and what is moved adds up without being carried from body to body: sums over bodies
can be formed in any order, in pairs too, which is what algorithms for many processors that work in
one frame rest on. The price are rotations of every inertia and axis into it.
"""

from __future__ import annotations

from dataclasses import replace

from casadi import SX

from phalanx.equations.spatial import Transform, Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import world_poses
from phalanx.equations.tree.node import Node


def at_root(model: Model, q: SX) -> tuple[Model, list[Transform]]:
    """The same tree with axes and masses of its nodes about the root's origin, in root axes.

    Args:
        model: The tree.
        q: Positions [m or rad], shape (nq,).

    Returns:
        The tree at this posture, whose nodes stand where the root does, and the poses of its nodes
        in the root.
    """
    poses = world_poses(model, model.transforms(q))
    nodes = tuple(_moved(node, X) for node, X in zip(model.nodes, poses, strict=True))
    return replace(model, nodes=nodes), poses


def root_axes(node: Node, X: Transform) -> Twist:
    """Unit motions of a node at its own origin, in root axes."""
    return node.axes.in_parent_axes(X.rotation)


def _moved(node: Node, X: Transform) -> Node:
    return replace(node, axes=root_axes(node, X).at(-X.translation), mass=node.mass.into_parent(X))
