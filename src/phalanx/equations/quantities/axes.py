"""Reference frame and point in which the motion of a frame is expressed.

The three ways are Pinocchio's, under its names: a velocity that is said to be in the world is not
that of the frame's origin there, but that of the point of the body at the world's origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from casadi import SX

from phalanx.base.arguments import unfit
from phalanx.equations.spatial import Rotation, Transform, Twist, zero
from phalanx.equations.tree.model import Model, Place

Axes = Literal["local_world_aligned", "local", "world"]
ALIGNED: Axes = "local_world_aligned"


def check_axes(axes: object) -> None:
    """Raise InvalidInput for what are no axes."""
    if axes not in get_args(Axes):
        raise unfit(
            "axes",
            axes,
            "'local_world_aligned' (velocity of the frame's origin, world axes), 'local' (the same "
            "in the frame's own axes) or 'world' (velocity at the world's origin)",
        )


def poses_seen_from(
    model: Model, X: list[Transform], place: Place
) -> Iterator[tuple[int, Transform]]:
    """The nodes from a frame's own to the root, each with its pose in that frame."""
    # rotations from the frame's side: the turn of X acts on columns, so all is transposed
    R = place.pose.rotation.full().T
    p = -(R @ place.pose.translation)
    child = place.node
    yield child, Transform(Rotation(R), p)
    for i in model.path(place.node):
        R = X[child].rotation.into_parent(R.T).T
        p = p - R @ X[child].translation
        yield i, Transform(Rotation(R), p)
        child = i


def motions_seen_from(
    model: Model, X: list[Transform], v: SX, place: Place
) -> Iterator[tuple[int, Twist]]:
    """How these nodes move against the frame, each in its own axes."""
    child, V = place.node, Twist(zero(), zero())
    yield child, V
    for i in model.path(place.node):
        less = V - model.nodes[child].motion(v)
        V = less.in_parent_axes(X[child].rotation).at(-X[child].translation)
        yield i, V
        child = i
