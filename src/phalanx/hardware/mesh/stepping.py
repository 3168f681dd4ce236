"""One integration step on a triangular mesh: evaluations, and states integrated by row 0.

Node (0, i) holds the state of joint i: its angle, its rate and the pressures of its actuator. In
every stage of an explicit Runge-Kutta method it finds its torque (task 1 of the source), the mesh
does phases 1 to 5 (tasks 2 to 6), and the node goes on to the next stage and sends its angle south
(task 7). Spool openings come from the interface (task 9), angles go there at the end (task 8).

Reference:
    Wong (1991), §5.4.1 and table 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.drive import Drives
from phalanx.actuators.hydraulics.circuit import Hydraulics
from phalanx.actuators.hydraulics.rotary import Rotary, RotaryHydraulics
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.quantities.declared_forces import SLIP, smooth_friction
from phalanx.hardware.mesh.evaluation import loaded_state, write_evaluation
from phalanx.hardware.mesh.loops import JointState, write_closure, write_loops
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.hardware.mesh.oil_row import OilRow
from phalanx.hardware.mesh.program import (
    ACTUATORS,
    INTEGRATION,
    RECOMPUTE,
    Held,
    MeshProgram,
)
from phalanx.hardware.mesh.reactions import bearings_of, write_friction_pass
from phalanx.hardware.mesh.shape import EAST, INTERFACE, SOUTH, WEST
from phalanx.mechanism import Mechanism
from phalanx.mechanism.loads import refuse_loads

PASSES = 4  # of friction from reactions


class RungeKuttaMethod(Protocol):
    """An explicit Runge-Kutta method, such as ``integrators.tableaux.CLASSIC``."""

    @property
    def stages(self) -> Sequence[tuple[float, Callable[..., Any]]]:
        """When each stage is, and where: a function of (x, h, slopes so far)."""

    @property
    def end(self) -> Callable[..., Any]:
        """Where the step ends: a function of (x, h, all slopes)."""


@dataclass
class _Joint:
    """The state of a joint as its node of row 0 has it, and the slopes so far.

    ``held`` has its position and rate as tasks, where the row above asks for them.
    """

    i: int
    drive: Rotary | None
    begin: SX  # angle, rate, pressures
    opening: SX
    now: list[SX] = field(default_factory=list)
    in_row_1: SX = field(default_factory=SX)
    torque: SX = field(default_factory=SX)
    held: JointState | None = None
    pressure_rates: list[SX] = field(default_factory=list)
    slopes: list[list[SX]] = field(default_factory=list)  # by state


def mesh_step(
    mechanism: Mechanism,
    method: RungeKuttaMethod,
    h: float,
    *,
    hydraulics: RotaryHydraulics | Hydraulics | None = None,
    variant: str = RECOMPUTE,
    balanced: bool = True,
    columns: int | None = None,
    independent: Sequence[str] | None = None,
    drives: Drives | None = None,
    passes: int = PASSES,
) -> MeshTasks:
    """Tasks of one step of a simulation on a triangular mesh.

    Springs in joints, damping and dry friction act: row 0 adds them to the torques, each node those
    of its own joint. The program reads ``q`` and ``v``, and the torques ``tau``, which stay as they
    are, or with hydraulics the pressures ``s`` and the spool ``command``. It gives ``q``, ``v`` and
    ``s`` a step later, the accelerations ``a`` at its beginning, and the ``pivots`` of all stages.

    With loops, joints that follow others are closed again at the end of the step by two steps of
    Newton's method; the independent ones stay where the step has left them.

    Args:
        mechanism: A machine with hinges and slides alone, with or without loops.
        method: The numbers of the method.
        h: Length of the step [s].
        hydraulics: Rotary actuators at joints, or cylinders and motors on one pump, in a row above
            row 0; the other joints have none.
        variant: ``recompute`` or ``pass``, see ``moving_sums``.
        balanced: Whether row 1 does a part of the work of row 0.
        columns: Of the mesh; as many as there are joints when not given.
        independent: Joints that determine the motion of a machine with loops.
        drives: Bearings of hinges of a tree, whose friction depends on the reactions of the joints
            (see ``reactions``); smooth through rest, as ``DriveFriction`` has it.
        passes: Of reactions and solver in each stage, where there are drives.

    Raises:
        UnknownName: A drive is of a joint that does not exist.
        InvalidModel: The mesh cannot hold the machine, or its bearings.
        UnsupportedLoad: It has a spring between frames, of which no node knows both ends, or a
            fluid.
        InvalidInput: There is no such variant, the step is no positive number, or a drive has a
            transmission.
    """
    if not 0 < h < float("inf"):
        raise InvalidInput(f"a step of {h} s; it must be positive.")
    refuse_loads(mechanism, "hardware.mesh.mesh_step")
    machine = MeshMachine.of(mechanism, columns, independent)
    for i in range(1, machine.size + 1):
        if not machine.is_single(i):
            raise InvalidModel(
                f"joint '{machine.name(i)}' of '{mechanism.name}' moves "
                f"{machine.body(i).freedom.value[2]}; row 0 integrates hinges and slides alone. "
                "mesh_evaluation takes it."
            )
    bearings = bearings_of(machine, drives or {})
    if bearings and passes < 1:
        raise InvalidInput(f"{passes} passes of friction; there must be at least one.")
    name, top = f"a step of {mechanism.name} on a mesh", isinstance(hydraulics, Hydraulics)
    program = MeshProgram.of(machine, name, variant, balanced, top=top)
    rotary = hydraulics if isinstance(hydraulics, RotaryHydraulics) else None
    joints = _joints(program, rotary, driven=not top)
    oil = OilRow.of(program, hydraulics) if isinstance(hydraulics, Hydraulics) else None
    accelerations, pivots = [], []
    for stage, (_, ahead) in enumerate(method.stages):
        program.stage = stage
        if oil is not None:
            oil.move(ahead, h)
        for joint in joints:
            _move(program, joint, ahead, h)
        held = [joint.held for joint in joints if joint.held is not None]
        loops = write_loops(program, held)
        pushed = oil.act(held) if oil is not None else {}
        for joint in joints:
            _act(program, joint, pushed.get(joint.i))
        positions, rates = [joint.now[0] for joint in joints], [joint.now[1] for joint in joints]
        torques = [joint.torque for joint in joints]
        sent = [joint.in_row_1 for joint in joints]
        motion, sums, solution = write_evaluation(program, positions, sent, rates, torques, loops)
        pivots += solution.pivots
        for number in range(1, passes + 1 if bearings else 1):
            program.passes = number
            states = positions, rates, torques
            solution = write_friction_pass(program, motion, sums, states, solution, bearings, SLIP)
        program.passes = 0
        accelerations.append(solution.values)
        for joint, acceleration in zip(joints, solution.values, strict=True):
            for slopes, rate in zip(
                joint.slopes,
                (joint.now[1], acceleration.value, *joint.pressure_rates),
                strict=True,
            ):
                slopes.append(rate)
    ends = _ends(program, joints, method.end, h)
    order = _by_coordinate(machine)
    outputs = {
        "q": ca.vertcat(*(ends[k][0] for k in order)),
        "v": ca.vertcat(*(ends[k][1] for k in order)),
        "a": ca.vertcat(*(accelerations[0][k].value for k in order)),
        "pivots": ca.vertcat(*pivots),
    }
    if oil is not None:
        outputs["s"] = oil.end(method.end, h)
    if rotary is not None:
        driven = [k for name in rotary.actuators for k in order if machine.name(k + 1) == name]
        outputs["s"] = ca.vertcat(*(ends[k][2 + line] for line in (0, 1) for k in driven))
    return MeshTasks.of(program, program.writer.graph(outputs))


def _by_coordinate(machine: MeshMachine) -> list[int]:
    """Bodies from 0 in the order of the machine's coordinates."""
    return sorted(range(machine.size), key=lambda k: machine.body(k + 1).node.v)


