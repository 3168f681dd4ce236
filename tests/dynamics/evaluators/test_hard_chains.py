"""Digits of every method on chains that strain its assumptions, against fifty decimal digits."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from dynamics.evaluators.hard_chains import hard_chains
from phalanx.base.errors import InvalidModel
from phalanx.bench.chains.extended import forward_dynamics, relative_error
from phalanx.dynamics.evaluators import automatic
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import still_root

CHAINS = hard_chains(16)
SPREADS = (0.0, 1e-6, 1.0)  # of positions about the straight posture [rad]
REFUSED = None  # InvalidModel names the body

# digits that accelerations have at least, of the largest; an iteration may also not converge
DIGITS = {
    ("Serial", "Scan", "Segments", "Automatic"): (14, 11, 14, 13, 14, 3, 10),
    ("BlockTridiagonal", "CyclicReduction"): (REFUSED, REFUSED, 13, 13, 2, 3, 2),
    ("ConstraintIteration",): (REFUSED, REFUSED, 8, 3, 3, 3, 1),
    ("articulated_body",): (13, 11, 13, 13, 12, 2, 3),
    ("in_root_frame.articulated_body",): (11, 10, 12, 12, 12, 1, 2),
    ("factorized", "orthogonal_complement"): (11, 10, 11, 11, 11, 1, 2),
}
METHODS = {
    "Serial": px.evaluators.Serial(),
    "Scan": px.evaluators.Scan(),
    "Segments": px.evaluators.Segments(4),
    "Automatic": px.evaluators.Automatic(),
    "BlockTridiagonal": px.evaluators.BlockTridiagonal(),
    "CyclicReduction": px.evaluators.CyclicReduction(),
    "ConstraintIteration": px.evaluators.ConstraintIteration(
        px.evaluators.ConjugateGradientJacobi(), stopping=px.evaluators.Stopping(1e-10, 1e-10)
    ),
}
ALL = [(name, digits) for names, digits in DIGITS.items() for name in names]


@lru_cache(maxsize=32)
def references(chain):
    """States of a chain, and their accelerations."""
    m, rng = CHAINS[chain], np.random.default_rng(0)
    bodies, root, found = bodies_of(m), still_root(m), []
    for spread in SPREADS:
        q, v, tau = rng.standard_normal((3, 1, m.nv))
        q = spread * q
        found.append(((q, v, tau), forward_dynamics(bodies, q[0], v[0], tau[0], root[0])))
    return found


def solver(name, m):
    """Accelerations at a state by a method."""
    if name in METHODS:
        made, root = METHODS[name].solver(bodies_of(m), 1), still_root(m)
        return lambda q, v, tau: made.accelerations(q, v, tau, root)[0]
    equation = px.forward_dynamics
    for part in name.split("."):
        equation = getattr(equation, part)
    f = px.expression(equation, m)
    return lambda q, v, tau: np.array(f(q[0], v[0], tau[0])).ravel()


# Automatic takes segments or falls back on the sweep, both of which are here for every chain
CASES = [
    pytest.param(name, digits, chain, id=f"{name}, {chain}")
    for name, digits in ALL
    for chain in CHAINS
    if name != "Automatic" or chain in ("points", "heavy tip")
]


@pytest.mark.parametrize(("name", "digits", "chain"), CASES)
def test_a_method_keeps_its_digits_or_says_that_it_cannot(name, digits, chain, monkeypatch):
    monkeypatch.setitem(automatic.SEGMENTED_FROM, "lanes", 8)
    least = digits[list(CHAINS).index(chain)]
    if least is REFUSED:
        with pytest.raises(InvalidModel, match=r"body '.*' of mechanism"):
            solver(name, CHAINS[chain])
        return
    find = solver(name, CHAINS[chain])
    for state, wanted in references(chain):
        try:
            found = find(*state)
        except px.evaluators.DidNotConverge:
            assert name == "ConstraintIteration" and chain != "extended"
            continue
        assert relative_error(found, wanted) < 10.0**-least


def test_every_method_for_long_machines_is_here():
    kinds = {getattr(px.evaluators, name) for name in px.evaluators.__all__}
    classes = [kind for kind in kinds if isinstance(kind, type)]
    methods = {
        kind.__name__
        for kind in classes
        if issubclass(kind, px.evaluators.Method) and kind is not px.evaluators.Method
    }
    assert methods == set(METHODS)
    unrolled = {name.split(".")[0] for name, _ in ALL} - methods
    assert unrolled == set(px.forward_dynamics.__all__) - {"derivatives"}


def test_the_page_has_these_digits():
    page = (Path(__file__).parents[3] / "docs" / "chains.md").read_text(encoding="utf-8")
    for names, digits in DIGITS.items():
        words = " | ".join("refused" if d is REFUSED else str(d) for d in digits)
        assert f"| {', '.join(f'`{name}`' for name in names)} | {words} |" in page
