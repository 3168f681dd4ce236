"""Masked entries are no numbers."""

import numpy as np
import pytest

import phalanx as px


def test_masked_entries_are_refused_and_masks_that_hide_nothing_are_not():
    arm = px.library.double_pendulum()
    dynamics = px.Dynamics(arm)
    hidden = np.ma.masked_array([0.1, 0.2], mask=[False, True])
    with pytest.raises(px.InvalidInput, match="masked"):
        dynamics.mass_matrix(hidden)
    with pytest.raises(px.InvalidInput, match="q0"):
        px.simulate(arm, hidden, duration=0.01)
    with pytest.raises(px.InvalidInput, match="masked"):
        dynamics.mass_matrix([hidden, hidden])
    whole = np.ma.masked_array([0.1, 0.2], mask=False)
    assert np.array_equal(dynamics.mass_matrix(whole), dynamics.mass_matrix(np.array([0.1, 0.2])))


@pytest.mark.parametrize(
    "model",
    [
        lambda: px.Body("link", np.ma.masked),
        lambda: px.Body("link", 1.0, com=np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])),
        lambda: px.Body("link", 1.0, inertia=[np.ma.masked_array(row, row) for row in np.eye(3)]),
        lambda: px.Pose(np.eye(3), np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])),
    ],
)
def test_a_model_has_no_masked_numbers(model):
    with pytest.raises(px.PhalanxError, match="must be numbers"):
        model()
