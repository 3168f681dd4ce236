import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import (
    Body,
    Floating,
    Joint,
    Mechanism,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)

INF = np.inf


def machine(*joints):
    bodies = [Body("root"), *(Body(j.child, 1.0, np.zeros(3), np.eye(3)) for j in joints)]
    return Mechanism("m", bodies, joints)


def test_rows_have_the_places_of_states():
    m = machine(
        Joint("base", "root", "a", Floating(), lower=-2.0, upper=3.0, effort_limit=0.0),
        Joint("hinge", "a", "b", Revolute(), lower=-1.0, upper=0.5, velocity_limit=4.0),
        Joint("ball", "b", "c", Spherical(), lower=-0.1, upper=0.1),
        Joint("slide", "c", "d", Prismatic(), upper=0.2, effort_limit=90.0),
        Joint("plane", "d", "e", Planar(), lower=(-1, -2, -3), upper=(1, 2, 3)),
    )
    lower, upper = m.position_limits
    assert lower.shape == upper.shape == (m.nq,)
    quaternion = [INF] * 4
    assert upper.tolist() == [3, 3, 3, *quaternion, 0.5, *quaternion, 0.2, 1, 2, 3]
    minus = [-x for x in quaternion]
    assert lower.tolist() == [-2, -2, -2, *minus, -1, *minus, -INF, -1, -2, -3]
    assert m.velocity_limits[m.v_slices["hinge"]].tolist() == [4.0]
    assert m.velocity_limits[m.v_slices["ball"]].tolist() == [INF] * 3
    assert m.effort_limits.tolist() == [0.0] * 6 + [INF] * 4 + [90.0] + [INF] * 3


def test_followers_have_no_place():
    m = machine(
        Joint("leader", "root", "a", Revolute(), lower=-1.0, upper=1.0),
        Joint("follower", "a", "b", Revolute(), lower=0.0, upper=0.1, mimic=Mimic("leader")),
    )
    assert [x.tolist() for x in m.position_limits] == [[-1.0], [1.0]]
    assert m.velocity_limits.shape == m.effort_limits.shape == (1,)


@pytest.mark.parametrize("name", ["puma560", "stewart", "chain:5,spherical"])
def test_neutral_postures_and_random_ones_lie_within(name):
    m = px.load(name)
    lower, upper = m.position_limits
    q = m.random_positions(50)
    assert ((lower <= q) & (q <= upper)).all()
    with pytest.raises(ValueError, match="read-only"):
        upper[0] = 1.0


def test_a_machine_that_cannot_move():
    m = Mechanism("block", [Body("block", 2.0, np.zeros(3), np.eye(3))])
    assert m.total_mass == 2.0
    assert [x.shape for x in (*m.position_limits, m.velocity_limits, m.effort_limits)] == [(0,)] * 4


def test_total_mass_has_the_root():
    puma = px.library.puma560()
    assert puma.total_mass == pytest.approx(sum(body.mass for body in puma.bodies))
    assert px.library.chain(7, mass=0.5).total_mass == 3.5
