"""Arguments that do not fit are told by name, with what would have been right."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px

PATH = px.planning.quintic(np.zeros(6), np.ones(6), 1.0)


def test_a_missing_argument_says_of_what():
    with pytest.raises(TypeError, match=r"^excitation\(\): missing .*'acceleration_limit'"):
        px.identification.excitation(px.library.puma560())


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: px.track(PATH, stiffness=1.0, damping=1.0), "pass its .trajectory"),
        (lambda: px.feedforward(PATH), "pass its .trajectory"),
        (
            lambda: px.simulate(px.Dynamics(px.library.puma560()), duration=1.0),
            "pass its .mechanism",
        ),
    ],
)
def test_what_holds_the_right_value_is_pointed_to(call, hint):
    with pytest.raises(px.InvalidInput) as error:
        call()
    assert hint in str(error.value)


def test_nothing_is_pointed_to_where_nothing_fits():
    numbers_only = px.planning.Path(1.0, lambda t: (np.zeros((len(t), 6)),) * 3)
    for wrong in (numbers_only, 1.0):
        with pytest.raises(px.InvalidInput) as error:
            px.feedforward(wrong)
        assert "pass its" not in str(error.value)
