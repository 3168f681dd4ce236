"""Drag of a fluid: terminal velocities, spinning rods, work, what is refused."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Revolute

DENSITY, DIAMETER, LENGTH, MASS = 1000.0, 0.05, 1.0, 5.0


def rod(motion, com=(0, 0, -LENGTH / 2), gravity=(0, 0, -9.81)) -> Mechanism:
    across = MASS * LENGTH**2 / 12
    body = Body("rod", MASS, np.array(com), np.diag([across, across, 1e-3]))
    joint = Joint("joint", "ground", "rod", motion)
    return Mechanism("rod", [Body("ground"), body], [joint], gravity=np.array(gravity))


def tilted(angle: float) -> np.ndarray:
    return np.array([0, 0, 0, 0, np.sin(angle / 2), 0, np.cos(angle / 2)])


def force_of(drag: px.FluidDrag, machine: Mechanism, q, v) -> np.ndarray:
    x, u = ca.SX.sym("q", machine.nq), ca.SX.sym("v", machine.nv)
    return np.array(ca.Function("f", [x, u], [drag.force(machine, x, u)])(q, v)).ravel()


@pytest.mark.parametrize(
    ("tilt", "coefficient", "area"),
    [(np.pi / 2, 1.2, DIAMETER * LENGTH), (0.0, 0.01, np.pi * DIAMETER * LENGTH)],
    ids=["across", "along"],
)
def test_a_falling_rod_comes_to_its_terminal_velocity(tilt, coefficient, area):
    """m g = ½ ρ C A u²: of the area across the stream, or of the skin along it."""
    water = px.FluidDrag(DENSITY, DIAMETER, normal=1.2, tangential=0.01)
    fall = px.simulate(
        rod(Floating()), tilted(tilt), duration=10.0, step=5e-3, forces=(water,), every=100
    )
    expected = np.sqrt(2 * MASS * 9.81 / (DENSITY * coefficient * area))
    assert abs(np.linalg.norm(fall["v"][-1, :3]) - expected) < 1e-8
    # what the fluid took is what the fall gave
    assert np.ptp(fall["energy"] + fall["loss"]) < 1e-7 * fall["loss"][-1]


def test_a_current_is_a_moving_observer():
    """Seen from the stream, the rod moves the other way: the same forces."""
    rng = np.random.default_rng(1)
    machine, q = rod(Floating()), np.concatenate([rng.standard_normal(3), rng.standard_normal(4)])
    q[3:] /= np.linalg.norm(q[3:])
    stream, v = np.array([0.4, -0.3, 0.7]), rng.standard_normal(6)
    R = px.Dynamics(machine).forward_kinematics(q, frame="rod")[:3, :3]
    moving = np.concatenate([v[:3] - R.T @ stream, v[3:]])
    in_stream = force_of(px.FluidDrag(DENSITY, DIAMETER, current=stream), machine, q, v)
    at_rest = force_of(px.FluidDrag(DENSITY, DIAMETER), machine, q, moving)
    assert np.abs(in_stream - at_rest).max() < 1e-12 * np.abs(at_rest).max()


def test_a_rod_on_a_hinge_is_braked_by_the_integral_over_its_length():
    """∫ ½ ρ C d (ω s)² s ds = ρ C d ω² L⁴ / 8, of which two places give L⁴ 0.25 / 0.25 = 1."""
    machine, rate = rod(Revolute((0, 1, 0))), 3.0
    brake = force_of(px.FluidDrag(DENSITY, DIAMETER), machine, [0.3], [rate])
    exact = DENSITY * 1.2 * DIAMETER * rate**2 * LENGTH**4 / 8
    assert abs(-brake[0] / exact - 1) < 1e-12


def test_links_may_have_ends_and_diameters_of_their_own():
    machine = px.library.chain(3)
    one = px.FluidDrag(DENSITY, {"link_2": 0.1}, ends={"link_2": (0, 0, -0.5)})
    assert list(one.links(machine)) == ["link_2"]
    link = one.links(machine)["link_2"]
    assert (link.length, link.diameter) == (0.5, 0.1)
    assert np.array_equal(link.middle, [0, 0, -0.25])
    every = px.FluidDrag(DENSITY, 0.1).links(machine)
    assert list(every) == ["link_1", "link_2", "link_3"]
    assert all(abs(link.length - 1.0) < 1e-15 for link in every.values())


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: px.FluidDrag(0.0, 0.1), "density"),
        (lambda: px.FluidDrag(1.0, -0.1), "diameter"),
        (lambda: px.FluidDrag(1.0, {"rod": np.nan}), "diameter"),
        (lambda: px.FluidDrag(1.0, 0.1, normal=-1.0), "normal"),
        (lambda: px.FluidDrag(1.0, 0.1, current=(1.0, np.nan, 0.0)), "current"),
        (lambda: px.FluidDrag(1.0, 0.1).links(rod(Floating(), com=(0, 0, 0))), "ends"),
        (lambda: px.FluidDrag(1.0, {"rod": 0.1}).links(rod(Floating(), (0, 0, 0))), "'rod' has no"),
    ],
)
def test_what_makes_no_sense_is_refused(made, says):
    with pytest.raises(px.InvalidInput, match=says):
        made()


def test_a_body_that_is_not_there_is_named():
    with pytest.raises(px.UnknownName, match="link_2"):
        px.FluidDrag(1.0, {"lnk_2": 0.1}).links(px.library.chain(3))
