"""Row 3: loops solved by hand, and equations of motion in independent coordinates alone."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.methods.closed_form import eliminate
from phalanx.simulation.formulations import EliminatedLoops, Motors, RungeKutta, run
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan import closed_loops as in_closed_form
from phalanx.studies.khan.bench import bench, replay

from .states import golden

MACHINES = {
    "four_bar": (px.library.four_bar(), in_closed_form.four_bar(), ["crank"]),
    "crossed": (
        px.library.four_bar(angle=0.4, crossed=True),
        in_closed_form.four_bar(angle=0.4, crossed=True),
        ["crank"],
    ),
    "slider_crank": (
        px.library.slider_crank(offset=0.05),
        in_closed_form.slider_crank(offset=0.05),
        ["crank"],
    ),
    "planar_3rrr": (px.library.planar_3rrr(), in_closed_form.planar_3rrr(), ["platform"]),
}
SPREAD = {"planar_3rrr": 0.05}


def states(name):
    """Some states of a machine: independent positions and rates, and forces of all joints."""
    machine, _, independent = MACHINES[name]
    rng = np.random.default_rng(3)
    k = sum(machine.joint(joint).motion.nv for joint in independent)
    for _ in range(5):
        yield (
            SPREAD.get(name, 2.0) * rng.uniform(-1, 1, k),
            rng.standard_normal(k),
            5 * rng.standard_normal(machine.nv),
        )


@pytest.mark.parametrize("name", MACHINES)
def test_closed_form_closes_the_loops(name):
    machine, positions, independent = MACHINES[name]
    z = ca.SX.sym("z", len(next(states(name))[0]))
    f = ca.Function("f", [z], [positions(z)])
    for here, _, _ in states(name):
        q = np.array(f(here)).ravel()
        assert np.abs(closed_loops(machine).search.openings(q)).max() < 1e-14
        found = px.assemble(machine, q, held=independent).q
        np.testing.assert_allclose(q, found, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.array(f(0)).ravel(), machine.neutral(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", MACHINES)
def test_eliminated_equations_are_those_of_multipliers(name):
    machine, positions, independent = MACHINES[name]
    z, dz = (ca.SX.sym(x, len(next(states(name))[0])) for x in ("z", "dz"))
    tau = ca.SX.sym("tau", machine.nv)
    found = eliminate(machine, positions, z, dz, tau)
    f = ca.Function("f", [z, dz, tau], [found.q, found.v, found.acceleration])
    g = px.expression(px.loops.multipliers, machine)
    h = 1e-6
    for x, rate, force in states(name):
        q, v, acceleration = (np.array(y).ravel() for y in f(x, rate, force))
        exact = np.array(g(q, v, force)).ravel()
        # accelerations of all joints: v one moment later on the way that z takes
        later = [
            np.array(f(x + s * h * rate, rate + s * h * acceleration, force)[1]).ravel()
            for s in (1, -1)
        ]
        np.testing.assert_allclose((later[0] - later[1]) / (2 * h), exact, rtol=1e-7, atol=1e-6)
        if name != "planar_3rrr":
            first = machine.v_slices[independent[0]].start
            assert acceleration[0] == pytest.approx(exact[first], rel=1e-10)


def test_golden_state_in_the_pose_of_the_platform():
    """x, y and angle of the platform in base axes are the independent coordinates."""
    machine, positions, independent = MACHINES["planar_3rrr"]
    formulation = EliminatedLoops(machine, positions, independent)
    q, v, tau = golden()
    x = formulation.begin(q, v)
    found, velocities = formulation.state(0.0, x)
    np.testing.assert_allclose(found, q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(velocities, v, rtol=0, atol=1e-12)
    assert x[3:] == pytest.approx(thesis.rates(q, v)[[7, 8, 6]], abs=1e-12)
    rates = formulation.rate(0.0, x, lambda t, q, v: tau)
    assert rates[3:] == pytest.approx((-1.233411286, -2.486163950, 11.704483957), abs=1e-8)


def test_the_motion_with_loops_that_cannot_open():
    machine, positions, independent = MACHINES["planar_3rrr"]
    options = {"duration": 0.5, "steps": RungeKutta(5e-3)}
    start = bench().q[0], bench().v[0], replay(bench())
    found = run(EliminatedLoops(machine, positions, independent), *start, **options)
    other = run(Motors(machine), *start, **options)
    np.testing.assert_allclose(found.q, other.q, rtol=0, atol=1e-7)
    assert max(np.abs(closed_loops(machine).search.openings(q)).max() for q in found.q) < 1e-14


def test_another_branch_is_refused():
    machine, positions, independent = MACHINES["four_bar"]
    formulation = EliminatedLoops(machine, positions, independent)
    with pytest.raises(px.InvalidInput, match="put together the other way"):
        formulation.begin(machine.neutral() + np.array([0.0, 0.1, 0.0]), np.zeros(3))
    with pytest.raises(px.InvalidInput, match="has other velocities"):
        formulation.begin(machine.neutral(), np.array([0.0, 1.0, 0.0]))


def test_what_has_no_closed_form_of_coordinates_is_refused():
    machine = px.library.stewart()
    with pytest.raises(px.InvalidInput, match="all coordinates"):
        EliminatedLoops(machine, lambda z: z, ["platform"])
    with pytest.raises(px.InvalidInput, match="has 1 positions"):
        EliminatedLoops(px.library.four_bar(), lambda z: z, ["crank"])
