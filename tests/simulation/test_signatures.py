"""What runs take stands in their signatures by name."""

from __future__ import annotations

import inspect

import pytest

import phalanx as px

STATES = {"q0": [0.0, 0.0], "v0": [0.0, 0.0]}


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (px.simulate, {"duration": 0.01}),
        (px.simulate_realtime, {"duration": 0.01}),
        (px.LiveRun, {}),
        (px.CompiledRollout, {}),
        (px.rollout, STATES | {"steps": 1}),
    ],
)
def test_all_keywords_stand_in_the_signature(function, given):
    found = inspect.signature(function).parameters
    assert {"step", "integrator", "control", "forces", "actuation", "surroundings"} <= set(found)
    assert all(p.kind is not inspect.Parameter.VAR_KEYWORD for p in found.values())
    with pytest.raises(TypeError, match="unexpected keyword argument 'stp'"):
        function(px.library.double_pendulum(), **given, stp=1.0)
