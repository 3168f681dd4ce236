"""The arm in its plane: where it ends, and joint rates that move its end."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.machines.excavator import ExcavatorArm

ARM = ExcavatorArm()
ANGLES, WANTED = SX.sym("angles", 4), SX.sym("wanted", 4)
RATES = ca.Function("rates", [ANGLES, WANTED], [ARM.rates(ANGLES, WANTED)])
# derivatives of the tip by CasADi, not by the Jacobian that the arm writes down
TIP = ca.Function("tip", [ANGLES], [ca.jacobian(ca.vertcat(*ARM.tip(ANGLES)), ANGLES)])


def rates(angles, wanted) -> np.ndarray:
    return np.asarray(RATES(angles, wanted)).ravel()


angle = st.floats(-3.1, 3.1)
bent = st.one_of(st.floats(-2.9, -0.2), st.floats(0.2, 2.9))
speed = st.floats(-2.0, 2.0)


def test_lengths_are_those_of_the_machine():
    of = ExcavatorArm.of(px.library.cat215b())
    assert (of.offset, of.height, of.boom, of.stick) == pytest.approx((1.4, 1.0, 5.2, 1.8))


@pytest.mark.parametrize("machine", [px.library.cat215b, px.library.cat215b_cylinders])
def test_the_tip_is_the_hinge_of_the_bucket(machine):
    m = machine()
    of, d = ExcavatorArm.of(m), px.Dynamics(m)
    rng = np.random.default_rng(1)
    for angles in rng.uniform(-1, 1, (5, 4)):
        q = m.neutral()
        q[[m.q_slices[f"{name}_hinge"].start for name in ("cab", "boom", "stick", "bucket")]] = (
            angles
        )
        bucket = m.joint("bucket_hinge").child
        x, y, z = d.forward_kinematics(q, frame=bucket)[:3, 3]
        beside = m.joint("boom_hinge").pose.translation[1]
        r, height = of.tip(angles)
        # it is beside the axis by the boom's offset, which the arm leaves out
        assert float(r) == pytest.approx(np.sqrt(x * x + y * y - beside**2), abs=1e-9)
        assert float(height) == pytest.approx(z, abs=1e-9)


@given(st.tuples(angle, angle, bent, angle), st.tuples(speed, speed, speed, speed))
def test_rates_move_the_tip_as_wanted(angles, wanted):
    if float(ARM.tip(angles)[0]) < 0.5:
        return  # there an arc is not followed
    found = rates(angles, wanted)
    along, arc, up, turn = wanted
    np.testing.assert_allclose(np.asarray(TIP(angles)) @ found, [along, up], atol=1e-9)
    assert found[0] * float(ARM.tip(angles)[0]) == pytest.approx(arc, abs=1e-12)
    assert found[1:].sum() == pytest.approx(turn, abs=1e-9)


@given(st.tuples(angle, angle, angle, angle), st.tuples(speed, speed, speed, speed))
def test_rates_are_bounded_everywhere(angles, wanted):
    """Straight, folded, or over the swing's axis: no posture asks for more than so much."""
    found = rates(angles, wanted)
    assert np.isfinite(found).all()
    # where damping begins, the smallest singular value is |det J| / |J| or more, that is
    # 5.2 · 1.8 · 0.15 / 7.2; further in, damping keeps the inverse about there
    largest = 8.0 / (5.2 * 1.8 * 0.15)
    assert np.abs(found[1:3]).max() <= np.hypot(wanted[0], wanted[2]) * largest
    assert abs(found[0]) <= abs(wanted[1]) / 0.5 + 1e-12


@pytest.mark.parametrize("stick", [0.0, np.pi, -np.pi])
def test_a_straight_arm_does_not_stretch(stick):
    """Along its own direction the tip cannot move, and the arm does not try."""
    boom = 0.4
    direction = np.array([np.cos(boom), np.sin(boom)])
    found = rates([0, boom, stick, 0], [direction[0], 0, direction[1], 0])
    np.testing.assert_allclose(found, 0, atol=1e-12)


def test_no_command_is_no_motion():
    assert not rates([0.3, 0.5, 0.0, 0.1], np.zeros(4)).any()


@given(st.floats(3.5, 6.3), st.floats(0, 2 * np.pi), st.floats(-3, 3), st.floats(-3, 3))
def test_postures_reach_the_point(reach, elevation, swing, ground_angle):
    radius, height = 1.4 + reach * np.cos(elevation), 1.0 + reach * np.sin(elevation)
    angles = ARM.posture(radius, height, swing, ground_angle)
    r, z = (float(x) for x in ARM.tip(angles))
    assert (r, z) == pytest.approx((radius, height), abs=1e-9)
    assert angles[1:].sum() == pytest.approx(ground_angle, abs=1e-9)
    assert angles[0] == swing and -np.pi <= angles[2] <= 0  # elbow up


def test_the_sources_posture():
    """Gap G4: 5 m out with the boom at 30 degrees has the stick at -150.12."""
    angles = np.degrees(ARM.posture(5.0, 2.043, 0.0, np.radians(-120.12)))
    np.testing.assert_allclose(angles, [0, 30, -150.12, 0], atol=0.03)


@pytest.mark.parametrize("point", [(8.5, 1.0), (1.4, 1.0), (4.0, 1.0), (np.nan, 1.0)])
def test_points_out_of_reach(point):
    with pytest.raises(InvalidInput, match="reaches from"):
        ARM.posture(*point)


def test_other_lengths():
    longer = replace(ARM, stick=2.5)
    assert float(longer.tip([0, 0, 0, 0])[0]) == pytest.approx(1.4 + 5.2 + 2.5)
