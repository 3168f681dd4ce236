"""Links of a long chain are drawn for a camera that is near, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.view import Viewer
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")


def test_links_are_drawn_for_who_stands_near(browser):
    chain = px.library.chain(2000)
    with Viewer(chain, port=0) as viewer:
        [shapes] = [node for node in viewer._scene._layers["shapes"] if hasattr(node, "node")]
        assert not shapes.node.visible  # nobody is there
        browser.get(viewer.url)
        eventually(lambda: viewer.clients == 1)
        [client] = viewer.server.get_clients().values()

        def look(position, at):
            client.camera.position = position
            client.camera.look_at = at

        look((4.0, -4.0, -10.0), (0.0, 0.0, -10.0))
        eventually(lambda: shapes.node.visible)
        near = -np.asarray(shapes.node.batched_positions)[:, 2]
        assert 20 < len(near) < 2000 and near.max() < 1900
        look((3000.0, -3000.0, 0.0), (0.0, 0.0, -1000.0))
        eventually(lambda: not shapes.node.visible)
        look((4.0, -4.0, -1900.0), (0.0, 0.0, -1900.0))
        # it is shown first, and put in its place a moment later
        eventually(lambda: -np.asarray(shapes.node.batched_positions)[:, 2].max() > 100)
        assert shapes.node.visible