def _joints(
    program: MeshProgram, hydraulics: RotaryHydraulics | None, *, driven: bool
) -> list[_Joint]:
    """The joints at the beginning of the step, with what the interface sends them.

    Without rotary actuators these are torques, unless the joints are not ``driven``.
    """
    machine, writer = program.machine, program.writer
    n = machine.size
    q, v = writer.input("q", n), writer.input("v", n)
    if hydraulics is None:
        tau = writer.input("tau", n) if driven else SX.zeros(n, 1)
        return [
            _Joint(i, None, ca.vertcat(q[node.q], v[node.v]), tau[node.v])
            for i in range(1, n + 1)
            for node in [machine.body(i).node]
        ]
    names = hydraulics.commands(machine.mechanism)
    count = len(names)
    s, command = writer.input("s", 2 * count), writer.input("command", count)
    joints = []
    for i in range(1, n + 1):
        node, drive = machine.body(i).node, hydraulics.actuators.get(machine.name(i))
        state = [q[node.q], v[node.v]]
        opening = SX(0.0)
        if drive is not None:
            k = names.index(machine.name(i))
            state += [s[k], s[count + k]]
            held = program.load(f"x {i}", INTERFACE, ACTUATORS, i, command[k], f"opening {i}")
            program.send(held, INTERFACE, [EAST] * i, ACTUATORS)
            opening = held.value
        joints.append(_Joint(i, drive, ca.vertcat(*state), opening))
    return joints


