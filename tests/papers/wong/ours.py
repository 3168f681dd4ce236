"""What we compute for the tables of Wong (1991): a value for each row of printed.toml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import phalanx as px
from papers.wong import test_counts as counts
from papers.wong import test_golden_values as golden
from papers.wong import test_simulation as simulation
from papers.wong.meshes import chain
from phalanx import hardware
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.hardware.mesh import CYCLES, T800, mesh_evaluation
from phalanx.machines.excavator import (
    ExcavatorArm,
    joint_experiment,
    resolved_experiment,
    rotary_excavator,
)
from phalanx.machines.excavator.control import Spool, SpoolCurve
from phalanx.simulation.setup.profile import Profile
from phalanx.studies.wong.mesh_times import TABLE_5_4, MeshTimes
from phalanx.studies.wong.parallel import (
    EXCAVATOR_PARALLEL,
    EXCAVATOR_SERIAL,
    Rival,
    amin_javaheri,
    best_up_to,
    hwang_by_steps,
    inertia_cost,
    longest_path_cost,
    whole_cost,
)
from phalanx.studies.wong.phases import as_the_source_counts, body_phases, inertia_phases
from phalanx.studies.wong.published import TABLE_3_1, CountedPart, regenerated


def _table(number: str) -> Iterator[list[int]]:
    """Multiplications, additions, for growing chains; a row a method."""
    for row in regenerated(number).values():
        yield [count for pair in row.values() for count in pair]


def table_3_2() -> Iterator[list[int]]:
    return _table("3.2")


def table_3_3() -> Iterator[list[int]]:
    return _table("3.3")


def table_3_5() -> Iterator[list[int]]:
    return _table("3.5")


def phases() -> Iterator[tuple[int, int]]:
    """Counted in the product's own steps, for a general chain of four."""
    counted = inertia_phases(4)
    for name in ("A", "c", "rho", "J c", "m (rho x c)", "product"):
        yield counts.pair(counted[name])
    yield as_the_source_counts(counted)
    n = 4
    bodies = [counts.pair(count) for count in body_phases().values()]
    # the first body as the source counts it
    first = [(1, 0), (12, 9), (3, 0), (15, 10)]
    multiply = (n - 1) * sum(m for m, _ in bodies) + sum(m for m, _ in first) + 3 * n * n
    add = (n - 1) * sum(a for _, a in bodies) + sum(a for _, a in first) + 3 * n * n
    yield multiply, add
    solver = counts.solver_operations(n)["along_the_tree"]
    yield solver.multiply + solver.divide, solver.add


def body_of_the_force_vector() -> Iterator[tuple[int, int]]:
    """Phases of the force vector for one body, and for the first."""
    yield from (counts.pair(count) for count in body_phases().values())
    first = body_phases(first=True)
    yield from (counts.pair(first[name]) for name in ("W", "p''", "dL/dt"))


@cache
def _puma() -> tuple[np.ndarray, ...]:
    return simulation.errors(px.library.puma600(), 10.0, 0.01)


@cache
def _torso(step: float) -> tuple[np.ndarray, ...]:
    return simulation.errors(px.library.torso_as_printed(), 5.0, step)


def puma_run() -> list:
    """Largest errors of joint 6, of any joint; time of an evaluation by counting [ms]."""
    largest = [simulation.largest(error[:, simulation.JOINT_6]) for error in _puma()[1:]]
    total = TABLE_3_1[CountedPart.TOTAL]["Proposed"]
    counted = T800.speed.multiply * total.multiply(6) + T800.speed.add * total.add(6)
    with_angles = float(counted) + 6 * T800.speed.sincos
    return [
        [f * x for f, x in zip((1e4, 1e5, 1e5), largest, strict=True)],
        float(np.abs(_puma()[1]).max()),
        [1e3 * float(counted), 1e3 * with_angles],
        17.2 / (1e3 * with_angles),
    ]


def puma_errors() -> list:
    """The same to three digits, in double precision."""
    return [[simulation.largest(error[:, simulation.JOINT_6]) for error in _puma()[1:]]]


def torso_run() -> list:
    """Error of joint 6 in steps of 1 ms, and at the end in steps of 10 ms [deg]."""
    time, error = _torso(0.001)[0], _torso(0.001)[1][:, simulation.JOINT_6]
    at = [error[np.searchsorted(time, t - 1e-9)] for t in (2.5, 4.0, 4.5, 5.0)]
    return [*at, _torso(0.01)[1][-1, simulation.JOINT_6]]


def puma_torques() -> Iterator[np.ndarray]:
    """Along the profile, every 2.5 s."""
    d = px.Dynamics(px.library.puma600())
    for t in (0.0, 2.5, 5.0, 7.5, 10.0):
        yield d.inverse_dynamics(*golden.profile(t, 10.0))


def accelerations() -> list[np.ndarray]:
    """Without torque: arm, torso, excavator."""
    arm, torso, excavator = (
        px.Dynamics(make())
        for make in (px.library.puma600, px.library.torso_as_printed, px.library.cat215b)
    )
    q, v = np.array([0.1, 0.5, -1.2, -0.5]), np.array([0.2, -0.1, 0.3, 0.1])
    return [
        arm.forward_dynamics(*golden.STATE, np.zeros(6)),
        torso.forward_dynamics(*golden.STATE, np.zeros(6)),
        excavator.forward_dynamics(q, v, np.zeros(4)),
        torso.inverse_dynamics(*golden.profile(2.5, 5.0)),
        [torso.mass_matrix(np.zeros(6))[0, 0]],
        excavator.gravity(np.zeros(4)),
        *(excavator.mass_matrix(np.zeros(4))[i, i:] for i in range(4)),
    ]


