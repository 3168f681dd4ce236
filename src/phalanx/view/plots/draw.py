"""Drawing of a mechanism: its shapes, or its skeleton where it has none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Mechanism, Mesh, Pose, Sphere, Visual
from phalanx.mechanism.motion import joint_pose
from phalanx.mechanism.pose import Array
from phalanx.view.scene.skeleton import (
    INERTIA_COLOUR,
    bones,
    coloured,
    extent_of,
    inertia_ellipsoid,
    joint_marks,
)
from phalanx.view.scene.springs import spring_shapes
from phalanx.view.scene.struts import strut_shapes
from phalanx.view.scene.surfaces import surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")

LIGHT = np.array([0.36, -0.48, 0.80])


def draw(
    mechanism: Mechanism,
    q: ArrayLike | None = None,
    axes: Any = None,
    *,
    inertias: bool = False,
) -> Figure:
    """Draw a mechanism in a posture.

    Boxes, cylinders, spheres and capsules of the model are drawn as they are; a body that has none
    (or only meshes) is drawn as sticks from its frame to the joints and the mass it carries. Joints
    are drawn in orange, revolute ones as drums about their axis.

    Args:
        mechanism: The machine.
        q: Its positions, shape (nq,); every joint at zero when not given.
        axes: Three-dimensional Matplotlib axes to draw in; a new figure's when not given.
        inertias: Whether to draw each body's inertia as the ellipsoid of equal mass and inertia.

    Returns:
        The figure.

    Raises:
        InvalidInput: When ``q`` does not have nq finite numbers.
    """
    from matplotlib.figure import Figure

    if axes is None:
        axes = Figure(figsize=(7, 7)).add_subplot(projection="3d")
        axes.figure.subplots_adjust(left=0.0, right=0.95, bottom=0.02, top=1.0)
    sides = painted(mechanism, q, inertias=inertias)
    paint(axes, sides)
    frame_view(axes, sides[0])
    return axes.figure


def painted(
    mechanism: Mechanism, q: ArrayLike | None = None, *, inertias: bool = False
) -> tuple[list[Array], list[tuple[float, ...]]]:
    """Polygons of a machine in a posture, in the root frame [m], and the colour of each."""
    poses = body_poses(mechanism, q)
    extent = extent_of(mechanism, poses)
    polygons: list[Array] = []
    colours: list[tuple[float, ...]] = []

    def add(shapes: list[Array], colour: tuple[float, ...]) -> None:
        polygons.extend(shapes)
        colours.extend([colour] * len(shapes))

    for i, pose in enumerate(poses):
        for visual in shapes(mechanism, i, extent):
            add(surface(visual.geometry, pose @ visual.pose), visual.colour)
    X = np.array([pose.matrix for pose in poses])
    for strut in mechanism.struts:
        for visual in strut_shapes(mechanism, strut, X):
            add(surface(visual.geometry, visual.pose), visual.colour)
    for spring in mechanism.springs:
        for visual in spring_shapes(mechanism, spring, X):
            add(surface(visual.geometry, visual.pose), visual.colour)
    for i, mark in joint_marks(mechanism, extent):
        add(surface(mark.geometry, poses[i] @ mark.pose), mark.colour)
    if inertias:
        for body, pose in zip(mechanism.bodies, poses, strict=True):
            add(_ellipsoid(body, pose), INERTIA_COLOUR)
    return polygons, colours


def paint(axes: Any, sides: tuple[list[Array], list[tuple[float, ...]]]) -> None:
    """Polygons in three-dimensional axes, lit from above."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    # one collection, so that what is behind is hidden across bodies
    faces = [_lit(polygon, colour) for polygon, colour in zip(*sides, strict=True)]
    # edges close the gaps between sides; through translucent ones they would shine
    edges = [face if len(face) == 3 or face[3] == 1.0 else (0, 0, 0, 0) for face in faces]
    # limits are set beside this; Matplotlib's own would take in corners that shorter sides lack
    axes.set_autoscale_on(False)
    axes.add_collection3d(
        Poly3DCollection(sides[0], facecolors=faces, edgecolors=edges, linewidths=0.3)
    )


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure as ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        InvalidInput: When the suffix is another.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"cannot draw into {target.name}; expected {', '.join(SUFFIXES)}.")
    figure.savefig(target, dpi=130, facecolor="white")
    return target


def body_poses(mechanism: Mechanism, q: ArrayLike | None = None) -> list[Pose]:
    """Pose of every body in the root frame, in the order of ``mechanism.bodies``."""
    x = mechanism.neutral() if q is None else np.asarray(q, dtype=np.float64)
    if x.shape != (mechanism.nq,) or not np.isfinite(x).all():
        raise InvalidInput(
            f"positions of '{mechanism.name}' are {mechanism.nq} finite numbers, got shape "
            f"{x.shape}: {x.tolist()}."
        )
    poses = [Pose()]
    for k, joint in enumerate(mechanism.joints):
        if joint.mimic is not None:
            leader = x[mechanism.q_slices[joint.mimic.leader]]
            own = joint.mimic.multiplier * leader + joint.mimic.offset
        else:
            own = x[mechanism.q_slices.get(joint.name, slice(0, 0))]
        moved = joint.pose @ joint_pose(joint.motion, own)
        poses.append(poses[mechanism.parents[k + 1]] @ moved)
    return poses


def shapes(mechanism: Mechanism, i: int, extent: float) -> list[Visual]:
    """The shapes of a body that are formulas, or its bones."""
    visuals = mechanism.bodies[i].visuals
    own = [coloured(v, i) for v in visuals if not isinstance(v.geometry, Mesh)]
    return own or bones(mechanism, i, extent)


def _lit(polygon: Array, colour: tuple[float, ...]) -> tuple[float, ...]:
    """The colour of a side under the light."""
    # the diagonals of a side span it even where two corners coincide
    normal = np.cross(polygon[2] - polygon[0], polygon[3] - polygon[1])
    length = np.linalg.norm(normal)
    bright = float(normal @ LIGHT / length) if length else 0.0
    strength = 0.72 + 0.28 * bright
    red, green, blue, *opacity = colour
    return (strength * red, strength * green, strength * blue, *opacity)


def _ellipsoid(body: Body, pose: Pose) -> list[Array]:
    """The polygons of a body's inertia."""
    found = inertia_ellipsoid(body)
    if found is None:
        return []
    at, radii = pose @ found[0], found[1]
    ball = surface(Sphere(1.0), Pose())
    return [(polygon * radii) @ at.rotation.T + at.translation for polygon in ball]


def frame_view(axes: Any, polygons: list[Array]) -> None:
    """Equal scales, metres on the axes, a little air around."""
    points = np.vstack(polygons) if polygons else np.zeros((1, 3))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    spans = np.maximum(np.ptp(points, axis=0), 0.5 * max(np.ptp(points, axis=0).max(), 0.1))
    for name, centre, span in zip("xyz", middle, spans, strict=True):
        getattr(axes, f"set_{name}lim")(centre - 0.55 * span, centre + 0.55 * span)
        getattr(axes, f"set_{name}label")(f"{name} [m]")
        direction = getattr(axes, f"{name}axis")
        direction.set_pane_color((0.96, 0.96, 0.97, 1.0))
        direction.set_major_locator(_few_ticks())
        direction._axinfo["grid"]["color"] = (0.85, 0.85, 0.87)
    axes.set_box_aspect(spans, zoom=0.84)
    axes.view_init(elev=22, azim=-58)


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
