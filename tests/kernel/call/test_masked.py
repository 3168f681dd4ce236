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
    whole = np.ma.masked_array([0.1, 0.2], mask=False)
    assert np.array_equal(dynamics.mass_matrix(whole), dynamics.mass_matrix(np.array([0.1, 0.2])))