def hydraulics() -> list:
    """Stall torques, and the cab at full spool."""
    stall = [actuator.stall for actuator in cat215b_rotary().actuators.values()]
    run = px.simulate(
        px.library.cat215b(),
        rotary_excavator().q0,
        duration=6.0,
        step=1e-3,
        actuation=cat215b_rotary(charged=True),
        control=Profile([0.0], [[0.05, 0, 0, 0]]),
    )
    return [stall, run["v"][-1, 0]]


def free_excavator() -> list[float]:
    """Energy drift over the largest kinetic energy, steps of 10 and 5 ms."""
    return [simulation.energy_drift(step) for step in (0.01, 0.005)]


@cache
def _times() -> MeshTimes:
    return MeshTimes.of(px.library.cat215b(), cat215b_rotary())


def table_5_4() -> Iterator:
    """Milliseconds of one T800 by counting: parts, all, the mesh; speed-up."""
    for row in TABLE_5_4.values():
        yield [row.counted.multiply, row.counted.add, row.counted.time() / 1e3]
    total = EXCAVATOR_SERIAL
    yield [total.multiply, total.add, total.time() / 1e3]
    yield [EXCAVATOR_PARALLEL.multiply, EXCAVATOR_PARALLEL.add, EXCAVATOR_PARALLEL.time() / 1e3]
    yield total.time() / EXCAVATOR_PARALLEL.time()


def counted_parts() -> Iterator[tuple[int, int]]:
    """Parts of the excavator's evaluation, counted in our own steps."""
    yield as_the_source_counts(inertia_phases(4))
    yield tuple(list(phases())[7])
    solver = counts.solver_operations(4)["along_the_tree"]
    yield solver.multiply + solver.divide, solver.add


def table_5_5() -> Iterator:
    """Times of the loop over c, rho, J c and m rho x c, by counting [µs]."""
    graph = _times().evaluation.graph

    def time(name: str) -> float:
        return 1e6 * T800.speed.time(graph.tasks[graph.number(name)])

    vector, scaled = 3e6 * T800.speed.add, 3e6 * T800.speed.multiply
    turned = time("c 3,1")
    yield from (vector, turned, vector, turned, time("J c 3,1"))
    yield time("m rho x c 3,1") - scaled
    yield scaled
    yield turned + time("rho 3,1") + time("J c 3,1") + time("m rho x c 3,1")
    before = ("A", "c", "rho", "J c", "m (rho x c)")
    counted = [counts.pair(inertia_phases(4)[name]) for name in before]
    angles = 4 * 1e6 * T800.speed.sincos
    yield (
        1e6 * T800.speed.multiply * sum(m for m, _ in counted)
        + 1e6 * T800.speed.add * sum(a for _, a in counted)
        + angles
    )


def crossovers() -> list:
    """Joints up to which the mesh is quickest; times of the rivals [µs]."""
    return [
        best_up_to(inertia_cost),
        best_up_to(whole_cost),
        best_up_to(longest_path_cost),
        [inertia_cost(rival, 4).time() for rival in Rival],
        [whole_cost(rival, 14).time() for rival in Rival],
        [whole_cost(Rival.WONG, 15).time(), whole_cost(Rival.HWANG, 15).time()],
        inertia_cost(Rival.LEE, 8).multiply + inertia_cost(Rival.LEE, 8).add,
        amin_javaheri(8),
        hwang_by_steps(4).add - 31 * 2 - 5 * 4,
    ]


def mesh() -> list:
    """Cycles and operations of the mesh, four joints: planned and run."""
    tasks = mesh_evaluation(chain(4))
    plan = tasks.plan(CYCLES)
    end = {plan.graph.tasks[p.task].name: p.end for p in plan.placements}
    row_1, row_0 = tasks.operations((1, 4), "pipelines"), tasks.operations((0, 4), "pipelines")
    A = np.diag([4.0, 5.0, 6.0, 7.0]) + 1.0
    solved = hardware.systolic_solve(A, np.arange(4.0))
    return [
        [end["dL 4"], end["J dw 4"]],
        [row_1.multiply, row_1.add],
        [2 * 18 + row_0.multiply, 2 * 13 + row_0.add],
        [solved.first_cycle, solved.cycles],
        solved.cells,
        len(tasks.shape.nodes) - 1,
    ]


def joint_experiment_lags() -> list:
    """JOINT experiment: sags of stick and boom in 1 s, of the cab before it moves, lags [deg]."""
    shifted = Spool(curve=SpoolCurve.SHIFT)
    run = rotary_excavator(spool=shifted).run(joint_experiment(), 15.0)
    error = np.degrees(run["q"] - run["desired"])
    sags, lags = np.abs(error[:101]).max(axis=0), -error[-1]
    return [[sags[2], sags[1]], float(np.abs(error[:500, 0]).max()), [lags.min(), lags.max()]]


def planned_mesh() -> list[float]:
    """An evaluation of the excavator with its oil on the mesh, with messages [ms]; speed-up."""
    return [1e3 * _times().per_evaluation, _times().step_plan.speedup]


def resolved_experiment_path() -> list:
    """RESOLVED experiment, desired: first posture, radius, cab, height, bucket to ground."""
    arm = ExcavatorArm.of(px.library.cat215b())
    run = rotary_excavator(mode="RESOLVED").run(resolved_experiment(), 15.0)
    desired = run["desired"]
    r, z = (np.array(x).ravel() for x in arm.tip(desired.T))
    angles = np.degrees(desired)
    to_ground = angles[:, 1:].sum(axis=1)
    return [
        [angles[0, 1], angles[0, 2]],
        [r[0], z[0]],
        r[-1],
        (r[800] - r[600]) / 2.0,
        angles[-1, 0],
        100 * float(np.abs(z - z[0]).max()),
        float(np.abs(to_ground - to_ground[0]).max()),
    ]
