"""Loops on a mesh: joints that follow others, solved by a node above row 0.

Node L of the row above row 0 has the positions and rates of the joints that stand in loops, which
come from row 0. It finds T and a0 of v = T z and dv/dt = T dz/dt + a0, with z the rates of the
independent joints, and sends them down the columns of the bodies that the others move. There the
complement H of the tree becomes P = H T, and all that follows is as for a tree with the freedoms
of the closed machine.

Reference:
    Wong (1991), §6.4.3; Murray and Lovell (1989).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
from casadi import SX

from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import closure, constraint
from phalanx.equations.loops.methods.projection import partitioned
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.program import INTEGRATION, LOOPS, Held, MeshProgram
from phalanx.hardware.mesh.shape import ABOVE, EAST, SOUTH, TOP, WEST, Node

CORRECTIONS = 2  # steps of Newton's method: an opening e becomes of the order of e³


class JointState(NamedTuple):
    """Position and rate of a joint in node (0, i), as tasks."""

    position: Held
    rate: Held


@dataclass(frozen=True)
class LoopMotion:
    """What loops ask of the joints that follow; of a tree, nothing.

    Attributes:
        ratios: T_ja of joint j by independent joint a, by (j, a).
        bias: a0 of joint j, by j.
    """

    ratios: Mapping[tuple[int, int], SX]
    bias: Mapping[int, SX]

    @staticmethod
    def none() -> LoopMotion:
        """Of a tree."""
        return LoopMotion({}, {})


def loop_node(machine: MeshMachine) -> Node:
    """L, above the first joint that follows."""
    return TOP, machine.rows + 1


def write_loops(program: MeshProgram, states: list[JointState]) -> LoopMotion:
    """T and a0 at the states of the joints, body 1 first, sent to where they are read."""
    machine = program.machine
    if not machine.follows:
        return LoopMotion.none()
    here = loop_node(machine)
    q, v = _brought(program, states, LOOPS)
    followers = list(machine.follows)
    rows = [machine.body(j).node.v for j in followers]
    picked = [machine.body(a).node.v for a in range(1, machine.rows + 1)]
    equations = constraint(machine.model, q, v, independent_rows(machine.mechanism))
    directions = partitioned(machine.model, equations.A, picked)
    pairs = [(j, a) for j in followers for a in machine.follows[j]]
    values = [directions.T[machine.body(j).node.v, a - 1] for j, a in pairs]
    T = program.task("T", here, LOOPS, 1, ca.vertcat(*values), "how joints follow others")
    across = -directions.across(equations.b)[rows]
    bias = program.task("a0", here, LOOPS, 2, across, "accelerations that loops demand")
    for i in range(machine.rows + 1, machine.size + 1):
        _send_down(program, bias, i, 0)
    for i in range(1, machine.size + 1):
        if machine.follows_loops(i):
            _send_down(program, T, i, min(i, machine.rows))
    return LoopMotion(
        {pair: T.value[k] for k, pair in enumerate(pairs)},
        {j: bias.value[k] for k, j in enumerate(followers)},
    )


def write_closure(program: MeshProgram, states: list[JointState]) -> dict[int, tuple[Held, Held]]:
    """Positions and rates of the joints that follow, with the loops closed again after a step.

    Independent joints stay where the step has left them.
    """
    machine = program.machine
    if not machine.follows:
        return {}
    model, here = machine.model, loop_node(machine)
    q, v = _brought(program, states, INTEGRATION)
    followers = list(machine.follows)
    rows = [machine.body(j).node.v for j in followers]
    places = [machine.body(j).node.q for j in followers]
    picked = [machine.body(a).node.v for a in range(1, machine.rows + 1)]
    chosen = independent_rows(machine.mechanism)
    still = SX.zeros(model.nv, 1)
    at = q
    for _ in range(CORRECTIONS):
        directions = partitioned(model, constraint(model, at, still, chosen).A, picked)
        off = directions.across(closure(model, at)[list(chosen)])
        at = SX(at)
        at[places] = at[places] - off[rows]
    directions = partitioned(model, constraint(model, at, still, chosen).A, picked)
    rates = (directions.T @ v[picked])[rows]
    labels = "positions that close the loops", "rates that keep them closed"
    q_end = program.task("q closed", here, INTEGRATION, 10, at[places], labels[0])
    v_end = program.task("v closed", here, INTEGRATION, 11, rates, labels[1])
    for i in followers:
        for held in (q_end, v_end):
            _send_down(program, held, i, 0)
            program.wanted.add((held.task, (0, i)))
    return {
        j: (Held(q_end.task, q_end.value[k]), Held(v_end.task, v_end.value[k]))
        for k, j in enumerate(followers)
    }


def _brought(program: MeshProgram, states: list[JointState], phase: str) -> tuple[SX, SX]:
    """Positions and rates of joints in loops, sent up to L; those of others are not there."""
    machine = program.machine
    model, (_, column) = machine.model, loop_node(machine)
    x = SX.sym("x", model.mechanism.nq)
    gap = closure(model, x)
    q, v = SX.zeros(model.mechanism.nq, 1), SX.zeros(model.nv, 1)
    for i, state in enumerate(states, start=1):
        node = machine.body(i).node
        if not ca.depends_on(gap, x[node.q]):
            continue
        ports = [ABOVE, *([EAST] * (column - i)), *([WEST] * (i - column))]
        for held in state:
            program.send(held, (0, i), ports, phase)
        q[node.q], v[node.v] = state.position.value, state.rate.value
    return q, v


def _send_down(program: MeshProgram, held: Held, i: int, row: int) -> None:
    """From L along the top row to column ``i``, and down to a row."""
    _, column = here = loop_node(program.machine)
    along = [EAST] * (i - column) + [WEST] * (column - i)
    program.send(held, here, [*along, *([SOUTH] * (row + 1))], LOOPS)
