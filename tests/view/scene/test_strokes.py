from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Prismatic, Strut
from phalanx.view.scene.struts import Strokes


def ram():
    """A rod that slides along z from 1.5 m above its barrel's bottom; whole from 1 m to 2 m."""
    lift = px.Pose(translation=np.array([0.0, 0.0, 1.5]))
    joint = px.Joint("slide", "base", "rod", Prismatic(np.array([0.0, 0.0, 1.0])), lift)
    struts = [Strut("ram", "base", "rod", 1.0, 0.05, 0.03)]
    return px.Mechanism("ram", [px.Body("base"), px.Body("rod", 1.0)], [joint], struts=struts)


@pytest.mark.parametrize(
    ("q", "over"), [(0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.7, 0.2), (-0.8, 0.3)]
)
def test_how_far_a_cylinder_is_beyond_its_ends(q, over):
    [found] = Strokes(ram()).overrun(np.array([q]))
    assert found == pytest.approx(over, abs=1e-12)


def test_what_is_beyond_may_come_back():
    strokes = Strokes(ram())
    at = {q: np.array([q]) for q in (0.5, 0.6, 0.7)}
    assert not strokes.obstacle(at[0.7], at[0.6])
    assert "cylinder 'ram'" in strokes.obstacle(at[0.6], at[0.7])
    assert "cylinder 'ram'" in strokes.obstacle(None, at[0.6])
    assert not strokes.obstacle(None, at[0.5])


def test_the_legs_of_a_stewart_platform_stay_in_their_barrels():
    """A rod of 60 % of the leg, from its end; a barrel of 55 %, from its foot."""
    stewart = px.library.stewart()
    for k in range(1, 7):
        leg = next(j for j in stewart.moving_joints if j.name == f"leg_{k}")
        length = leg.pose.translation[2]
        for shift in (leg.lower[0], leg.upper[0]):
            inner_end = length + shift - 0.6 * length
            assert -1e-12 <= inner_end <= 0.55 * length + 1e-12
