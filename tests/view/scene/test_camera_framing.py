from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.view.scene.camera_framing import MARGIN, view_of

FIELD = np.radians(42.0)
UP = np.array([0.0, 0.0, 1.0])


def in_picture(points, view, up, aspect):
    """Coordinates in the picture, from -1 to 1 both ways, by a camera written out here."""
    ahead = view.look_at - view.position
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    rays = points - view.position
    depth = rays @ ahead
    assert (depth > 0).all()
    tangent = np.tan(FIELD / 2)
    return rays @ right / depth / (tangent * aspect), rays @ np.cross(
        right, ahead
    ) / depth / tangent


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.floats(0.2, 4.0),
    st.tuples(*[st.floats(0.01, 1000.0)] * 3),
)
def test_all_points_are_in_view_in_the_middle_and_no_farther_than_needed(seed, n, aspect, size):
    rng = np.random.default_rng(seed)
    points = 5 * rng.standard_normal(3) + rng.standard_normal((n, 3)) * size
    towards = np.array([0.62, -0.66, 0.36])
    view = view_of(points, towards, UP, FIELD, aspect)
    across, upwards = in_picture(points, view, UP, aspect)
    within = 1 - 2 * MARGIN
    largest = max(np.abs(across).max(), np.abs(upwards).max())
    assert largest <= within + 1e-6
    if n > 1:
        assert largest >= within - 1e-6, "it could be nearer"
        # the way that needs most room has as much of it on both sides
        tight = max(across, upwards, key=lambda side: side.max() - side.min())
        assert tight.max() == pytest.approx(-tight.min(), abs=1e-6)
    # seen from where it was asked for
    out = view.position - view.look_at
    np.testing.assert_allclose(out / np.linalg.norm(out), towards / np.linalg.norm(towards))


def test_a_long_thing_is_farther_away_on_a_narrow_screen():
    points = np.array([[0.0, -500.0, 0.0], [0.0, 500.0, 0.0]])
    towards = np.array([1.0, 0.0, 0.3])
    far, near = (
        np.linalg.norm(view_of(points, towards, UP, FIELD, aspect).position)
        for aspect in (0.5, 1.5)
    )
    assert far == pytest.approx(3 * near, rel=1e-9)
