"""The triangular mesh on ranks: nodes pass on what they get, message for message."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.base.errors import InvalidInput
from phalanx.distribute import PlanJob, launch, run
from phalanx.hardware.mesh import (
    VARIANTS,
    MeshTasks,
    mesh_evaluation,
    mesh_step,
    run_mesh,
)
from phalanx.simulation.integrators.tableaux import CLASSIC

BACK = {name: name for name in ("q", "v", "s")}
BEGIN = np.array([0.0, 0.5, -2.6, 0.0]), np.zeros(4), np.zeros(8)
OPENINGS = np.array([[0.02, 0.01, -0.02, 0.03]] * 3)


@cache
def step() -> MeshTasks:
    return mesh_step(px.library.cat215b(), CLASSIC, 0.01, hydraulics=cat215b_rotary())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("machine", [px.library.cat215b(), px.library.torso()], ids=str)
def test_nodes_have_the_bits_of_the_plan(machine, variant):
    """Every relay is a message where a rank is a node; on a bus one for each that listens."""
    plan = mesh_evaluation(machine, variant=variant).plan()
    state = np.random.default_rng(1).uniform(-1, 1, (3, machine.nv))
    expected = plan.execute(*state)
    for count in (1, 3, plan.computer.processors):
        found = run(PlanJob(plan, *state), count)
        for one, other in zip(found.outputs, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        wires = Counter(hop.link for message in plan.messages for hop in message.hops)
        assert found.hops == dict(sorted(wires.items()))
    assert found.messages == sum(1 + len(message.taps) for message in plan.messages)


@pytest.mark.xdist_group("mpi")
def test_steps_of_the_excavator_on_ranks():
    """Three steps, hydraulics and all, with the bits of the simulated mesh."""
    mpiexec()
    plan = step().plan()
    expected = run_mesh(step().machine, plan, *BEGIN[:2], OPENINGS, BEGIN[2])
    found = launch(PlanJob(plan, *BEGIN, OPENINGS, steps=3, back=BACK), 3, timeout=60.0)
    names = [port.name for port in plan.graph.program.outputs]
    for name in BACK:
        rows = found.outputs[names.index(name)]
        np.testing.assert_array_equal(rows, getattr(expected, name)[1:])


def test_ranks_that_do_not_fit():
    plan = step().plan()
    with pytest.raises(InvalidInput, match="16"):
        run(PlanJob(plan, *BEGIN, OPENINGS[0]), 16)
