"""One evaluation of forward dynamics on a triangular mesh."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX

from phalanx.hardware.mesh.loops import JointState, LoopMotion, write_loops
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.hardware.mesh.motion import MeshKinematics
from phalanx.hardware.mesh.moving_sums import (
    Sums,
    write_moving_sums,
)
from phalanx.hardware.mesh.pipelines import write_pipelines
from phalanx.hardware.mesh.program import LOOPS, RECOMPUTE, MeshProgram
from phalanx.hardware.mesh.solving import MeshSolution, write_solution
from phalanx.mechanism import Mechanism


def mesh_evaluation(
    mechanism: Mechanism,
    *,
    variant: str = RECOMPUTE,
    balanced: bool = True,
    columns: int | None = None,
    independent: Sequence[str] | None = None,
) -> MeshTasks:
    """Tasks that find the accelerations of a machine on a triangular mesh.

    The program reads ``q``, ``v`` and ``tau`` and gives the mass matrix ``M`` [kg·m²], the forces
    ``F`` that the motion and gravity ask for [N·m], the accelerations ``a`` [rad/s²], and the
    ``pivots`` that the solver divides by, which are zero where M is singular. With loops, M and F
    are those of the independent joints, and ``q`` and ``v`` close the loops.

    Args:
        mechanism: A tree of hinges, slides, ball, planar and floating joints; or a machine with
            loops, of hinges and slides.
        variant: ``recompute`` or ``pass``, see ``moving_sums``.
        balanced: Whether row 1 does a part of the work of row 0.
        columns: Of the mesh; as many as there are joints when not given.
        independent: Joints that determine the motion of a machine with loops.

    Raises:
        InvalidModel: The mesh cannot hold the machine.
        InvalidInput: There is no such variant.

    Reference:
        Wong (1991), chapter 4, §6.4.
    """
    machine = MeshMachine.of(mechanism, columns, independent)
    program = MeshProgram.of(machine, f"{mechanism.name} on a mesh", variant, balanced)
    n = machine.size
    sizes = {"q": mechanism.nq, "v": n, "tau": n}
    q, v, tau = (program.writer.input(name, size) for name, size in sizes.items())
    place = [machine.v(i) for i in range(1, n + 1)]
    angles = [machine.position(q, i) for i in range(1, n + 1)]
    rates = [v[k] for k in place]
    loops = write_loops(program, loaded_states(program, angles, rates))
    _, sums, solution = write_evaluation(
        program, angles, angles, rates, [tau[k] for k in place], loops
    )
    order = [place.index(k) + 1 for k in range(n)]  # bodies by their coordinates
    free = [i for i in order if i <= machine.rows]
    M = [sums.mass[min(a, b), max(a, b)].value for a in free for b in free]
    outputs = {
        "M": ca.vertcat(*M),
        "F": ca.vertcat(*(sums.force[i].value for i in free)),
        "a": ca.vertcat(*(solution.values[i - 1].value for i in order)),
        "pivots": ca.vertcat(*solution.pivots),
    }
    return MeshTasks.of(program, program.writer.graph(outputs))


def loaded_states(program: MeshProgram, positions: list[SX], rates: list[SX]) -> list[JointState]:
    """States of joints that loops ask for, out of the memories of row 0; of a tree, none."""
    if not program.machine.follows:
        return []
    return [
        loaded_state(program, i, q, v)
        for i, (q, v) in enumerate(zip(positions, rates, strict=True), start=1)
    ]


def loaded_state(program: MeshProgram, i: int, q: SX, v: SX) -> JointState:
    """The state of a joint out of the memory of its node in row 0."""
    at = (0, i), LOOPS, 0
    return JointState(
        program.load(f"q {i}", *at, q, f"position of joint {i}"),
        program.load(f"v {i}", *at, v, f"rate of joint {i}"),
    )


def write_evaluation(
    program: MeshProgram,
    angles: list[SX],
    sent: list[SX],
    rates: list[SX],
    torques: list[SX],
    loops: LoopMotion,
) -> tuple[MeshKinematics, Sums, MeshSolution]:
    """Phases 1 to 5.

    Args:
        program: To write to.
        angles: Of the joints, body 1 first, as row 0 has them.
        sent: The same as row 1 has them.
        rates: Of the joints, as row 0 has them.
        torques: At the joints, as row 0 has them.
        loops: What loops ask of joints.
    """
    theta = {(0, i): angle for i, angle in enumerate(angles, start=1)}
    theta |= {(1, i): angle for i, angle in enumerate(sent, start=1)}
    motion = write_pipelines(program, theta, rates, loops)
    sums = write_moving_sums(program, motion)
    return motion, sums, write_solution(program, sums, torques, loops)
