"""What the package promises by name."""

from __future__ import annotations

import inspect
import pydoc
from collections import Counter, defaultdict
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import phalanx as px
from phalanx import equations, mechanism

TOPIC = 16  # columns of the tour before its names, beside the margin
EQUATIONS = "phalanx.equations."


class Place(NamedTuple):
    """Where a public name is offered, such as ``px.mass_matrix``, and what it is there."""

    package: str
    thing: Any


def public_names() -> dict[str, list[Place]]:
    """Every public name of every public package, ``px`` first, and what it means where."""
    places: dict[str, list[Place]] = defaultdict(list)
    packages: list[tuple[str, ModuleType]] = [("px", px)]
    for where, package in packages:
        for name in getattr(package, "__all__", ()):
            thing = getattr(package, name)
            places[name].append(Place(where, thing))
            if isinstance(thing, ModuleType) and all(thing is not other for _, other in packages):
                packages.append((f"{where}.{name}", thing))
    return places


def method_signatures() -> dict[str, tuple[str, ...]]:
    """What the methods of each quantity are given: what most equations of its package are."""
    found: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for places in public_names().values():
        for package, thing in places:
            if package != "px" and _is_equation(thing):
                found[_quantity(package)][_needed(thing)] += 1
    return {quantity: counts.most_common(1)[0][0] for quantity, counts in found.items()}


def _is_equation(thing: Any) -> bool:
    return inspect.isfunction(thing) and thing.__module__.startswith(EQUATIONS)


def _quantity(package: str) -> str:
    """``mass_matrix`` of ``px.mass_matrix.in_root_frame``."""
    return package.split(".")[1]


def _needed(function: Any) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(
        p.name for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY
    )


def _is_one_method(places: list[Place]) -> bool:
    """Whether a name is that of one method in packages of equations.

    In the API a quantity is named, then a method: ``mass_matrix.composite_body``. One method may
    serve several quantities, or one quantity about another frame; each of its equations has the
    signature of its quantity. A package of them is a method too: its equations are looked at
    themselves.
    """
    usual = method_signatures()
    return all(
        thing.__name__.startswith(EQUATIONS)
        if isinstance(thing, ModuleType)
        else _is_equation(thing) and package != "px" and _needed(thing) == usual[_quantity(package)]
        for package, thing in places
    )


def test_a_public_name_means_one_thing():
    """In no two packages is it something else; no function has the name of another's package."""
    several = {
        name: sorted({package for package, _ in places})
        for name, places in public_names().items()
        if len({id(thing) for _, thing in places}) > 1 and not _is_one_method(places)
    }
    assert several == {}


def test_methods_of_a_quantity_are_given_the_same():
    assert method_signatures() == {
        "inverse_dynamics": ("mechanism", "q", "v", "a"),
        "forward_dynamics": ("mechanism", "q", "v", "tau"),
        "loops": ("mechanism", "q", "v", "tau"),
        "mass_matrix": ("mechanism", "q"),
    }


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
def test_lists_of_names_are_true(module):
    assert len(set(module.__all__)) == len(module.__all__)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


def test_the_tour_has_every_public_name_in_the_order_of_the_list():
    """``px.__doc__`` is what ``help(px)`` shows first: what people call first, then topics."""
    first, _, topics = px.__doc__.partition("Public names by topic::")
    lines = [line[4:].rstrip() for line in (first + topics).splitlines() if line.startswith("    ")]
    calls = len([line for line in first.splitlines() if line.startswith("    ")])
    columns = [line[:TOPIC] for line in lines[:calls]] + [line[TOPIC:] for line in lines[calls:]]
    named = [name.strip() for column in columns for name in column.split(",") if name.strip()]
    assert named == px.__all__
    assert "What you call first" in pydoc.render_doc(px).partition("PACKAGE CONTENTS")[0]


@pytest.mark.parametrize("name", [n for n in dir(px.Dynamics) if not n.startswith("_")])
def test_what_dynamics_offers_is_documented(name):
    assert (getattr(px.Dynamics, name).__doc__ or "").strip()
