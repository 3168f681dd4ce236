"""A fluid as data: what it may hold, what edits leave of it, and the force that comes of it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism import (
    Body,
    Fluid,
    FluidBox,
    Joint,
    Mechanism,
    Pose,
    Prismatic,
    Revolute,
    attach,
    merge_fixed,
    subtree,
)

SIDES = np.array([0.2, 0.3, 0.5])
MASS = 4.0


def brick(joint, fluid: Fluid) -> Mechanism:
    a, b, c = SIDES**2
    I = MASS / 12 * np.diag([b + c, a + c, a + b])
    body = Body("brick", MASS, np.array([0.0, 0.0, 0.1]), I)
    motion = Joint("j", "ground", "brick", joint)
    return Mechanism("m", [Body("ground"), body], [motion], gravity=np.zeros(3), fluid=fluid)


def acceleration(machine: Mechanism, speed: float) -> float:
    run = px.simulate(machine, [0.0], [speed], duration=1e-6, step=1e-6)
    return float((run["v"][-1, 0] - speed) / 1e-6)


@pytest.mark.parametrize("axis", range(3))
def test_a_brick_is_dragged_as_its_sides_say(axis):
    direction = np.eye(3)[axis]
    u, rho, eta = -1.5, 1000.0, 0.7
    area, width = SIDES.prod() / SIDES[axis], SIDES.mean()
    slide = brick(Prismatic(direction), Fluid(rho, eta))
    force = -rho / 2 * area * abs(u) * u - 3 * np.pi * width * eta * u
    np.testing.assert_allclose(acceleration(slide, u), force / MASS, rtol=1e-4)
    b, c = np.delete(SIDES, axis)
    torque = -rho / 64 * SIDES[axis] * (b**4 + c**4) * abs(u) * u - np.pi * width**3 * eta * u
    # about the centre of mass, so that the brick turns in place
    hinge = brick(Revolute(direction), Fluid(rho, eta))
    joint = replace(hinge.joints[0], pose=Pose())
    still = replace(hinge.bodies[1], com=np.zeros(3))
    hinge = replace(hinge, bodies=[hinge.bodies[0], still], joints=[joint])
    moment = MASS / 12 * (b**2 + c**2)
    np.testing.assert_allclose(acceleration(hinge, u), torque / moment, rtol=1e-4)


def test_wind_counts_as_motion_the_other_way():
    moving = acceleration(brick(Prismatic((1, 0, 0)), Fluid(50.0, 0.2)), -2.0)
    blown = acceleration(brick(Prismatic((1, 0, 0)), Fluid(50.0, 0.2, [2.0, 0, 0])), 0.0)
    np.testing.assert_allclose(moving, blown, rtol=1e-4)


def test_it_can_be_switched_off():
    machine = brick(Prismatic((1, 0, 0)), Fluid(1000.0))
    run = px.simulate(machine, [0.0], [1.0], duration=0.1, step=1e-3, forces=())
    np.testing.assert_allclose(run["v"][-1], 1.0)
    assert px.simulate(machine, [0.0], [1.0], duration=0.1, step=1e-3)["v"][-1] < 0.6


def test_energy_is_balanced():
    machine = brick(Prismatic((1, 0, 0)), Fluid(1000.0, 0.5))
    run = px.simulate(machine, [0.0], [1.0], duration=0.1, step=1e-4)
    lost = MASS / 2 * (1 - run["v"][-1, 0] ** 2)
    np.testing.assert_allclose(run["loss"][-1], lost, rtol=1e-9)


def test_boxes_of_bodies_have_their_mass_and_inertia():
    body = brick(Prismatic((1, 0, 0)), Fluid(1.0)).bodies[1]
    box = FluidBox.of_body(body)
    np.testing.assert_allclose(sorted(box.sides), SIDES, rtol=1e-12)
    np.testing.assert_allclose(box.pose.translation, body.com)
    assert np.linalg.det(box.pose.rotation) > 0


def test_equality_pickles_and_edits():
    arm = replace(px.library.puma560(), fluid=Fluid(1000.0, 0.1, [1, 0, 0]))
    assert pickle.loads(pickle.dumps(arm)) == arm != px.library.puma560()
    cut = subtree(
        merge_fixed(attach(arm, "link_6", Body("load", 1.0, inertia=np.eye(3)))), "link_3"
    )
    assert cut.fluid is not None and cut.fluid.boxes is not None
    frames = {box.frame for box in cut.fluid.boxes}
    assert frames == {"link_3", "link_4", "link_5", "link_6", "load"}


def test_a_payload_is_dragged_while_it_is_held():
    """Also where a file says which boxes are in the fluid."""
    load = Body("load", MASS, np.zeros(3), np.eye(3))
    alone = brick(Prismatic((1, 0, 0)), Fluid(1000.0))
    listed = replace(alone, fluid=replace(alone.fluid, boxes=alone.fluid.boxes_of(alone.bodies)))
    events = [px.pick_up(0.01, "brick", load), px.drop(0.02, "load")]
    ends = [
        px.simulate(m, [0.0], [1.0], duration=0.03, step=1e-3, events=events)["v"][-1]
        for m in (alone, listed)
    ]
    assert ends[0] == ends[1]
    assert ends[0] < px.simulate(alone, [0.0], [1.0], duration=0.03, step=1e-3)["v"][-1]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Fluid(-1.0), InvalidModel, "density of a fluid is -1.0"),
        (lambda: Fluid(1.0, np.inf), InvalidModel, "viscosity"),
        (lambda: Fluid(1.0, 0.0, [1, 2]), InvalidModel, "wind"),
        (lambda: FluidBox("a", Pose(), [1, 2, -3]), InvalidModel, "sides"),
        (
            lambda: replace(
                px.library.puma560(), fluid=Fluid(1.0, boxes=[FluidBox("hand", Pose(), SIDES)])
            ),
            UnknownName,
            "hand",
        ),
        (
            lambda: px.export_urdf(replace(px.library.puma560(), fluid=Fluid(1.0)), "arm.urdf"),
            InvalidModel,
            "has fluid, which URDF cannot say",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
