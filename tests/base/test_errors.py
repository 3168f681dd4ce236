"""Errors travel: what a worker process raises reaches the one that waits for it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import phalanx as px

ARM = px.library.puma560()


def raised(call):
    with pytest.raises(px.PhalanxError) as error:
        call()
    return error.value


def subclasses(kind):
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        (lambda: ARM.frame("tolo"), ["name"]),
        (
            lambda: px.InverseKinematics(ARM, "tool")(px.Pose.from_rpy((3, 0, 0), (0, 0, 0))),
            ["alone"],
        ),
        (lambda: px.identification.payload(ARM, *np.zeros((4, 30, 6))), ["unknown"]),
        (lambda: px.load("nobody.urdf"), []),
    ],
)
def test_an_error_and_what_it_keeps_travel_by_pickle(call, kept):
    error = raised(call)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    for name in kept:
        assert getattr(again, name) == getattr(error, name)


def test_no_kind_of_error_is_lost_on_its_way():
    kinds = list(subclasses(px.PhalanxError))
    assert len(kinds) > 10
    for kind in kinds:
        error = kind.__new__(kind, "what happened")
        assert str(pickle.loads(pickle.dumps(error))) == "what happened", kind
