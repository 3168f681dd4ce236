"""Scene graph of a mechanism: nodes made once, moved by one kernel call a posture.

Bodies that are fixed to each other move as one, so only *carriers* (the root, and bodies behind a
joint that moves) become moving nodes. Everything else hangs on its carrier at a constant pose.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.mechanism import Mechanism, Mesh, Pose, Prism, Visual
from phalanx.mechanism.pose import Array
from phalanx.view.scene.nodes import add_shape, colour_bytes, placed
from phalanx.view.scene.postures import poses_of
from phalanx.view.scene.skeleton import (
    INERTIA_COLOUR,
    bones,
    coloured,
    extent_of,
    inertia_ellipsoid,
    joint_marks,
)
from phalanx.view.scene.springs import Springs
from phalanx.view.scene.struts import Struts

if TYPE_CHECKING:
    from viser import SceneApi

AXES = 0.06  # length of drawn axes, of the machine's extent
STILL = 1e-6  # [m, rad] that cannot be seen: a machine at rest costs nothing
THINNEST = 0.002  # radius of an ellipsoid, of the extent: a flat one would have no surface


@final
class Scene:
    """The nodes of a mechanism, in layers that can be shown and hidden."""

    detail = np.inf  # [m]: nothing is so small that one would have to come nearer for it

    def __init__(self, scene: SceneApi, mechanism: Mechanism, q: Array) -> None:
        """Make the nodes of all shapes, at posture ``q``; other layers when they are first shown.

        A mesh that cannot be read is replaced by bones, with a warning.
        """
        self.mechanism = mechanism
        self._scene = scene
        count = len(mechanism.bodies)
        self._poses = poses_of(mechanism)
        self._placed = np.full((count, 4, 4), np.nan)
        self._carrier, self._on_carrier = carriers(mechanism)
        self._nodes = {
            i: scene.add_frame(f"/machine/{self._name(i)}", show_axes=False)
            for i in sorted(set(self._carrier))
        }
        self._struts = Struts(scene, mechanism, mechanism.struts)
        self._springs = Springs(scene, mechanism, self.poses(q))
        self._corners: list[tuple[int, Array]] = []
        self._extent = extent_of(mechanism, [Pose(X[:3, :3], X[:3, 3]) for X in self.poses(q)])
        self._has_shapes = any(body.visuals for body in mechanism.bodies)
        self._layers: dict[str, list[Any]] = {}
        self._makers: dict[str, Callable[[], list[Any]]] = {
            "shapes": self._make_shapes,
            "joints": self._make_joints,
            "frames": self._make_frames,
            "names": self._make_names,
            "inertias": self._make_inertias,
        }
        for layer in self.shown_at_first:
            self.show_layer(layer, True)
        self.move(q)

    @property
    def layers(self) -> tuple[str, ...]:
        """What can be shown and hidden."""
        return tuple(self._makers)

    @property
    def shown_at_first(self) -> tuple[str, ...]:
        """Shapes, and joints unless shapes of more than plain sticks show where they are."""
        shown = any(
            isinstance(visual.geometry, Mesh | Prism)
            for body in self.mechanism.bodies
            for visual in body.visuals
        )
        return ("shapes",) if shown else ("shapes", "joints")

    def poses(self, q: Array) -> Array:
        """Pose of every body at ``q``, shape (bodies, 4, 4)."""
        return self._poses(q)

    def move(self, q: Array) -> None:
        """Put the machine into a posture; only what moved is sent."""
        from viser.transforms import SO3

        X = self.poses(q)
        moved = ~(np.abs(X - self._placed).max(axis=(1, 2)) <= STILL)
        if not moved.any():
            return
        self._placed[moved] = X[moved]
        nodes = [i for i in self._nodes if moved[i]]
        turns = SO3.from_matrix(X[nodes, :3, :3]).wxyz
        for i, turn in zip(nodes, turns, strict=True):
            self._nodes[i].wxyz = turn
            self._nodes[i].position = X[i, :3, 3]
        self._struts.place(X)
        self._springs.place(X)

    def show_layer(self, layer: str, visible: bool) -> None:
        """Show or hide a layer."""
        if layer not in self._layers:
            if not visible:
                return
            self._layers[layer] = self._makers[layer]()
        for node in self._layers[layer]:
            node.visible = visible

    def bounds(self, q: Array) -> tuple[Array, Array]:
        """Lower and upper corner of the box that holds all shapes at ``q`` [m]."""
        every = self.points(q)
        return every.min(axis=0), every.max(axis=0)

    def points(self, q: Array) -> Array:
        """Places of bodies and corners of shapes at ``q`` [m], shape (n, 3)."""
        X = self.poses(q)
        corners = [points @ X[i, :3, :3].T + X[i, :3, 3] for i, points in self._corners]
        return np.concatenate([X[:, :3, 3], *corners])

    # -- layers ----------------------------------------------------------------------------------

    def _make_shapes(self) -> list[Any]:
        nodes = []
        for i, body in enumerate(self.mechanism.bodies):
            made = [self._add_or_warn(i, k, coloured(v, i)) for k, v in enumerate(body.visuals)]
            kept = [node for node in made if node is not None]
            # bodies without mass and shape are names for places
            if not kept and (body.mass or not self._has_shapes):
                sticks = bones(self.mechanism, i, self._extent)
                kept = [self._add(i, f"bone_{k}", bone) for k, bone in enumerate(sticks)]
            nodes += kept
        return [*nodes, *self._struts.nodes, *self._springs.nodes]

    def _make_joints(self) -> list[Any]:
        marks = joint_marks(self.mechanism, self._extent)
        return [self._add(i, f"joint_{k}", mark) for k, (i, mark) in enumerate(marks)]

    def _make_frames(self) -> list[Any]:
        length = AXES * self._extent
        return [
            self._scene.add_frame(
                self._path(i, "frame"), axes_length=length, axes_radius=length / 16, **self._at(i)
            )
            for i in range(len(self.mechanism.bodies))
        ]

    def _make_names(self) -> list[Any]:
        return [
            self._scene.add_label(
                self._path(i, "name"), body.name, font_screen_scale=0.8, **self._at(i)
            )
            for i, body in enumerate(self.mechanism.bodies)
        ]

    def _make_inertias(self) -> list[Any]:
        nodes = []
        for i, body in enumerate(self.mechanism.bodies):
            found = inertia_ellipsoid(body)
            if found is not None:
                radii = np.maximum(found[1], THINNEST * self._extent)
                node = self._scene.add_icosphere(
                    self._path(i, "inertia"),
                    radius=1.0,
                    color=colour_bytes(INERTIA_COLOUR),
                    opacity=INERTIA_COLOUR[3],
                    scale=tuple(radii),
                    cast_shadow=False,
                    **self._at(i, found[0]),
                )
                nodes.append(node)
        return nodes

    # -- nodes -----------------------------------------------------------------------------------

    def _add_or_warn(self, i: int, k: int, visual: Visual) -> Any:
        try:
            return self._add(i, f"shape_{k}", visual)
        except ReadError as error:
            warnings.warn(f"{error} Drawn without it.", stacklevel=2)
            return None

    def _add(self, i: int, name: str, visual: Visual) -> Any:
        """A node for a shape on body ``i``."""
        X = self._on_carrier[i] @ visual.pose
        node, points = add_shape(self._scene, self._path(i, name), visual, X)
        self._corners.append((self._carrier[i], points @ X.rotation.T + X.translation))
        return node

    def _at(self, i: int, pose: Pose | None = None) -> dict[str, Any]:
        """Where a pose in body ``i`` is on its carrier, as the scene's keywords."""
        return placed(self._on_carrier[i] @ (pose or Pose()))

    def _path(self, i: int, name: str) -> str:
        return f"/machine/{self._name(self._carrier[i])}/{self._name(i)}_{name}"

    def _name(self, i: int) -> str:
        """Unique, and without the character that separates levels."""
        return f"{i}_{self.mechanism.bodies[i].name.replace('/', '_')}"


def carriers(mechanism: Mechanism) -> tuple[list[int], list[Pose]]:
    """For each body the body that carries it without a moving joint between, and its pose there."""
    carrier, on_carrier = [0], [Pose()]
    for k, joint in enumerate(mechanism.joints):
        parent = mechanism.parents[k + 1]
        if joint.motion.nv:
            carrier.append(k + 1)
            on_carrier.append(Pose())
        else:
            carrier.append(carrier[parent])
            on_carrier.append(on_carrier[parent] @ joint.pose)
    return carrier, on_carrier
