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

        def until(condition, position, at):
            """Look from there until it is so; the page frames the machine by itself at first."""

            def looked():
                client.camera.position = position
                client.camera.look_at = at
                return condition()

            eventually(looked)

        def heights():
            return -np.asarray(shapes.node.batched_positions)[:, 2]

        until(lambda: shapes.node.visible, (4.0, -4.0, -10.0), (0.0, 0.0, -10.0))
        assert 20 < len(heights()) < 2000 and heights().max() < 1900
        far = (3000.0, -3000.0, 0.0), (0.0, 0.0, -1000.0)
        until(lambda: not shapes.node.visible, *far)
        # it is shown first, and put in its place a moment later
        low = (4.0, -4.0, -1900.0), (0.0, 0.0, -1900.0)
        until(lambda: shapes.node.visible and heights().min() > 100, *low)
