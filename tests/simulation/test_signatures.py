"""What runs take stands in their signatures by name."""

from __future__ import annotations

import inspect

import pytest

import phalanx as px

STATES = {"q0": [0.0, 0.0], "v0": [0.0, 0.0]}


OF_A_SETUP = {"control", "forces", "actuation", "surroundings"}


@pytest.mark.parametrize(
    ("function", "given", "shorthand"),
    [
        (px.simulate, {"duration": 0.01}, OF_A_SETUP),
        (px.rollout, STATES | {"steps": 1}, OF_A_SETUP),
        (px.LiveRun, {}, set()),
        (px.CompiledRollout, {}, set()),
    ],
)
def test_all_keywords_stand_in_the_signature(function, given, shorthand):
    """What a Setup says is said again by the two functions alone, as a shorthand."""
    found = inspect.signature(function).parameters
    assert {"step", "integrator"} <= set(found) and OF_A_SETUP & set(found) == shorthand
    assert all(p.kind is not inspect.Parameter.VAR_KEYWORD for p in found.values())
    with pytest.raises(TypeError, match="unexpected keyword argument 'stp'"):
        function(px.library.double_pendulum(), **given, stp=1.0)
