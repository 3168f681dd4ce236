from __future__ import annotations

from math import pi

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.sweeps.distributions import Choice, Uniform
from phalanx.distribute.sweeps.ready.sensitivity import saltelli_cases, sensitivity

ANGLES = {name: Uniform(-pi, pi) for name in ("x", "y", "z")}


def ishigami(values, a=7.0, b=0.1):
    x, y, z = (values[name] for name in ("x", "y", "z"))
    return np.sin(x) + a * np.sin(y) ** 2 + b * z**4 * np.sin(x)


def test_indices_of_the_function_of_ishigami_and_homma():
    """Published closed form with a = 7, b = 0.1."""
    cases = saltelli_cases(ANGLES, 4096)
    assert len(cases) == 5 * 4096
    told = sensitivity("f", cases.names, ishigami(cases.values(0, len(cases), 0)))
    a, b = 7.0, 0.1
    alone_x = (1 + b * pi**4 / 5) ** 2 / 2
    alone_y, with_z = a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
    whole = alone_x + alone_y + with_z
    first = {"x": alone_x / whole, "y": alone_y / whole, "z": 0.0}
    total = {"x": (alone_x + with_z) / whole, "y": alone_y / whole, "z": with_z / whole}
    # 4096 quasi-random points: half a per cent
    assert told.first == pytest.approx(first, abs=0.01)
    assert told.total == pytest.approx(total, abs=0.01)
    assert list(told.shares) == ["x", "y", "z"]


def test_additive_results_have_no_shares_in_common():
    cases = saltelli_cases({"u": Uniform(0, 1), "v": Uniform(0, 2)}, 512)
    values = cases.values(0, len(cases), 0)
    told = sensitivity("sum", cases.names, values["u"] + values["v"])
    assert told.first == pytest.approx({"u": 0.2, "v": 0.8}, abs=0.01)
    assert told.total == pytest.approx(told.first, abs=0.01)


def test_what_cannot_be_split_is_said():
    with pytest.raises(px.InvalidInput, match="power of two"):
        saltelli_cases(ANGLES, 1000)
    with pytest.raises(px.InvalidInput, match="distribution of one number"):
        saltelli_cases({"word": Choice(("a", "b"))}, 8)
    with pytest.raises(px.InvalidInput, match="1 of 40 cases have no f, the first of them 3"):
        values = np.arange(40.0)
        values[3] = np.nan
        sensitivity("f", ("x", "y", "z"), values)
    with pytest.raises(px.InvalidInput, match="no variance"):
        sensitivity("f", ("x",), np.ones(6))
    with pytest.raises(px.InvalidInput, match="shape"):
        sensitivity("f", ("x",), np.ones(7))
