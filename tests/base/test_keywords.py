"""Keywords that functions share stand in their signatures by name."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, TypedDict, Unpack

import pytest

import phalanx as px
from phalanx.base.arguments import checked
from phalanx.base.keywords import Default, chosen, defaults_of, spelled_out


class Kept(TypedDict, total=False):
    every: Annotated[int, Default(1)]
    names: Annotated[dict[str, Any] | None, Default(None)]


class More(Kept, total=False):
    needed: float


@checked
@spelled_out
def run(duration: float, *, speed: float = 1.0, **more: Unpack[More]) -> Any:
    """Run."""
    return duration, speed, more


def test_each_stands_in_the_signature_with_type_and_default():
    found = inspect.signature(run).parameters
    assert list(found) == ["duration", "speed", "every", "names", "needed"]
    assert (found["every"].annotation, found["every"].default) == ("int", 1)
    assert found["names"].annotation == "dict[str, Any] | None"
    assert found["needed"].default is inspect.Parameter.empty


def test_defaults_are_there_where_nothing_is_given():
    assert run(2.0, needed=3.0) == (2.0, 1.0, {"every": 1, "names": None, "needed": 3.0})
    assert run(2.0, needed=3.0, every=4)[2]["every"] == 4


def test_they_are_checked_and_unknown_ones_refused():
    with pytest.raises(px.InvalidInput, match=r"every=1\.5; expected a whole number"):
        run(2.0, needed=3.0, every=1.5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'evry'"):
        run(2.0, needed=3.0, evry=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'evry'"):
        run.__wrapped__(2.0, needed=3.0, evry=2)  # also by itself


def test_a_table_chooses_its_own():
    assert chosen(Kept, {"every": 2, "needed": 3.0}) == {"every": 2}
    assert defaults_of(More) == {"every": 1, "names": None}


STATES = {"q0": [0.0, 0.0], "v0": [0.0, 0.0]}


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (px.simulate, {"duration": 0.01}),
        (px.LiveRun, {}),
        (px.CompiledRollout, {}),
        (px.rollout, STATES | {"steps": 1}),
    ],
)
def test_public_functions_show_and_know_theirs(function, given):
    found = inspect.signature(function).parameters
    assert {"step", "integrator", "control", "forces", "actuation", "surroundings"} <= set(found)
    assert all(p.kind is not inspect.Parameter.VAR_KEYWORD for p in found.values())
    with pytest.raises(TypeError, match="unexpected keyword argument 'stp'"):
        function(px.library.double_pendulum(), **given, stp=1.0)
