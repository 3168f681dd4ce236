"""Instanced scene of thousands of bodies: one message a surface moves all its instances.

It answers as :class:`phalanx.view.scene.scene.Scene` does. A node for every body would take a page
minutes to make and seconds to move; here all bodies together are a handful of nodes. A thread of
a few pixels runs from joint to joint, so that links too small for a picture are still seen. What
the thread covers on all pages that are open is not drawn: it would take a weak computer most of its
time, and it could not be seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import ReadError
from phalanx.mechanism import Floating, Mechanism, Mesh, Planar, Pose, Sphere, Visual
from phalanx.mechanism.pose import Array
from phalanx.mechanism.quaternions import quaternions_of
from phalanx.view.scene.instances import Instance, InstanceBatch, Placements, add_batches
from phalanx.view.scene.meshes import read_mesh
from phalanx.view.scene.nodes import colour_bytes
from phalanx.view.scene.postures import poses_of
from phalanx.view.scene.scene import AXES, STILL, THINNEST
from phalanx.view.scene.skeleton import (
    INERTIA_COLOUR,
    bones,
    coloured,
    inertia_ellipsoid,
    joint_marks,
)
from phalanx.view.scene.springs import Springs
from phalanx.view.scene.struts import Struts

if TYPE_CHECKING:
    from viser import SceneApi

    from phalanx.view.scene.level_of_detail import LevelOfDetail

# marks are scaled as those of a machine of so many links: of all of them they would be boulders
LINKS = 4
THREAD = 2.0  # [pixel]
MOST_STRETCHES = 500  # of a thread: about as many as it has pixels where all of it is seen
THREAD_COLOUR = (0.36, 0.44, 0.52)


@final
class InstancedScene:
    """The bodies of a long mechanism, in layers that can be shown and hidden."""

    def __init__(
        self, scene: SceneApi, mechanism: Mechanism, q: Array, detail: LevelOfDetail | None = None
    ) -> None:
        """Make shapes and thread, at posture ``q``; other layers when they are first shown.

        Without ``detail`` all is drawn, however small. A mesh that cannot be read is replaced by
        bones, with a warning.
        """
        self.mechanism = mechanism
        self._scene, self._detail = scene, detail
        self._poses = poses_of(mechanism)
        self._X = self.poses(q)
        self._wxyz = _wxyz(self._X)
        self._ends = _thread_ends(mechanism)
        self._on_thread = _on_thread(mechanism)
        self.detail = self._typical_link()  # how near one may want to look [m]
        self._has_shapes = any(body.visuals for body in mechanism.bodies)
        self._struts = Struts(scene, mechanism, mechanism.struts)
        self._struts.place(self._X)
        self._springs = Springs(scene, mechanism, self._X)
        self._layers: dict[str, list[Any]] = {}
        self._makers: dict[str, Callable[[], list[Any]]] = {
            "shapes": self._make_shapes,
            "thread": self._make_thread,
            "joints": self._make_joints,
            "frames": self._make_frames,
            "inertias": self._make_inertias,
        }
        for layer in self.shown_at_first:
            self.show_layer(layer, True)

    @property
    def layers(self) -> tuple[str, ...]:
        """What can be shown and hidden."""
        return tuple(self._makers)

    @property
    def shown_at_first(self) -> tuple[str, ...]:
        """Shapes, and the thread for who stands too far away to see them."""
        return ("shapes", "thread")

    def poses(self, q: Array) -> Array:
        """Pose of every body at ``q``, shape (bodies, 4, 4)."""
        return self._poses(q)

    def move(self, q: Array) -> None:
        """Put the machine into a posture; layers that are hidden follow when they are shown."""
        X = self.poses(q)
        looks_elsewhere = self._detail is not None and self._detail.has_moved()
        if np.abs(X - self._X).max() <= STILL and not looks_elsewhere:
            return
        self._X, self._wxyz = X, _wxyz(X)
        for layer in self._layers:
            self._place(layer)
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
        self._place(layer)
        if layer == "thread" and "shapes" in self._layers:
            self._place("shapes")  # what it covers, or no longer

    def bounds(self, q: Array) -> tuple[Array, Array]:
        """Lower and upper corner of a box that holds all shapes at ``q`` [m]."""
        every = self.points(q)
        return every.min(axis=0), every.max(axis=0)

    def points(self, q: Array) -> Array:
        """Places of bodies and corners of boxes about shapes at ``q`` [m], shape (n, 3)."""
        X = self.poses(q)
        batches = [
            node for node in self._layers.get("shapes", ()) if isinstance(node, InstanceBatch)
        ]
        return np.concatenate([X[:, :3, 3], *(batch.bounds(X) for batch in batches)])

    # -- layers ----------------------------------------------------------------------------------

    def _make_shapes(self) -> list[Any]:
        instances: list[Instance] = []
        readable: dict[Mesh, bool] = {}
        for i, body in enumerate(self.mechanism.bodies):
            kept = [v for v in body.visuals if self._is_readable(v, readable)]
            # bodies without mass and shape are names for places
            if not kept and (body.mass or not self._has_shapes):
                kept = bones(self.mechanism, i, LINKS * self.detail)
            instances += [Instance(i, coloured(visual, i)) for visual in kept]
        return [
            *add_batches(self._scene, "/machine/shapes", instances),
            *self._struts.nodes,
            *self._springs.nodes,
        ]

    def _make_thread(self) -> list[Any]:
        thread = self._scene.add_line_segments(
            "/machine/thread",
            self._X[self._ends, :3, 3],
            colour_bytes(THREAD_COLOUR),
            thickness=THREAD,
            thickness_units="screen",
        )
        return [_Thread(thread, self._ends)]

    def _make_joints(self) -> list[Any]:
        marks = joint_marks(self.mechanism, LINKS * self.detail)
        instances = [Instance(i, mark) for i, mark in marks]
        return [*add_batches(self._scene, "/machine/joints", instances)]

    def _make_frames(self) -> list[Any]:
        length = AXES * LINKS * self.detail
        count = len(self.mechanism.bodies)
        node = self._scene.add_batched_axes(
            "/machine/frames",
            batched_wxyzs=self._wxyz.astype(np.float32),
            batched_positions=self._X[:, :3, 3].astype(np.float32),
            axes_length=length,
            axes_radius=length / 16,
        )
        placements = Placements.of(range(count), [Pose()] * count)
        return [InstanceBatch(node, placements, np.full(count, length))]

    def _make_inertias(self) -> list[Any]:
        instances = []
        for i, body in enumerate(self.mechanism.bodies):
            found = inertia_ellipsoid(body)
            if found is not None:
                x, y, z = np.maximum(found[1], THINNEST * LINKS * self.detail).tolist()
                ball = Visual(Sphere(1.0), found[0], INERTIA_COLOUR)
                instances.append(Instance(i, ball, (x, y, z)))
        return [*add_batches(self._scene, "/machine/inertias", instances)]

    # -- behind them -----------------------------------------------------------------------------

    def _place(self, layer: str) -> None:
        for node in self._layers[layer]:
            if node.visible and isinstance(node, InstanceBatch):
                covered = layer == "shapes" and self._detail is not None and self._has_thread
                node.place(self._X, self._wxyz, self._is_seen if covered else None)
            elif node.visible and isinstance(node, _Thread):
                node.place(self._X)

    @property
    def _has_thread(self) -> bool:
        return any(node.visible for node in self._layers.get("thread", ()))

    def _is_seen(self, body: NDArray[np.intp], at: Array, radius: Array) -> NDArray[np.bool_]:
        """Whether copies are larger than the thread is thick, or on no thread."""
        assert self._detail is not None
        large = 2 * radius * self._detail.pixels(at) > THREAD
        return np.asarray(large | ~self._on_thread[body])

    def _is_readable(self, visual: Visual, known: dict[Mesh, bool]) -> bool:
        mesh = visual.geometry
        if not isinstance(mesh, Mesh):
            return True
        if mesh not in known:
            try:
                read_mesh(mesh)
                known[mesh] = True
            except ReadError as error:
                warnings.warn(f"{error} Drawn without it.", stacklevel=2)
                known[mesh] = False
        return known[mesh]

    def _typical_link(self) -> float:
        """The length of a link [m], as most have it."""
        shifts = [joint.pose.translation for joint in self.mechanism.joints]
        lengths = np.linalg.norm(np.array(shifts).reshape(-1, 3), axis=1)
        real = lengths[lengths > STILL]
        return float(np.median(real)) if len(real) else 0.1


@final
class _Thread:
    """Lines from the origins of bodies to those of the bodies they carry."""

    def __init__(self, node: Any, ends: NDArray[np.intp]) -> None:
        self.node, self._ends = node, ends

    @property
    def visible(self) -> bool:
        return bool(self.node.visible)

    @visible.setter
    def visible(self, value: bool) -> None:
        self.node.visible = value

    def place(self, X: Array) -> None:
        self.node.points = X[self._ends, :3, 3].astype(np.float32)


def _thread_ends(mechanism: Mechanism) -> NDArray[np.intp]:
    """Pairs of bodies that a segment of thread joins, shape (n, 2).

    Branches and tips have an end at each, and of long runs between them as many bodies as a
    picture can tell apart.
    """
    every = max(1, round(len(mechanism.joints) / MOST_STRETCHES))
    last = list(range(len(mechanism.bodies)))  # where the segment begins that leads to a body
    links = [0] * len(last)  # and how many links ago
    ends = []
    for k, joint in enumerate(mechanism.joints):
        parent, child = mechanism.parents[k + 1], k + 1
        # a body that floats or slides about is held by nothing
        if isinstance(joint.motion, Floating | Planar):
            continue
        begin = parent if links[parent] == 0 else last[parent]
        if links[parent] + 1 >= every or len(mechanism.joints_on[child]) != 1:
            ends.append((begin, child))
        else:
            last[child], links[child] = begin, links[parent] + 1
    return np.array(ends, np.intp).reshape(-1, 2)


def _on_thread(mechanism: Mechanism) -> NDArray[np.bool_]:
    """Whether a thread leads to each body."""
    held = [not isinstance(joint.motion, Floating | Planar) for joint in mechanism.joints]
    return np.array([False, *held])


def _wxyz(X: Array) -> Array:
    """Quaternions (w, x, y, z) of poses (n, 4, 4), shape (n, 4)."""
    return np.roll(quaternions_of(X[:, :3, :3]), 1, axis=1)
