from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.actuators.subsystem import Quantity, Subsystem
from phalanx.simulation.setup.layout import SubsystemStates


class Fussy(Subsystem):
    """Cannot begin where it stands, but goes on from there."""

    def quantities(self, mechanism):
        return Quantity("pressure", "Pa", ("a", "b")), Quantity("level", "m", ("tank",))

    def initial(self, mechanism, q):
        raise px.InvalidInput("no way to begin here")


class Calm(Subsystem):
    """Begins at one."""

    def quantities(self, mechanism):
        return (Quantity("warmth", "K", ("oil",)),)

    def initial(self, mechanism, q):
        return np.ones((*q.shape[:-1], 1))


GIVEN = {"pressure": np.array([[1.0, 2.0], [3.0, 4.0]]), "level": np.array([[5.0], [6.0]])}


@pytest.fixture
def beside():
    return SubsystemStates(px.library.double_pendulum(), [Calm(), Fussy()])


def test_who_is_given_all_states_is_not_asked_where_to_begin(beside):
    s = beside.initial(np.zeros((2, 2)), GIVEN)
    assert s.tolist() == [[1, 1, 2, 5], [1, 3, 4, 6]]


def test_who_is_given_some_is_asked(beside):
    with pytest.raises(px.InvalidInput, match="no way to begin"):
        beside.initial(np.zeros((2, 2)), {"pressure": GIVEN["pressure"]})
