import numpy as np
import pytest

import phalanx as px
from phalanx.distribute import branches


def test_legs_and_platform_of_the_3rrr():
    parts = branches(px.library.planar_3rrr())
    assert [part.name for part in parts] == ["proximal_1", "proximal_2", "proximal_3", "platform"]
    assert parts[1].bodies == ("proximal_2", "distal_2")
    assert parts[1].joints == ("drive_2", "elbow_2")
    assert parts[1].loops == ("leg_2",)
    assert parts[3].loops == ("leg_1", "leg_2", "leg_3")


@pytest.mark.parametrize("name", ["planar_3rrr", "stewart", "delta", "five_bar"])
def test_parts_own_every_coordinate_once_and_share_no_inertia(name):
    m = px.library.by_name(name)
    parts = branches(m)
    assert sorted(k for part in parts for k in part.q) == list(range(m.nq))
    assert sorted(k for part in parts for k in part.v) == list(range(m.nv))
    M = px.Dynamics(m).mass_matrix(m.random_positions(seed=1))
    for i, one in enumerate(parts):
        assert np.abs(M[np.ix_(one.v, one.v)]).max() > 0
        for other in parts[:i]:
            assert not M[np.ix_(one.v, other.v)].any()


def test_a_coordinate_that_follows_another_belongs_with_it():
    rod = {"mass": 1.0, "inertia": np.eye(3)}
    bodies = [px.Body("base"), *(px.Body(name, **rod) for name in "abc")]
    follow = px.mechanism.joint.Mimic("turn_a")
    joints = [
        px.Joint("turn_a", "base", "a", px.mechanism.Revolute()),
        px.Joint("turn_b", "base", "b", px.mechanism.Revolute(), mimic=follow),
        px.Joint("turn_c", "base", "c", px.mechanism.Revolute()),
    ]
    m = px.Mechanism("geared", bodies, joints, loops=[px.Loop("pin", "b", "c", px.PlanarPin())])
    assert [branch.bodies for branch in branches(m)] == [("a", "b"), ("c",)]


def test_a_machine_without_loops_is_refused():
    with pytest.raises(px.InvalidModel, match="'puma560' has no loops"):
        branches(px.library.puma560())


def test_a_machine_of_one_branch_is_refused():
    m = px.library.double_pendulum()
    tip = m.bodies[-1].name
    closed = px.Mechanism(
        "curled", m.bodies, m.joints, m.frames, [px.Loop("pin", m.bodies[0].name, tip)]
    )
    with pytest.raises(px.InvalidModel, match="hangs on one branch"):
        branches(closed)
