"""Axes, differences of positions and M⁻¹ equal Pinocchio's, as machine code in batches."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import phalanx as px  # noqa: E402
from agree import robots  # noqa: E402
from agree.test_pinocchio import TOLERANCE, Pair  # noqa: E402

pytestmark = pytest.mark.skipif(robots.folder() is None, reason="no robots here")

# without joints that follow others: Pinocchio has no M⁻¹ of these
ROBOTS = [
    ("ur_description/urdf/ur5_robot.urdf", False),
    ("talos_data/robots/talos_left_arm.urdf", False),
    ("solo_description/robots/solo12.urdf", True),
]
FRAMES = {
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "local": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
}


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda robot: robot[0].split("/")[-1])
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(*request.param)


@pytest.fixture(scope="module")
def d(pair: Pair) -> px.Dynamics:
    return px.Dynamics(pair.mechanism)


def assert_agree(found: np.ndarray, wanted: list[np.ndarray]) -> None:
    expected = np.array(wanted)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("axes", FRAMES)
def test_jacobians_and_velocities_in_all_axes(axes: str, pair: Pair, d: px.Dynamics) -> None:
    frame = pair.mechanism.bodies[-1].name
    model, data = pair.model, pair.data
    index = model.getFrameId(frame, pin.FrameType.BODY)
    J, V, dJ = [], [], []
    for q, v, _, _ in pair.states():
        J.append(pin.computeFrameJacobian(model, data, q, index, FRAMES[axes])[:, pair.rows])
        pin.forwardKinematics(model, data, q, v)
        V.append(pin.getFrameVelocity(model, data, index, FRAMES[axes]).vector.copy())
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        rate = pin.getFrameJacobianTimeVariation(model, data, index, FRAMES[axes])
        dJ.append(rate[:, pair.rows])
    assert_agree(d.jacobian(pair.q, frame=frame, axes=axes), J)
    assert_agree(d.frame_velocity(pair.q, pair.v, frame=frame, axes=axes), V)
    assert_agree(d.jacobian_rate(pair.q, pair.v, frame=frame, axes=axes), dJ)


def test_inverse_of_the_mass_matrix(pair: Pair, d: px.Dynamics) -> None:
    wanted = []
    for q, _, _, _ in pair.states():
        M_inverse = np.triu(pin.computeMinverse(pair.model, pair.data, q))
        wanted.append(pair.matrix(M_inverse + np.triu(M_inverse, 1).T))
    found = d.mass_matrix_inverse(pair.q)
    assert_agree(found, wanted)
    np.testing.assert_array_equal(found, np.swapaxes(found, -1, -2))


def test_differences_and_ways_between_positions(pair: Pair, d: px.Dynamics) -> None:
    """Joints that Pinocchio takes for circles apart: of these ours counts turns."""
    start, end = pair.q, np.roll(pair.q, 1, axis=0)
    start_pin, end_pin = pair.q_pin, np.roll(pair.q_pin, 1, axis=0)
    assert pair.model.nq == pair.mechanism.nq
    pairs = list(zip(start_pin, end_pin, strict=True))
    d_pin = [pin.difference(pair.model, a, b)[pair.rows] for a, b in pairs]
    assert_agree(d.difference(start, end), d_pin)
    between = [pin.interpolate(pair.model, a, b, 0.3) for a, b in pairs]
    found = d.interpolate(start, end, 0.3)
    for ours, theirs in zip(found, between, strict=True):
        posture = d.body_poses(ours)
        pin.framesForwardKinematics(pair.model, pair.data, theirs)
        last = pair.mechanism.bodies[-1].name
        index = pair.model.getFrameId(last, pin.FrameType.BODY)
        np.testing.assert_allclose(
            posture[-1], pair.data.oMf[index].homogeneous, atol=TOLERANCE, rtol=0
        )
