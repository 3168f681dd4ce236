"""Node origins slide along their axes: fewer operations, same machine."""

from dataclasses import replace

import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.tree.regroup import regroup
from strategies import moving, state_of

MACHINES = [px.library.puma560, px.library.stanford, px.library.cat215b, px.library.torso]


def unslid(mechanism) -> Numbers:
    """The machine with every node origin on its joint's frame."""
    return Numbers(model_in_given_frames(mechanism))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_sliding_saves_operations_and_changes_nothing(machine):
    mechanism = machine()
    plain, slid = unslid(mechanism), Numbers(mechanism)
    x = state_of(mechanism, 1)
    close(slid.inverse(x.q, x.v, x.a), plain.inverse(x.q, x.v, x.a), 1e-12)
    counts = [
        px.count_operations(n.function(px.inverse_dynamics.recursive)).total for n in (slid, plain)
    ]
    assert counts[0] <= counts[1]


@given(moving())
def test_any_machine_any_frame(machine):
    mechanism, x = machine
    plain, slid = unslid(mechanism), Numbers(mechanism)
    close(slid.inverse(x.q, x.v, x.a), plain.inverse(x.q, x.v, x.a), 1e-11)
    for frame in mechanism.frame_names[:3]:
        X = plain(eq.forward_kinematics, x.q, frame=frame)
        close(slid(eq.forward_kinematics, x.q, frame=frame), X, 1e-12, frame)


def test_nodes_with_open_positions_stay():
    mechanism = px.library.puma560()
    n = Numbers(mechanism, ("joint_2.position",))
    x = state_of(mechanism, 2)
    at = mechanism.joint("joint_2").pose.translation
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, at)
    close(tau, Numbers(mechanism).inverse(x.q, x.v, x.a), 1e-12)


def test_regrouping_empties_what_a_turn_does_not_move():
    model = Numbers(px.library.puma560()).model
    for node in regroup(model.nodes):
        assert node.mass.m.is_zero() and node.mass.h[2].is_zero() and node.mass.J[2, 2].is_zero()


def test_regrouping_saves_operations():
    model = Numbers(px.library.puma560()).model
    inverse = px.inverse_dynamics.recursive
    # a model that answers "regrouped" with itself
    kept = replace(model)
    object.__setattr__(kept, "regrouped", kept)
    x = state_of(model.mechanism, 3)
    plain, saved = Numbers(kept), Numbers(model)
    close(saved.inverse(x.q, x.v, x.a), plain.inverse(x.q, x.v, x.a), 1e-12)
    assert (
        px.count_operations(saved.function(inverse)).total
        < px.count_operations(plain.function(inverse)).total
    )
