"""Frames turn about their axes: one turn from joint to joint, same machine."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.model_of import model_in_given_frames, model_of
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Prismatic, Revolute
from strategies import state_of


def oblique_chain(seed: int, joints: int = 5, *, slide_at: int | None = None) -> Mechanism:
    """Joints about axes in general position, as a CAD program exports them."""
    rng = np.random.default_rng(seed)

    def body(i: int) -> Body:
        A = rng.standard_normal((3, 3))
        return Body(
            f"body_{i}", rng.uniform(0.5, 2), rng.standard_normal(3), 20 * np.eye(3) + A @ A.T
        )

    def motion(i: int) -> Prismatic | Revolute:
        axis = rng.standard_normal(3)
        return (Prismatic if i == slide_at else Revolute)(axis=axis / np.linalg.norm(axis))

    return Mechanism(
        "oblique",
        [Body("base"), *(body(i) for i in range(joints))],
        [
            Joint(
                f"joint_{i}",
                "base" if i == 0 else f"body_{i - 1}",
                f"body_{i}",
                motion(i),
                Pose.from_quaternion(rng.standard_normal(3), rng.standard_normal(4)),
            )
            for i in range(joints)
        ],
    )


def entries_that_cost(model) -> list[int]:
    """How many entries of each node's placement are neither 0 nor ±1."""
    counts = []
    for node in model.nodes:
        R = np.abs(np.asarray(ca.DM(node.placement.rotation.matrix)))
        counts.append(int(((R > 0) & (R < 1)).sum()))
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_oblique_axes_are_one_turn_apart(seed):
    """As between the frames of Denavit and Hartenberg; the root's axes are given."""
    mechanism = oblique_chain(seed)
    before, after = (
        entries_that_cost(model)
        for model in (model_in_given_frames(mechanism), model_of(mechanism))
    )
    assert min(before[1:]) > 4
    assert max(after[1:]) <= 4


@pytest.mark.parametrize("slide_at", [None, 2])
def test_a_turned_machine_is_the_same_machine(slide_at):
    mechanism = oblique_chain(7, slide_at=slide_at)
    given, turned = Numbers(model_in_given_frames(mechanism)), Numbers(mechanism)
    x = state_of(mechanism, 3)
    close(turned.inverse(x.q, x.v, x.a), given.inverse(x.q, x.v, x.a), 1e-12)
    close(
        turned(px.mass_matrix.composite_body, x.q), given(px.mass_matrix.composite_body, x.q), 1e-12
    )
    for equation in (eq.forward_kinematics, eq.jacobian):
        pose = given(equation, x.q, frame="body_4")
        close(turned(equation, x.q, frame="body_4"), pose, 1e-12)
    counts = [
        px.count_operations(n.function(px.inverse_dynamics.recursive)).total
        for n in (turned, given)
    ]
    assert counts[0] < 0.8 * counts[1]


def test_a_lever_at_the_end_lies_along_an_axis():
    """The last body has no child to mind, so its x points to its centre of mass."""
    node = model_of(px.library.cat215b()).regrouped.nodes[-1]
    assert node.phase != 0
    assert node.mass.h[1].is_zero() and not node.mass.h[0].is_zero()


def test_frames_on_right_angles_stay_as_they_are():
    given, chosen = model_in_given_frames(px.library.puma560()), model_of(px.library.puma560())
    assert entries_that_cost(given) == entries_that_cost(chosen) == [0] * 6
    assert not any(node.phase for node in chosen.nodes)


def test_a_sliding_body_keeps_the_axes_of_what_it_slides_on():
    model = model_of(oblique_chain(1, slide_at=2))
    slide = next(node for node in model.nodes if node.freedom is Freedom.SLIDE)
    close(np.asarray(ca.DM(slide.placement.rotation.matrix)), np.eye(3), 0.0)
