from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.sweeps.ready.tolerances import NAMES, platform_error
from phalanx.equations.loops.assembly.open_loop import OpenLoop


def test_a_perfect_platform_is_where_it_should_be():
    told = platform_error({})
    assert told["shift"] < 1e-12 and told["tilt"] < 1e-12


def test_small_errors_follow_the_jacobian_of_the_legs():
    """A leg along u at ball b: dl = u·(dx + dω × b), so dx solves six such equations."""
    machine = px.library.stewart()
    dynamics = px.Dynamics(machine)
    q = machine.neutral()
    centre = dynamics.forward_kinematics(q, frame="tool")[:3, 3]
    rows = []
    for k in range(1, 7):
        ball = dynamics.forward_kinematics(q, frame=f"ball_{k}")[:3, 3]
        foot = machine.joint(f"universal_{k}").pose.translation
        u = (ball - foot) / np.linalg.norm(ball - foot)
        rows.append(np.concatenate([u, np.cross(ball - centre, u)]))
    errors = 1e-5 * np.array([1.0, -2.0, 0.5, 1.5, -1.0, 0.7])
    linear = np.linalg.solve(np.array(rows), errors)
    told = platform_error(dict(zip(NAMES, errors.tolist(), strict=True)))
    # the rest is of second order
    np.testing.assert_allclose([told[k] for k in "xyz"], linear[:3], atol=1e-8)
    assert told["tilt"] == pytest.approx(np.linalg.norm(linear[3:]), abs=1e-8)


def test_legs_that_meet_nowhere_say_so():
    with pytest.raises(OpenLoop):
        platform_error({"leg_1": 5.0})


def test_a_case_without_some_legs_is_a_mapping_like_any():
    case = px.sweeps.Case(0, 0, {"leg_3": 2e-5})
    assert "leg_3" in case and "leg_1" not in case and case.get("leg_1") is None
    assert platform_error(case) == platform_error({"leg_3": 2e-5})
