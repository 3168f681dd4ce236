"""Bodies about their centres of mass: the data of Newton-Euler state space (NESS) methods.

Each body of the tree has a frame at its centre of mass, with the axes of its node. From there k
points to its own hinge, which is the origin of its node, and l to the hinge of each child. The root
has its frame where the mechanism has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.equations.spatial import Rotation, Transform, Twist, zero
from phalanx.equations.spatial.link import Link, rounded
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node


@dataclass(frozen=True)
class CentredBody:
    """A body and its elementary joint, about the centre of mass (COG) and in the body's axes.

    Attributes:
        node: The node it stems from: name of the joint, coordinates, rotor.
        rotation: From body axes to the parent's, at the posture asked for.
        m: Mass [kg].
        J: Inertia about the COG [kg·m²], shape (3, 3).
        k: From the COG to the body's own hinge [m].
        l: Child's index to the vector from the COG to the child's hinge [m]; of a child that slides
            it changes with the posture.
        l_parent: The parent's l to this body, in the parent's axes [m].
    """

    node: Node
    rotation: Rotation
    m: SX
    J: SX
    k: SX
    l: dict[int, SX]
    l_parent: SX

    @property
    def parent(self) -> int:
        """Index of the parent, -1 for the root."""
        return self.node.parent

    @property
    def freedom(self) -> Freedom:
        """How its joint moves."""
        return self.node.freedom

    @property
    def axes(self) -> Twist:
        """Motion of each unit velocity at the hinge, in body axes: for a hinge, (z, 0)."""
        return self.node.axes

    @cached_property
    def A(self) -> SX:
        """Rotation from the parent's axes to the body's, shape (3, 3); the source's A_i."""
        return self.rotation.full().T

    @property
    def twist(self) -> float | None:
        """Angle alpha about x from the parent's axes to the joint's [rad], where that is all."""
        R = self.node.placement.rotation.matrix
        if not R.is_constant():
            return None
        numbers = np.asarray(ca.DM(R))
        alpha = float(np.arctan2(numbers[2, 1], numbers[2, 2]))
        about_x = np.array(
            [[1, 0, 0], [0, np.cos(alpha), -np.sin(alpha)], [0, np.sin(alpha), np.cos(alpha)]]
        )
        return alpha if np.allclose(numbers, about_x, rtol=0, atol=1e-12) else None

    @property
    def has_mass(self) -> bool:
        """Whether anything of it resists a motion; a joint of two axes has a node that does not."""
        return not (self.m.is_zero() and self.J.is_zero())

    def d(self, child: int) -> SX:
        """From the hinge of a child to the body's own, k - l, in body axes [m]."""
        return self.k - self.l[child]

    @property
    def placement(self) -> Transform:
        """Pose of its hinge as the parent's centre of mass sees it, turned with the body."""
        return Transform(self.rotation, self.l_parent)


def centred_bodies(model: Model, q: SX) -> tuple[CentredBody, ...]:
    """The bodies of a tree at positions ``q``, parents first.

    Args:
        model: The tree, with the masses of its bodies (not regrouped). ``model_in_given_frames``
            keeps the source's frames, ``model_of`` chooses others.
        q: Positions [m or rad], shape (nq,).

    Raises:
        InvalidModel: A node has a first moment without a mass, as after regrouping, or spins in a
            frame that stands still.

    Reference:
        Wong (1991), §2.2.4 and §3.1.2.
    """
    spinning = next((node.joint for node in model.nodes if node.spin is not None), None)
    if spinning is not None:
        raise InvalidModel(
            f"the body on joint '{spinning}' spins in a frame that stands still, and its mass is "
            "counted elsewhere; give the mechanism, or its model before regrouping."
        )
    X = model.transforms(q)
    links = [Link.of(node.mass) for node in model.nodes]
    # a child's hinge stands at its translation from the parent's hinge, which stands at k
    l_parent = [
        rounded(X[i].translation - (links[node.parent].s if node.parent >= 0 else zero()))
        for i, node in enumerate(model.nodes)
    ]
    children: list[dict[int, SX]] = [{} for _ in model.nodes]
    for i, node in enumerate(model.nodes):
        if node.parent >= 0:
            children[node.parent][i] = l_parent[i]
    return tuple(
        CentredBody(node, X[i].rotation, link.m, link.I, -link.s, children[i], l_parent[i])
        for i, (node, link) in enumerate(zip(model.nodes, links, strict=True))
    )
