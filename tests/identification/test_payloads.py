"""What an arm carries is found in one line, with errors that mean something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from identification.machines import data_of

LOAD = px.Body("load", 2.0, [0.05, 0.02, 0.1], np.diag([0.02, 0.03, 0.025]))


def carried():
    arm, _, (q, v, a), _ = data_of("puma560")
    loaded = px.attach(arm, "link_6", LOAD)
    tau = px.Dynamics(loaded, threads=1).inverse_dynamics(q, v, a) + 0.3 * v + 0.5 * np.sign(v)
    return arm, (q, v, a), tau


def test_it_is_found_exactly_without_noise():
    arm, motion, tau = carried()
    found = px.identification.payload(arm, *motion, tau)
    assert found.mass == pytest.approx(2.0, rel=1e-9) and found.physical
    np.testing.assert_allclose(found.com, LOAD.com, atol=1e-9)
    np.testing.assert_allclose(found.inertia, LOAD.inertia, atol=1e-9)
    again = px.attach(arm, "link_6", found.body())
    q, v, a = motion
    ours = px.Dynamics(again, threads=1).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(ours + 0.3 * v + 0.5 * np.sign(v), tau, atol=1e-8)


def test_it_is_said_in_the_axes_of_the_frame_that_holds_it():
    arm, motion, tau = carried()
    grip = px.Pose.from_rpy([0.01, -0.02, 0.03], [0.4, -0.3, 1.0])
    holding = replace(arm, frames=(*arm.frames, px.Frame("grip", "link_6", grip)))
    found = px.identification.payload(holding, *motion, tau, frame="grip")
    np.testing.assert_allclose(grip.rotation @ found.com + grip.translation, LOAD.com, atol=1e-9)
    R = grip.rotation
    np.testing.assert_allclose(R @ found.inertia @ R.T, LOAD.inertia, atol=1e-9)


def test_standard_errors_cover_the_truth():
    arm, motion, tau = carried()
    rng = np.random.default_rng(1)
    inside = []
    d = px.Dynamics(arm, threads=1)
    for _ in range(60):
        found = px.identification.payload(d, *motion, tau + 0.2 * rng.normal(size=tau.shape))
        inside.append(
            [
                abs(found.mass - 2) < 1.96 * found.mass_error,
                *(np.abs(found.com - LOAD.com) < 1.96 * found.com_error),
                *np.diag(np.abs(found.inertia - LOAD.inertia) < 1.96 * found.inertia_error),
            ]
        )
    assert 0.9 < np.mean(inside) < 0.99


def test_standing_still_shows_mass_and_centre_alone():
    arm, (q, _, _), _ = carried()
    still = np.zeros_like(q)
    loaded = px.attach(arm, "link_6", LOAD)
    tau = px.Dynamics(loaded, threads=1).gravity(q)
    found = px.identification.payload(arm, q, still, still, tau, inertia=False)
    assert found.mass == pytest.approx(2.0, rel=1e-9)
    np.testing.assert_allclose(found.com, LOAD.com, atol=1e-9)
    assert not found.inertia.any()
    with pytest.raises(px.identification.NotExciting, match="6 of 10") as caught:
        px.identification.payload(arm, q, still, still, tau)
    assert set(caught.value.unknown) == {
        f"payload.{name}" for name in ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    }


def test_what_is_refused():
    arm, motion, tau = carried()
    with pytest.raises(px.UnknownName, match="frame 'hand'"):
        px.identification.payload(arm, *motion, tau, frame="hand")
    with pytest.raises(px.InvalidInput, match="holds nan in row 2, joint 0"):
        px.identification.payload(arm, *motion, np.where(tau == tau[2, 0], np.nan, tau))
