"""What the package promises by name."""

import pytest

import phalanx as px
from phalanx import equations, mechanism


@pytest.mark.parametrize("name", px.__all__)
def test_public_names_exist_and_are_documented(name):
    thing = getattr(px, name)
    assert (thing.__doc__ or "").strip(), f"phalanx.{name} has no docstring"


@pytest.mark.parametrize("module", [px, equations, mechanism, px.library], ids=lambda m: m.__name__)
def test_lists_of_names_are_sorted_and_true(module):
    assert len(set(module.__all__)) == len(module.__all__)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


@pytest.mark.parametrize("name", [n for n in dir(px.Dynamics) if not n.startswith("_")])
def test_what_dynamics_offers_is_documented(name):
    assert (getattr(px.Dynamics, name).__doc__ or "").strip()
