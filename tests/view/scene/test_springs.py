"""Springs in a scene and in a drawing spread evenly from end to end, whatever the posture."""

import numpy as np
import pytest

from phalanx.mechanism import Body, Frame, Joint, Mechanism, Pose, Prismatic, Spring
from phalanx.view.plots.draw import draw
from phalanx.view.scene.scene import Scene
from phalanx.view.scene.springs import RINGS, spring_shapes
from view.scene_log import SceneLog

MACHINE = Mechanism(
    "press",
    [Body("table"), Body("ram", 1.0)],
    [Joint("slide", "table", "ram", Prismatic((0, 0, 1)))],
    [Frame("foot", "table", Pose(translation=(0.3, 0, 0)))],
    springs=[Spring("coil", "foot", "ram", 100.0, rest_length=0.5)],
)


@pytest.mark.parametrize("q", [0.4, 1.5, -2.0])
def test_rings_spread_between_their_ends(q):
    log = SceneLog()
    scene = Scene(log, MACHINE, np.zeros(1))
    scene.move(np.array([q]))
    places = [log.world_pose(f"/machine/spring_coil_{k}").translation for k in range(RINGS)]
    shares = (np.arange(RINGS) + 0.5) / RINGS
    foot, ram = np.array([0.3, 0, 0]), np.array([0, 0, q])
    np.testing.assert_allclose(places, foot + shares[:, None] * (ram - foot), atol=1e-9)
    scene.show_layer("shapes", False)
    assert not log.nodes["/machine/spring_coil_0"].visible


def test_ends_on_one_point_still_have_rings():
    X = np.broadcast_to(np.eye(4), (2, 4, 4))
    spring = Spring("knot", "table", "ram", 1.0)
    for ring in spring_shapes(MACHINE, spring, X):
        assert np.isfinite(ring.pose.matrix).all() and ring.geometry.radius > 0


def test_a_drawing_has_them():
    (plain,) = draw(Mechanism("bare", MACHINE.bodies, MACHINE.joints)).axes[0].collections
    (sprung,) = draw(MACHINE).axes[0].collections
    assert len(sprung.get_facecolor()) >= len(plain.get_facecolor()) + RINGS
