"""Cases have the same values however they are cut, and mistakes in them are said."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import phalanx as px
from distribute.sweeps.machines import same
from phalanx import sweeps
from phalanx.distribute.sweeps.described_cases import cases_from

SPREADS = {
    "mass": sweeps.Uniform(0.5, 2.0),
    "q0": sweeps.Normal([0.0, 1.0, 2.0], [1.0, 0.1, 0.5]),
    "gain": sweeps.LogUniform(1.0, 100.0),
    "control": sweeps.Choice(("soft", "stiff")),
}
ALL = {
    "grid": sweeps.Grid(
        {"a": np.linspace(0, 1, 5), "q": [[0.0, 1.0], [2.0, 3.0]], "w": ["x", "y"]}
    ),
    "table": sweeps.Table({"a": np.arange(20.0), "w": ["x", "y"] * 10}),
    "random": sweeps.Random(SPREADS, 20),
    "sobol": sweeps.Quasi(SPREADS, 20),
    "halton": sweeps.Quasi(SPREADS, 20, "halton"),
    "latin": sweeps.Quasi(SPREADS, 20, "latin"),
}


@pytest.mark.parametrize("kind", ALL)
@given(cuts=st.lists(st.integers(0, 20), max_size=4), seed=st.integers(0, 2**40))
def test_values_do_not_depend_on_the_cut(kind: str, cuts: list[int], seed: int) -> None:
    cases = ALL[kind]
    whole = cases.values(0, 20, seed)
    edges = [0, *sorted(cuts), 20]
    parts = [cases.values(a, b - a, seed) for a, b in itertools.pairwise(edges) if b > a]
    for name, array in whole.items():
        assert same(np.concatenate([part[name] for part in parts]), array)


@pytest.mark.parametrize("kind", ["random", "sobol", "halton", "latin"])
def test_another_seed_draws_other_cases(kind: str) -> None:
    assert (ALL[kind].values(0, 20, 1)["mass"] != ALL[kind].values(0, 20, 2)["mass"]).all()


@pytest.mark.parametrize("kind", ALL)
def test_plain_data_makes_the_same_cases_again(kind: str) -> None:
    cases = ALL[kind]
    again = cases_from(cases.to_data())
    assert len(again) == len(cases)
    for name, array in cases.values(0, 20, 3).items():
        assert same(again.values(0, 20, 3)[name], array)


def test_distributions_are_what_they_say() -> None:
    drawn = sweeps.Random(SPREADS, 20_000).values(0, 20_000, 0)
    # a sample of this size passes at this level but once in ten thousand seeds
    level = 1e-4
    assert stats.kstest(drawn["mass"], stats.uniform(0.5, 1.5).cdf).pvalue > level
    assert stats.kstest(drawn["q0"][:, 1], stats.norm(1.0, 0.1).cdf).pvalue > level
    assert stats.kstest(drawn["gain"], stats.loguniform(1.0, 100.0).cdf).pvalue > level
    assert stats.binomtest(int((drawn["control"] == "soft").sum()), 20_000).pvalue > level
    assert abs(stats.pearsonr(drawn["mass"], drawn["gain"]).statistic) < 0.03


def test_a_cut_normal_distribution_ends_where_it_says() -> None:
    values = sweeps.Random({"x": sweeps.Normal(1.0, 0.5, most=2.0)}, 5000).values(0, 5000, 0)["x"]
    assert 0.0 <= values.min() < 0.02 and 1.98 < values.max() <= 2.0


def test_another_name_changes_no_value_of_the_others() -> None:
    alone = sweeps.Random({"mass": SPREADS["mass"]}, 10).values(0, 10, 5)["mass"]
    assert same(alone, sweeps.Random(SPREADS, 10).values(0, 10, 5)["mass"])


def test_the_last_axis_of_a_grid_changes_fastest() -> None:
    values = sweeps.Grid({"a": [1, 2], "b": [10, 20, 30]}).values(0, 6, 0)
    assert values["a"].tolist() == [1, 1, 1, 2, 2, 2]
    assert values["b"].tolist() == [10, 20, 30, 10, 20, 30]


def test_quasi_random_cases_fill_a_square_more_evenly_than_chance() -> None:
    # of 256 scrambled Sobol points, each of 16 × 16 cells has exactly one
    two = {"x": sweeps.Uniform(0, 1), "y": sweeps.Uniform(0, 1)}
    values = sweeps.Quasi(two, 256).values(0, 256, 0)
    cells = np.floor(values["x"] * 16) * 16 + np.floor(values["y"] * 16)
    assert len(set(cells.tolist())) == 256


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sweeps.Grid({"a": [1.0, np.nan]}), "value 1 of 'a' is nan"),
        (lambda: sweeps.Grid({"a": []}), "a has none"),
        (lambda: sweeps.Grid({f"x{k}": range(1000) for k in range(5)}), "1e+15 cases"),
        (lambda: sweeps.Grid({"a/b": [1.0]}), "slashes"),
        (lambda: sweeps.Table({"a": [1.0], "b": [1.0, 2.0]}), "a 1, b 2"),
        (lambda: sweeps.Table.of([{"a": 1}, {"b": 1}]), "case 1 has b"),
        (lambda: sweeps.Uniform(2.0, 1.0), "above"),
        (lambda: sweeps.Uniform(0.0, np.inf), "finite"),
        (lambda: sweeps.LogUniform(0.0, 1.0), "0 < low"),
        (lambda: sweeps.Normal(0.0, -1.0), "negative"),
        (lambda: sweeps.Choice(()), "nothing to choose"),
        (lambda: sweeps.Random({"a": 3.0}, 5), "Uniform(0.9, 1.1)"),
        (lambda: sweeps.Random(SPREADS, 0), "cases"),
    ],
)
def test_mistakes_are_said(make, words: str) -> None:
    with pytest.raises(px.InvalidInput) as caught:
        make()
    assert words in str(caught.value)


def test_an_unknown_method_gets_a_suggestion() -> None:
    with pytest.raises(px.UnknownName, match="Did you mean 'sobol'"):
        sweeps.Quasi(SPREADS, 5, "sobel")
