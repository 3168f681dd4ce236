"""The excavator for the eye: few shapes, hinges where the drawing has pins, a view from the cab."""

import numpy as np
import pytest

from phalanx.mechanism import Box, Cylinder, Prism, library
from phalanx.mechanism.library.visual_shapes_excavator import GROUND
from phalanx.view.scene.surfaces import surface

MACHINES = [library.cat215b(), library.cat215b_cylinders()]


def holds(visual, points):
    """Which points (n, 3) of the body's frame are inside a shape."""
    x, y, z = visual.pose.rotation.T @ (points - visual.pose.translation).T
    match visual.geometry:
        case Box((a, b, c)):
            return (np.abs(x) < a / 2) & (np.abs(y) < b / 2) & (np.abs(z) < c / 2)
        case Cylinder(radius, length):
            return (np.hypot(x, y) < radius) & (np.abs(z) < length / 2)
        case Prism(outline, width):
            corners = np.array(outline)
            ways = np.roll(corners, -1, axis=0) - corners
            left = [
                way[0] * (y - corner[1]) - way[1] * (x - corner[0]) > 0
                for corner, way in zip(corners, ways, strict=True)
            ]
            return np.all(left, axis=0) & (np.abs(z) < width / 2)
    raise AssertionError(visual.geometry)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_it_is_cheap_to_show(machine):
    assert sum(len(body.visuals) for body in machine.bodies) < 80


def test_it_stands_on_its_tracks():
    points = [surface(v.geometry, v.pose) for v in MACHINES[0].body("base").visuals]
    lowest = min(float(polygon[:, 2].min()) for shape in points for polygon in shape)
    assert lowest == pytest.approx(GROUND)


def test_the_operator_sees_the_work():
    """Nothing of the cab stands in the way forward and down to the ground before the tracks."""
    eye = MACHINES[0].frame("operator_eye").pose.translation
    aside, down = np.meshgrid(np.radians(np.linspace(-12, 12, 7)), np.radians([0, 10, 20, 30]))
    rays = np.stack(
        [np.cos(down) * np.cos(aside), np.cos(down) * np.sin(aside), -np.sin(down)], axis=-1
    ).reshape(-1, 3)
    points = (eye + np.arange(0.0, 4.0, 0.02)[:, None, None] * rays).reshape(-1, 3)
    for visual in MACHINES[0].body("cab").visuals:
        assert not holds(visual, points).any(), visual


def test_teeth_and_load_are_where_the_drawn_bucket_has_them():
    bucket = MACHINES[0].body("bucket")
    teeth, load = (MACHINES[0].frame(name).pose.translation for name in ("teeth", "bucket_centre"))
    corners = np.concatenate([p for v in bucket.visuals for p in surface(v.geometry, v.pose)])
    assert np.linalg.norm(corners[:, :2] - teeth[:2], axis=1).min() < 1e-9
    assert not any(holds(v, load[None]).any() for v in bucket.visuals), "it lies in the hollow"
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert (low < load).all() and (load < high).all()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_every_pin_and_hinge_is_on_its_body(machine):
    """A cylinder that ends in the air would be a wrong drawing."""
    pins = [f for f in machine.frames if "cylinder" in f.name or f.name == "ear"]
    for frame in pins:
        at = frame.pose.translation
        aside = at + np.linspace(-0.35, 0.35, 71)[:, None] * (
            np.array([0, 1.0, 0]) if frame.body == "cab" else np.array([0, 0, 1.0])
        )
        shapes = machine.body(frame.body).visuals
        assert any(holds(visual, aside).any() for visual in shapes), frame.name
