"""Facts of results: values of all parts together, and the texts that go with them."""

from __future__ import annotations

import pytest

from phalanx.base.facts import Fact, Facts, Styled, TextTable, duration, finite, named_texts


def test_values_are_those_of_all_parts():
    table = TextTable("t", ["name"], ["number"], [("a", "1")], values={"a": 1})
    facts = Facts(["a line", Fact("b", "two", {"b": 2}), "", table], {"c": 3})
    assert facts.data == {"a": 1, "b": 2, "c": 3}
    assert (facts + Facts([Styled("more", "bold")], {"d": 4})).data == facts.data | {"d": 4}
    assert Facts([]).data == {}


def test_names_and_texts_are_a_table():
    assert named_texts("t", {"a": "1", "b": "2"}).rows == [("a", "1"), ("b", "2")]


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.73e-8, "17.3 ns"), (9.999e-4, "1 ms"), (0.25, "250 ms"), (61, "61 s")]
)
def test_durations_have_three_digits(seconds, said):
    assert duration(seconds) == said


def test_json_has_no_infinity():
    assert [finite(x) for x in (1.5, float("inf"), -float("inf"), float("nan"))] == [
        1.5,
        None,
        None,
        None,
    ]
