"""What the package promises by name."""

import inspect

import pytest

import phalanx as px
from phalanx import equations, mechanism


@pytest.mark.parametrize("name", px.__all__)
def test_public_names_exist_and_are_documented(name):
    thing = getattr(px, name)
    assert (thing.__doc__ or "").strip(), f"phalanx.{name} has no docstring"


@pytest.mark.parametrize("name", [n for n in px.__all__ if inspect.isfunction(getattr(px, n))])
def test_signatures_of_public_functions_spell_out_every_argument(name):
    """Checks at the door and shared keywords hide nothing from editors and ``help``."""
    parameters = inspect.signature(getattr(px, name)).parameters.values()
    variable = {p.name for p in parameters if p.kind is p.VAR_KEYWORD}
    assert not variable or name == "expression"  # whose options are those of any equation
    assert all(p.annotation is not p.empty for p in parameters)


@pytest.mark.parametrize("module", [px, equations, mechanism, px.library], ids=lambda m: m.__name__)
def test_lists_of_names_are_sorted_and_true(module):
    assert len(set(module.__all__)) == len(module.__all__)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


@pytest.mark.parametrize("name", [n for n in dir(px.Dynamics) if not n.startswith("_")])
def test_what_dynamics_offers_is_documented(name):
    assert (getattr(px.Dynamics, name).__doc__ or "").strip()
