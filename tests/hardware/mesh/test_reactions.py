"""Friction of bearings from reactions along row 0 (Wong 1991, §6.4.4)."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import phalanx as px
from papers.wong.meshes import chain
from phalanx.actuators import Drive, Journal, Linear, Thrust, Transmission, puma560_efficiency
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.hardware.mesh import CYCLES, T800, mesh_step, run_mesh
from phalanx.mechanism import Body, Joint, Mechanism, Prismatic
from phalanx.simulation.integrators.tableaux import CLASSIC

STEP, STEPS = 2e-3, 5


@cache
def machine(name: str) -> tuple[px.Mechanism, dict[str, Drive]]:
    """A chain and a tree, with bearings at two of their hinges."""
    mechanism = chain(3) if name == "chain" else px.library.torso()
    second, third = [joint.name for joint in mechanism.joints if joint.motion.nv][1:3]
    return mechanism, {
        second: Drive([Journal(0.15, 0.05, 0.2)], viscous=0.5, coulomb=0.2),
        third: Drive([Journal(0.2, 0.04, 0.1), Thrust(0.1, 0.03)]),
    }


def start(mechanism: px.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    q, v = np.random.default_rng(1).uniform(-1, 1, (2, mechanism.nv))
    return q, v


def on_mesh(name: str, **options: int) -> np.ndarray:
    mechanism, drives = machine(name)
    step = mesh_step(mechanism, CLASSIC, STEP, drives=drives, **options)
    plan = step.plan(T800)
    assert plan.violations == ()
    q, v = start(mechanism)
    return run_mesh(step.machine, plan, q, v, np.zeros((STEPS, mechanism.nv))).v


@cache
def simulated(name: str, *, rubs: bool = True) -> np.ndarray:
    mechanism, drives = machine(name)
    q, v = start(mechanism)
    run = px.simulate(
        mechanism,
        duration=STEP * STEPS,
        step=STEP,
        q0=q,
        v0=v,
        integrator=px.RungeKutta4(),
        forces=(px.DriveFriction(drives),) if rubs else (),
    )
    return run["v"]


@pytest.mark.parametrize("name", ["chain", "torso"])
def test_passes_end_at_the_friction_of_drives(name: str):
    """Against the simulator, which solves the same balance by Newton's method."""
    wanted = simulated(name)
    assert abs(wanted - simulated(name, rubs=False)).max() > 1e-3
    errors = [abs(on_mesh(name, passes=passes) - wanted).max() for passes in (1, 2)]
    for before, after in pairwise(errors):
        assert after < 0.1 * before
    assert abs(on_mesh(name, passes=6) - wanted).max() < 1e-3 * errors[-1] + 1e-13


def test_reactions_go_inward_along_row_0():
    """From (0, n) west to (0, 1), one link a body; over the bus where bodies branch."""
    for name, wire in (("chain", None), ("torso", 0)):
        mechanism, drives = machine(name)
        step = mesh_step(mechanism, CLASSIC, STEP, drives=drives, passes=1)
        plan, shape = step.plan(CYCLES), step.shape
        found = {
            (shape.nodes[m.source], shape.nodes[m.destination], m.hops[0].link)
            for m in plan.messages
            if " on " in plan.graph.tasks[m.task].name and "pass" in plan.graph.tasks[m.task].name
        }
        held = step.machine
        # as far as the inmost bearing, whose load nobody further in reads
        pairs = {
            ((0, i), (0, held.parent(i)))
            for i in range(2, held.size + 1)
            if any(held.name(j) in drives for j in held.paths[held.parent(i)])
        }
        assert {(a, b) for a, b, _ in found} == pairs and pairs
        if wire is not None:
            assert {link for *_, link in found} == {shape.bus(0)}


def test_a_pass_costs_a_pipeline_and_a_solver():
    """The mesh without bearings does no pass; each further pass takes as long as the one before."""
    mechanism, drives = machine("chain")
    plain = mesh_step(mechanism, CLASSIC, STEP).plan(T800).makespan
    times = [
        mesh_step(mechanism, CLASSIC, STEP, drives=drives, passes=k).plan(T800).makespan
        for k in (1, 2, 3)
    ]
    assert mesh_step(mechanism, CLASSIC, STEP, drives={}).plan(T800).makespan == plain
    gains = np.diff([plain, *times])
    assert np.all(gains > 0) and np.ptp(gains[1:]) < 0.2 * gains[1]


def test_bearings_that_row_0_cannot_have():
    mechanism, drives = machine("chain")
    name = next(iter(drives))
    with pytest.raises(UnknownName, match="no_hinge"):
        mesh_step(mechanism, CLASSIC, STEP, drives={"no_hinge": Drive()})
    geared = Drive(transmission=Transmission(puma560_efficiency(), rated=10.0))
    with pytest.raises(InvalidInput, match=f"drive of joint '{name}' has a transmission"):
        mesh_step(mechanism, CLASSIC, STEP, drives={name: geared})
    with pytest.raises(InvalidInput, match="0 passes of friction; there must be at least one"):
        mesh_step(mechanism, CLASSIC, STEP, drives=drives, passes=0)
    four_bar = px.library.four_bar()
    pin = four_bar.joints[0].name
    with pytest.raises(InvalidModel, match="'four_bar' has loops; reactions go inward along row"):
        mesh_step(four_bar, CLASSIC, STEP, drives={pin: Drive([Journal(0.1, 0.1, 0.1)])})
    sled = Mechanism(
        "sled",
        [Body("base"), Body("sled", 1.0, [0, 0, 0.1], np.eye(3))],
        [Joint("rail", "base", "sled", Prismatic())],
    )
    with pytest.raises(InvalidModel, match="joint 'rail' of 'sled' is a slide; row 0 has"):
        mesh_step(sled, CLASSIC, STEP, drives={"rail": Drive([Linear(0.1, 0.2)])})
