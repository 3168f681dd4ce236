"""Cylinders that extend: a barrel and a rod each, put between their frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Cylinder, Mechanism, Pose, Strut, Visual
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array
from phalanx.view.nodes import add_shape, placed

if TYPE_CHECKING:
    from viser import SceneApi

BARREL_COLOUR = (0.20, 0.21, 0.23, 1.0)
ROD_COLOUR = (0.86, 0.88, 0.90, 1.0)
TOUCHING = 1e-9  # [m]: frames so near have no direction between them


@final
class Struts:
    """The cylinders of a mechanism in a scene."""

    def __init__(self, scene: SceneApi, mechanism: Mechanism, struts: Sequence[Strut]) -> None:
        """Make the nodes; :meth:`move` or :meth:`place` puts them where they belong.

        Args:
            scene: Where.
            mechanism: The machine that has their frames.
            struts: Which; ``mechanism.struts`` are those it brings along.

        Raises:
            UnknownName: When the machine has no frame of a name.
        """
        self._mechanism = mechanism
        self._struts = tuple(struts)
        self.nodes: list[Any] = []
        for strut, shapes in zip(self._struts, self._shapes(np.eye(4)), strict=True):
            for k, shape in enumerate(shapes):
                path = f"/machine/strut_{strut.name.replace('/', '_')}_{k}"
                self.nodes.append(add_shape(scene, path, shape, shape.pose)[0])

    def move(self, q: Array) -> None:
        """Put the cylinders where they are at positions ``q``, shape (nq,)."""
        self.place(self._poses(q))

    def place(self, X: Array) -> None:
        """Put the cylinders between bodies at these poses, shape (bodies, 4, 4)."""
        shapes = [shape for shapes in self._shapes(X) for shape in shapes]
        for node, shape in zip(self.nodes, shapes, strict=True):
            for name, value in placed(shape.pose).items():
                setattr(node, name, value)

    def _shapes(self, X: Array) -> list[list[Visual]]:
        X = np.broadcast_to(X, (len(self._mechanism.bodies), 4, 4))
        return [strut_shapes(self._mechanism, strut, X) for strut in self._struts]

    @cached_property
    def _poses(self) -> Callable[[Array], Array]:
        from phalanx.equations import body_poses, expression
        from phalanx.kernel import compile as compile_kernel

        count = len(self._mechanism.bodies)
        poses = expression(body_poses, self._mechanism)
        return compile_kernel(poses, shapes={"X": (count, 4, 4)}, threads=1)


def strut_shapes(mechanism: Mechanism, strut: Strut, X: Array) -> list[Visual]:
    """Barrel and rod, of each cylinder that stands beside others, at their poses in the world.

    Args:
        mechanism: The machine that has its frames.
        strut: Which one.
        X: Pose of every body, shape (bodies, 4, 4).

    Raises:
        UnknownName: When the machine has no frame of a name.
    """
    base, rod = (_frame_pose(mechanism, name, X) for name in (strut.base, strut.rod))
    reach = rod[:3, 3] - base[:3, 3]
    length = float(np.linalg.norm(reach))
    along = reach / length if length > TOUCHING else rod[:3, 0]
    turn, half = frame_on_axis(along), strut.length / 2 * along
    shapes = []
    for shift in strut.aside:
        aside = shift * rod[:3, 2]
        for radius, middle, colour in (
            (strut.radius, base[:3, 3] + half, BARREL_COLOUR),
            (strut.rod_radius, rod[:3, 3] - half, ROD_COLOUR),
        ):
            shape = Cylinder(radius, strut.length)
            shapes.append(Visual(shape, Pose(turn, middle + aside), colour))
    return shapes


def _frame_pose(mechanism: Mechanism, name: str, X: Array) -> Array:
    frame = mechanism.frame(name)
    return np.asarray(X[mechanism.body_index(frame.body)] @ frame.pose.matrix)
