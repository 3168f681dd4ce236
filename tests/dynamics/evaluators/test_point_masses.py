"""Bodies without extent: lumped cables, near the straight posture and away from it."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import phalanx as px
from phalanx.bench.chains.extended import forward_dynamics, relative_error
from phalanx.dynamics.evaluators import automatic
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.scan.method import Scan
from phalanx.dynamics.evaluators.segments import Segments, SegmentsSolver
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute

LENGTH = 0.1


def beads(
    count: int,
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Mechanism:
    """Point masses on massless rods, in line along x."""
    bodies, joints = [Body("root")], []
    for k in range(count):
        seat = Pose(np.eye(3), np.array([LENGTH if k else 0.0, 0.0, 0.0]))
        bodies.append(Body(f"bead{k}", 0.01, np.array([LENGTH, 0.0, 0.0]), np.zeros((3, 3))))
        joints.append(Joint(f"hinge{k}", bodies[k].name, f"bead{k}", Revolute(axis), seat))
    return Mechanism("beads", bodies, joints, gravity=np.array(gravity))


@pytest.fixture(scope="module")
def cable() -> Mechanism:
    return beads(600)


@pytest.mark.parametrize("spread", [1e-6, 1e-3])
def test_every_way_to_share_out_a_cable_keeps_its_digits(cable, spread):
    # a recursion over 600 bodies may lose two or three of the 15 digits, and no more
    bodies, root = bodies_of(cable), still_root(cable)
    q, v = spread * np.random.default_rng(0).standard_normal((2, 1, cable.nv))
    tau = np.zeros_like(v)
    wanted = forward_dynamics(bodies, q[0], v[0], tau[0], root[0])
    for method in (Serial(), Scan(), Automatic(), Segments(), Segments(100)):
        found = method.solver(bodies, 1).accelerations(q, v, tau, root)[0]
        assert relative_error(found, wanted) < 1e-12, method


@pytest.mark.parametrize("spread", [1e-6, 1e-3])
def test_products_with_the_mass_matrix_and_its_inverse_keep_their_digits(cable, spread):
    d, bodies, root = px.Dynamics(cable), bodies_of(cable), still_root(cable)
    rng = np.random.default_rng(4)
    q, v, tau = spread * rng.standard_normal(cable.nq), *rng.standard_normal((2, cable.nv))
    still = np.zeros(cable.nv)
    wanted = forward_dynamics(bodies, q, still, tau, np.zeros(9))
    assert relative_error(d.mass_solve(q, tau), wanted) < 1e-12
    a = wanted.astype(float)
    terms = np.abs(a).max() * d.mass_times(q, np.ones(cable.nv)).max()
    assert np.abs(d.mass_times(q, a) - tau).max() < 1e-16 * terms
    a = forward_dynamics(bodies, q, v, tau, root[0]).astype(float)
    terms = np.abs(a).max() * d.mass_times(q, np.ones(cable.nv)).max()
    assert np.abs(d.inverse_dynamics(q, v, a) - tau).max() < 1e-16 * terms


def test_a_thousand_beads_keep_their_energy_as_they_fall():
    # nearly level, where inertias of what hangs on are nearly singular; steps leave 1e-10
    cable = beads(1000, (0.0, 1.0, 0.0))
    d = px.Dynamics(cable)
    q0 = 1e-6 * np.random.default_rng(1).standard_normal(cable.nq)
    v0 = np.zeros(cable.nv)
    run = px.rollout(cable, q0, v0, steps=200, step=1e-3, record=(), forces=())
    gained = d.energy(run.final_q, run.final_v) - d.energy(q0, v0)
    assert abs(gained) < 1e-8 * d.kinetic_energy(run.final_q, run.final_v)


def wrong_from(evaluation: int, monkeypatch) -> None:
    """Segments that answer wrongly from a certain evaluation on."""
    right, done = SegmentsSolver.accelerations, [0]

    def accelerations(self, q, v, tau, root, external=None, out=None):
        a = right(self, q, v, tau, root, external, out)
        done[0] += 1
        if done[0] > evaluation:
            a *= 1 + 1e-6
        return a

    monkeypatch.setattr(SegmentsSolver, "accelerations", accelerations)


@pytest.mark.parametrize("acted_on", [False, True])
def test_wrong_accelerations_are_found_and_those_of_the_sweep_taken(monkeypatch, caplog, acted_on):
    monkeypatch.setitem(automatic.SEGMENTED_FROM, "lanes", 50)
    wrong_from(0, monkeypatch)
    bodies = bodies_of(px.library.chain(60, alternate=True))
    m, rng = bodies.mechanism, np.random.default_rng(2)
    q, v, tau = m.random_positions(1), *rng.standard_normal((2, 1, m.nv))
    external = rng.standard_normal((1, len(bodies), 6)) if acted_on else None
    with caplog.at_level(logging.WARNING):
        found = Automatic().solver(bodies, 1).accelerations(q, v, tau, still_root(m), external)
    wanted = Serial().solver(bodies, 1).accelerations(q, v, tau, still_root(m), external)
    np.testing.assert_array_equal(found, wanted)
    assert "serial sweep" in caplog.text


def test_a_run_is_checked_from_time_to_time(monkeypatch, caplog):
    monkeypatch.setitem(automatic.SEGMENTED_FROM, "lanes", 50)
    wrong_from(10, monkeypatch)
    m = px.library.chain(200, alternate=True)
    with caplog.at_level(logging.WARNING):
        px.rollout(m, m.random_positions(), np.zeros(m.nv), steps=30, step=1e-4)
    assert caplog.text.count("serial sweep") == 1


def test_right_accelerations_stay_those_of_segments(monkeypatch, caplog):
    monkeypatch.setitem(automatic.SEGMENTED_FROM, "lanes", 50)
    for m in (px.library.chain(60, alternate=True), beads(60), px.library.chain(60, "spherical")):
        bodies = bodies_of(m)
        solver = Automatic().solver(bodies, 1)
        for q in (m.neutral()[None], m.random_positions(1)):
            v = np.random.default_rng(3).standard_normal((1, m.nv))
            solver.accelerations(q, v, np.zeros_like(v), still_root(m))
        assert isinstance(solver.chosen(1), SegmentsSolver)
    assert "serial sweep" not in caplog.text