def _move(program: MeshProgram, joint: _Joint, ahead: Callable[..., Any], h: float) -> None:
    """The state of the next stage; the angle goes south."""
    i, states = joint.i, joint.begin.numel()
    here = 0, i
    if not joint.slopes:
        joint.slopes = [[] for _ in range(states)]
        joint.now = [joint.begin[k] for k in range(states)]
        joint.in_row_1 = joint.now[0]
        if program.shape.top:
            joint.held = loaded_state(program, i, joint.now[0], joint.now[1])
        return
    step = program.stored(here, "h", SX(h))
    moved = [
        program.task(
            f"{name} {i}", here, INTEGRATION, k, ahead(joint.begin[k], step, *joint.slopes[k]), name
        )
        for k, name in enumerate(("theta", "rate", "p in", "p out")[:states])
    ]
    program.send(moved[0], here, [SOUTH], INTEGRATION)
    joint.now = [held.value for held in moved]
    joint.in_row_1 = moved[0].value
    joint.held = JointState(moved[0], moved[1])


def _act(program: MeshProgram, joint: _Joint, pushed: SX | None) -> None:
    """Torque and rates of pressures, in row 0; ``pushed`` is what the row above does there."""
    drive, here, i = joint.drive, (0, joint.i), joint.i
    if drive is None:
        torque = joint.opening if joint.begin.numel() == 2 else SX(0.0)
    else:
        pressures = ca.vertcat(*(drive.settled(p) for p in joint.now[2:]))
        settled = program.task(f"p {i} settled", here, ACTUATORS, 0, pressures, "pressures").value
        torque, into, out = drive.act(joint.opening, joint.now[1], settled[0], settled[1])
        # nothing waits for flows before the stage ends: they are done where the node would be idle
        flows, label = ca.vertcat(into, out), f"flow into the lines of {i}"
        found = program.task(f"flows {i}", here, INTEGRATION, -1, flows, label)
        joint.pressure_rates = [found.value[0], found.value[1]]
    own = _own_force(program, joint)
    if pushed is not None:
        own = own + pushed
    if drive is not None or not own.is_zero():
        label = f"torque at {i}"
        torque = program.task(f"torque {i}", here, ACTUATORS, 1, torque + own, label).value
    joint.torque = torque


def _own_force(program: MeshProgram, joint: _Joint) -> SX:
    """What the spring, the damping and the dry friction of a joint do at its state."""
    data = program.machine.mechanism.joint(program.machine.name(joint.i))
    position, rate = joint.now[:2]
    force = SX(0)
    stiffness, damping, rest, forth, back = (
        float(np.ravel(per_freedom)[0])
        for per_freedom in (data.stiffness, data.damping, data.rest_position, *data.dry_friction)
    )

    def number(name: str, value: float) -> SX:
        return program.stored((0, joint.i), name, SX(value))

    if stiffness:
        force -= number("stiffness", stiffness) * (position - number("rest", rest))
    if damping:
        force -= number("damping", damping) * rate
    if forth or back:
        ways = number("friction", forth), number("friction back", back)
        force += smooth_friction(ways[0], ways[0] if forth == back else ways[1], rate)
    return force


def _ends(
    program: MeshProgram, joints: list[_Joint], end: Callable[..., Any], h: float
) -> list[list[SX]]:
    """The states at the end; angles go south for the next step, and west to the interface."""
    done = [_end(program, joint, end, h) for joint in joints]
    closed = write_closure(program, [JointState(held[0], held[1]) for held in done])
    for joint, held in zip(joints, done, strict=True):
        if joint.i in closed:
            held[:2] = closed[joint.i]
        here, position = (0, joint.i), held[0]
        program.send(position, here, [SOUTH], INTEGRATION)
        program.send(position, here, [WEST] * joint.i, INTEGRATION)
        program.wanted |= {(position.task, (1, joint.i)), (position.task, INTERFACE)}
    return [[held.value for held in those] for those in done]


def _end(program: MeshProgram, joint: _Joint, end: Callable[..., Any], h: float) -> list[Held]:
    """The state at the end of the step, before loops are closed again."""
    i, here = joint.i, (0, joint.i)
    step = program.stored(here, "h", SX(h))
    ends = [end(joint.begin[k], step, *slopes) for k, slopes in enumerate(joint.slopes)]
    if joint.drive is not None:
        ends[2:] = [joint.drive.settled(p) for p in ends[2:]]
    names = ("theta", "rate", "p in", "p out")
    return [
        program.task(f"{name} {i} at the end", here, INTEGRATION, k, value, name)
        for k, (name, value) in enumerate(zip(names, ends, strict=False))
    ]
