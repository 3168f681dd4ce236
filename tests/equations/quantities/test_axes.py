"""Motions of frames told in other axes: the same motion, and rates that are rates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import menagerie, moving, state_of

ROUNDING = 1e-12
DIFFERENCES = 1e-9  # lengths of metres, fourth-order differences at h = 1e-4
OTHERS = ("local", "world")


def told(axes: str, X: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Motions of a frame at X in other axes, from its origin's in world axes."""
    linear, angular = V[:3], V[3:]
    if axes == "local":
        return np.concatenate([X[:3, :3].T @ linear, X[:3, :3].T @ angular])
    # the point of the body at the world's origin
    return np.concatenate([linear + np.cross(angular.T, -X[:3, 3]).T, angular])


@given(moving())
def test_the_same_motion_in_other_axes(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in ("tool", mechanism.bodies[-1].name):
        X = n(eq.forward_kinematics, x.q, frame=frame)
        J, V = n(eq.jacobian, x.q, frame=frame), n(eq.frame_velocity, x.q, x.v, frame=frame)
        for axes in OTHERS:
            seen = n(eq.jacobian, x.q, frame=frame, axes=axes)
            close(seen, told(axes, X, J), ROUNDING, (frame, axes))
            velocity = n(eq.frame_velocity, x.q, x.v, frame=frame, axes=axes)
            close(velocity, told(axes, X, V), ROUNDING, (frame, axes))


@given(moving())
@pytest.mark.parametrize("axes", OTHERS)
def test_rates_are_differences(axes, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    rate = n.along(lambda q: n(eq.jacobian, q, frame="tool", axes=axes), x.q, x.v)
    close(n(eq.jacobian_rate, x.q, x.v, frame="tool", axes=axes), rate, DIFFERENCES)


def test_a_frame_on_the_root_does_not_move():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 1)
    root = mechanism.bodies[0].name
    for axes in OTHERS:
        assert not n(eq.jacobian, x.q, frame=root, axes=axes).any()
        assert not n(eq.jacobian_rate, x.q, x.v, frame=root, axes=axes).any()
        assert not n(eq.frame_velocity, x.q, x.v, frame=root, axes=axes).any()


def test_the_default_is_at_the_origin_of_the_frame_along_the_world():
    d = px.Dynamics(px.library.puma560())
    q = np.linspace(0.1, 0.6, 6)
    J = d.jacobian(q, frame="tool")
    np.testing.assert_array_equal(d.jacobian(q, frame="tool", axes="local_world_aligned"), J)
    assert not np.allclose(d.jacobian(q, frame="tool", axes="world"), J)
    assert len(d._kernels) == 2


def test_the_way_of_a_local_jacobian_does_not_know_where_the_arm_stands():
    """Seen from the tool, the first joint's angle makes no difference."""
    d = px.Dynamics(px.library.puma560())
    entries = d.expression("jacobian", "tool", "local").jac_sparsity(0, 0).get_crs()
    assert 0 not in entries[1] and 1 in entries[1]


def test_wrong_axes_say_what_each_name_means():
    d = px.Dynamics(px.library.double_pendulum())
    with pytest.raises(px.InvalidInput, match=r"axes='body'.*'local_world_aligned' \(velocity of"):
        d.jacobian([0.0, 0.0], frame="tip", axes="body")
    with pytest.raises(px.InvalidInput, match=r"axes=\['local'\]"):
        d.jacobian([0.0, 0.0], frame="tip", axes=["local"])
    with pytest.raises(px.UnknownName, match="no frame"):
        d.jacobian([0.0, 0.0], frame=["tip"])
    with pytest.raises(px.InvalidInput, match="forward_kinematics takes no axes"):
        d.kernel("forward_kinematics", "tip", "local")
    with pytest.raises(px.InvalidInput, match="axes='body'"):
        px.expression(eq.jacobian, d.mechanism, frame="tip", axes="body")
