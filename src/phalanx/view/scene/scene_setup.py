"""Scene set-up: floor, light, camera.

Up is where gravity comes from, or z when there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Pose
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array
from phalanx.view.scene.nodes import placed
from phalanx.view.viewer.units import rounded_down

if TYPE_CHECKING:
    from viser import ViserServer

FLOOR = "/floor"  # the grid's name in the scene
# camera: where it stands, seen from the machine with z up, and how many extents away
VIEW_FROM = np.array([0.62, -0.66, 0.36])
AIR = 1.6
FIELD = np.radians(42.0)  # of view, upright
MOST_DEPTH = 1e5  # extents of the machine over the nearest that is seen: depths have 24 bits
# light from above and below, in the dark
SKY = (235, 242, 255)
GROUND = (96, 84, 70)
DUSK = ((24, 33, 44), (74, 92, 110))  # behind everything, from top to bottom


def set_up_scene(
    server: ViserServer,
    gravity: Array,
    bounds: tuple[Array, Array],
    detail: float = np.inf,
    *,
    dark: bool = False,
    shadows: bool = True,
    air: float = AIR,
) -> None:
    """Place floor, light and camera about a box that holds the machine.

    Args:
        server: The server whose scene it is.
        gravity: Acceleration of free fall in the root frame [m/s²].
        bounds: Lower and upper corner of the box [m].
        detail: Size of what one may want to look at from near [m].
        dark: Whether the floor is seen against the dark.
        shadows: Whether there may be shadows on the floor, which takes time even without any.
        air: Distance of the camera, in extents of the box.
    """
    up, towards = outlook(gravity)
    upright = frame_on_axis(up)
    middle, size = (bounds[0] + bounds[1]) / 2, bounds[1] - bounds[0]
    extent = max(float(np.linalg.norm(size)), 0.1)
    # a machine on a base stands on the ground; one that hangs has it just below
    lowest = float(middle @ up - np.abs(size) @ np.abs(up) / 2)
    height = min(0.0, lowest)
    centre = middle - (middle @ up - height) * up

    server.scene.set_up_direction(tuple(up))
    server.scene.configure_default_lights(cast_shadow=shadows)
    if dark:
        # sky and ground instead of reflections, which take a weak computer long to draw
        server.scene.configure_environment_map(None)
        server.scene.add_light_hemisphere(
            "/sky", sky_color=SKY, ground_color=GROUND, intensity=2.0, position=tuple(up)
        )
        server.scene.set_background_image(_dusk(), format="png")
    cell = rounded_down(extent / 6)
    server.scene.add_grid(
        FLOOR,
        infinite_grid=True,
        cell_size=cell,
        section_size=5 * cell,
        cell_color=(44, 52, 60) if dark else (215, 219, 224),
        section_color=(66, 76, 87) if dark else (180, 187, 195),
        fade_distance=10 * extent,
        shadow_opacity=0.2,
        **placed(Pose(upright, centre - 1e-3 * extent * up)),
    )
    camera = server.initial_camera
    camera.look_at = middle
    camera.position = middle + air * extent * towards
    camera.up = up
    camera.fov = FIELD
    camera.near = max(min(extent / 200, detail / 10), extent / MOST_DEPTH)
    camera.far = 200 * extent


def outlook(gravity: Array) -> tuple[Array, Array]:
    """Which way is up, and which way a camera stands from the machine; both of length one."""
    strength = np.linalg.norm(gravity)
    up = -gravity / strength if strength else np.array([0.0, 0.0, 1.0])
    return up, frame_on_axis(up) @ VIEW_FROM / np.linalg.norm(VIEW_FROM)


def _dusk() -> NDArray[np.uint8]:
    """A picture that fades from one colour to another, shape (rows, columns, 3)."""
    share = np.linspace(0, 1, 128)[:, None, None]
    top, bottom = np.array(DUSK)
    return np.broadcast_to((1 - share) * top + share * bottom, (128, 4, 3)).astype(np.uint8)
