from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.sweeps.columns import column, results, signals, varied


def test_what_was_varied_and_what_came_out_are_told_apart(data):
    assert list(varied(data)) == ["cart.mass", "damping"]
    assert list(results(data)) == ["cost", "final_q.slide"]
    assert list(signals(data)) == ["q.slide"]


def test_a_column_has_its_label_unit_and_numbers(data):
    found = column(data, "final_q.slide")
    assert found.title == "final_q.slide [m]"
    np.testing.assert_array_equal(found.values, data["q"].values[:, -1, 0])


def test_an_unknown_column_is_answered_with_the_nearest(data):
    with pytest.raises(px.UnknownName, match=r"no column 'cart\.mas'.*'cart\.mass'"):
        column(data, "cart.mas")
