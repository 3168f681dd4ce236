"""Phases 3 to 5: M and b go to the edge, the mesh solves M x = b, and x goes round the ring.

The solver is that of Jainandunsing and Deprettere: column c of row 1 is fed with row c of [Mᵀ I], a
last column with [-bᵀ 0], and each row of cells takes away one unknown; what leaves the last cell is
x, without a substitution backward. Cell (r, c) does, for i = 1 … 2n, with y from the north and x
from the west,

    i = r:  alpha = -y / x        i > r:  y + alpha x  goes south, x goes east,

and cell (r, r) turns what comes from the north to the east. The last column is row 0: cell
(r, n + 1) is node (0, n + 1 - r).

Reference:
    Wong (1991), §4.5.1.
"""

from __future__ import annotations

from typing import NamedTuple

from casadi import SX

from phalanx.hardware.mesh.loops import LoopMotion
from phalanx.hardware.mesh.moving_sums import Sums
from phalanx.hardware.mesh.patterns import CELL, QUOTIENT
from phalanx.hardware.mesh.program import (
    RETURN,
    SHIFT,
    SOLVER,
    Held,
    MeshProgram,
)
from phalanx.hardware.mesh.shape import (
    EAST,
    INTERFACE,
    NORTH,
    SOUTH,
    WEST,
    Node,
)

HeldStream = dict[int, Held]  # what a column is fed with, by number


class MeshSolution(NamedTuple):
    """Result of the solver.

    Attributes:
        values: Accelerations of the independent joints, body 1 first, as node (0, 1) has them;
            then those of joints that follow, as their own nodes have them.
        pivots: What each row of cells divides by, joint 1 first.
    """

    values: list[Held]
    pivots: list[SX]


def write_solution(
    program: MeshProgram, sums: Sums, torques: list[SX], loops: LoopMotion
) -> MeshSolution:
    """Phases 3 to 5 of one evaluation.

    Args:
        program: To write to.
        sums: M and F_v where the moving sums leave them.
        torques: At the joints, body 1 first, as row 0 has them.
        loops: What loops ask of joints.
    """
    streams = _shifted(program, sums)
    streams.append(_right_side(program, sums, torques, loops))
    pivots = []
    for r in range(1, program.machine.rows + 1):
        pivots.append(streams[0][r].value)
        streams = _row(program, r, streams)
    solution = [held for _, held in sorted(streams[0].items())]
    _send_round(program, solution)
    return MeshSolution([*solution, *_following(program, solution, loops)], pivots)


def _way_to_edge(k: int, i: int) -> tuple[Node, tuple[str, ...]]:
    """Where a_ki is, and its way to node (1, k): west along its row, then north, i - 1 links."""
    if i <= k:
        return (i, k), (NORTH,) * (i - 1)
    return (k, i), (WEST,) * (i - k) + (NORTH,) * (k - 1)


def _shifted(program: MeshProgram, sums: Sums) -> list[HeldStream]:
    """Columns of [Mᵀ I] at the top; what column 1 sends east is in its stream as tasks."""
    n = program.machine.rows
    streams: list[HeldStream] = []
    for k in range(1, n + 1):
        stream: HeldStream = {}
        for i in range(1, n + 1):
            held = sums.mass[min(k, i), max(k, i)]
            start, ports = _way_to_edge(k, i)
            program.send(held, start, ports, SHIFT)
            stream[i] = held
        for i in range(n + 1, 2 * n + 1):
            stream[i] = _unit(program, k, i)
        streams.append(stream)
    return streams


def _unit(program: MeshProgram, k: int, i: int) -> Held:
    """An entry of the unit matrix, in the memory of node (1, k)."""
    value = 1.0 if i == program.machine.rows + k else 0.0
    if k == 1:  # it goes east, to the other columns
        return program.load(f"I 1,{i}", (1, 1), SOLVER, i, SX(value), "entry of the unit matrix")
    return Held("", program.stored((1, k), f"I {i}", SX(value)))


def _right_side(
    program: MeshProgram, sums: Sums, torques: list[SX], loops: LoopMotion
) -> HeldStream:
    """[-bᵀ 0] in node (0, n), where b is torque less F_v."""
    n = program.machine.rows
    stream: HeldStream = {}
    for i in range(1, n + 1):
        value = sums.force[i].value - torques[i - 1]
        for (j, a), ratio in loops.ratios.items():
            if a != i or torques[j - 1].is_zero():
                continue
            name, label = f"T tau {j},{a}", f"torque at {j} as freedom {a} feels it"
            passed = program.task(name, (0, j), SHIFT, 0, ratio * torques[j - 1], label)
            program.send(passed, (0, j), [WEST] * (j - a), SHIFT)
            value = value - passed.value
        stream[i] = program.task(f"-b {i}", (0, i), SHIFT, i, value, f"load less torque, {i}")
        program.send(stream[i], (0, i), [EAST] * (n - i), SHIFT)
    for i in range(n + 1, 2 * n + 1):
        stream[i] = Held("", program.stored((0, n), f"0 {i}", SX(0.0)))
    return stream


def _row(program: MeshProgram, r: int, streams: list[HeldStream]) -> list[HeldStream]:
    """One row of cells: what goes south from those beside the first."""
    n, columns = program.machine.rows, program.machine.size
    x, *others = streams
    for i in range(r, 2 * n + 1):
        program.send(x[i], (r, r), [EAST] * (columns - r + 1), SOLVER)
    south = []
    for c, y in enumerate(others, start=r + 1):
        cell, port = ((r, c), SOUTH) if c <= n else ((0, n + 1 - r), WEST)
        when = r + c - 2
        name = f"cell {r},{c}"
        values = y[r].value, x[r].value
        quotient = program.repeated(
            f"{name} alpha", cell, SOLVER, r + when, QUOTIENT, *values, label=f"pivot of {name}"
        ).value
        stream: HeldStream = {}
        for i in range(r + 1, 2 * n + 1):
            stream[i] = program.repeated(
                f"{name} {i}",
                cell,
                SOLVER,
                i + when,
                CELL,
                y[i].value,
                quotient,
                x[i].value,
                label=f"{name}, value {i}",
            )
            if r < n:
                program.send(stream[i], cell, [port], SOLVER)
        south.append(stream)
    return south


def _following(program: MeshProgram, solution: list[Held], loops: LoopMotion) -> list[Held]:
    """Accelerations of joints that follow, T dz/dt + a0, in their nodes of row 0."""
    found = []
    for j, free in program.machine.follows.items():
        value = loops.bias[j]
        for a in free:
            value = value + loops.ratios[j, a] * solution[a - 1].value
        name, label = f"a {j}", f"acceleration of joint {j}"
        found.append(program.task(name, (0, j), RETURN, 0, value, label))
    return found


def _send_round(program: MeshProgram, solution: list[Held]) -> None:
    """x_i from (0, 1) by way of the interface round the ring to (0, i)."""
    columns = program.machine.size
    for i, held in enumerate(solution, start=1):
        program.send(held, (0, 1), [WEST], RETURN)
        program.send(held, INTERFACE, [WEST] * (1 + columns - i), RETURN)
        program.wanted.add((held.task, (0, i)))
