"""Hydraulic circuit on a mesh: a row of nodes above row 0, and the pump above the interface.

Node (top, i) has the cylinders and motors that work across joint i, with the pressures of their
chambers; node (top, 0) has the pump. In every stage the pump's pressure goes east, what actuators
draw comes back west, positions and rates of joints come up from row 0, and forces go down. Spool
openings come from the interface once a step.

Reference:
    Wong (1991), §6.4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.actuator import HydraulicActuator
from phalanx.actuators.hydraulics.circuit import Hydraulics
from phalanx.base.errors import InvalidInput
from phalanx.hardware.mesh.loops import JointState
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.program import ACTUATORS, INTEGRATION, Held, MeshProgram
from phalanx.hardware.mesh.shape import ABOVE, EAST, INTERFACE, SOUTH, TOP, WEST, Node

PUMP_NODE: Node = (TOP, 0)


@dataclass
class _Chambers:
    """Pressures that a node of the top row integrates, as it has them, and their rates so far."""

    name: str
    node: Node
    begin: SX
    now: SX
    slopes: list[list[SX]] = field(default_factory=list)


@dataclass
class OilRow:
    """The circuit in the nodes of the top row.

    Attributes:
        program: To write to.
        circuit: Its pump, oil, cylinders and motors.
        joints: For each actuator the body whose joint it works across.
        chambers: Of the actuators in order, then the line behind the pump.
        openings: Of the spools, as the nodes have them.
    """

    program: MeshProgram
    circuit: Hydraulics
    joints: tuple[int, ...]
    chambers: list[_Chambers]
    openings: list[SX]

    @staticmethod
    def of(program: MeshProgram, circuit: Hydraulics) -> OilRow:
        """The pressures ``s`` at the beginning, and the openings ``command`` from the interface.

        Raises:
            InvalidInput: An actuator works across several joints, or energies are to be kept.
        """
        machine, writer = program.machine, program.writer
        if circuit.bookkeeping:
            raise InvalidInput(
                "hydraulics with bookkeeping=True keep energies, which no node of a mesh does; "
                "take them without."
            )
        circuit.quantities(machine.mechanism)
        joints = tuple(
            _joint_of(machine, name, actuator) for name, actuator in circuit.actuators.items()
        )
        count = len(joints)
        s, command = writer.input("s", 2 * count + 1), writer.input("command", count)
        chambers, openings = [], []
        for k, (name, i) in enumerate(zip(circuit.actuators, joints, strict=True)):
            label = f"opening of {name}"
            held = program.load(f"x {name}", INTERFACE, ACTUATORS, k, command[k], label)
            program.send(held, INTERFACE, [ABOVE, *([EAST] * i)], ACTUATORS)
            openings.append(held.value)
            pressures = s[2 * k : 2 * k + 2]
            chambers.append(_Chambers(name, (TOP, i), pressures, pressures))
        chambers.append(_Chambers("pump", PUMP_NODE, s[2 * count], s[2 * count]))
        return OilRow(program, circuit, joints, chambers, openings)

    def move(self, ahead: Callable[..., Any], h: float) -> None:
        """Pressures of the next stage."""
        for chambers in self.chambers:
            if chambers.slopes:
                chambers.now = self._stepped(chambers, ahead, h, "").value

    def act(self, states: Sequence[JointState]) -> dict[int, SX]:
        """Forces at joints in their nodes of row 0, by body; rates of pressures are noted."""
        program, circuit = self.program, self.circuit
        *own, line = self.chambers
        label = "pressure of the pump"
        pump = program.load("pump", PUMP_NODE, ACTUATORS, 0, line.now, label)
        program.send(pump, PUMP_NODE, [EAST] * max(self.joints), ACTUATORS)
        forces: dict[int, SX] = {}
        drawn = SX(0.0)
        actuators = zip(circuit.actuators.values(), self.joints, own, strict=True)
        for k, (actuator, i, chambers) in enumerate(actuators):
            name, here = chambers.name, chambers.node
            for held in states[i - 1]:
                program.send(held, (0, i), [ABOVE], ACTUATORS)
            position, arm = self._travel(actuator, i, states[i - 1].position.value)
            at = here, ACTUATORS
            values = ca.vertcat(position, arm)
            travel = program.task(f"travel {name}", *at, 1, values, f"travel of {name}").value
            speed = travel[1] * states[i - 1].rate.value
            a, b = chambers.now[0], chambers.now[1]
            force = travel[1] * actuator.force(travel[0], speed, a, b)
            push = program.task(f"force {name}", *at, 2, force, f"force of {name} at joint {i}")
            program.send(push, here, [SOUTH], ACTUATORS)
            forces[i] = forces.get(i, SX(0.0)) + push.value
            flow = circuit.chambers(actuator, self.openings[k], pump.value, a, b, travel[0], speed)
            # nothing waits for flows before the stage ends
            values = ca.vertcat(flow.rate_a, flow.rate_b, flow.drawn)
            label = f"flows of {name}"
            flows = program.task(f"flows {name}", here, INTEGRATION, -1, values, label)
            chambers.slopes.append([flows.value[0], flows.value[1]])
            program.send(flows, here, [WEST] * i, INTEGRATION)
            drawn = drawn + flows.value[2]
        rate = circuit.pump_rate(pump.value, drawn)
        label = "rate of the pump"
        found = program.task("pump rate", PUMP_NODE, INTEGRATION, 0, rate, label)
        line.slopes.append([found.value])
        return forces

    def end(self, end: Callable[..., Any], h: float) -> SX:
        """Pressures at the end of the step, in the order of the circuit's state."""
        return ca.vertcat(*(self._stepped(c, end, h, " at the end").value for c in self.chambers))

    def _stepped(self, chambers: _Chambers, step: Callable[..., Any], h: float, when: str) -> Held:
        program = self.program
        length = program.stored(chambers.node, "h", SX(h))
        values = ca.vertcat(
            *(
                step(chambers.begin[k], length, *(slopes[k] for slopes in chambers.slopes))
                for k in range(chambers.begin.numel())
            )
        )
        if when:  # as the circuit leaves a state: no pressure below that at which oil boils
            least = self.circuit.oil.vapour_pressure
            values = ca.if_else(values < least, least, values)
        name, label = f"p {chambers.name}{when}", f"pressures of {chambers.name}"
        return program.task(name, chambers.node, INTEGRATION, 1, values, label)

    def _travel(self, actuator: HydraulicActuator, i: int, position: SX) -> tuple[SX, SX]:
        machine = self.program.machine
        node = machine.body(i).node
        q = SX.zeros(machine.mechanism.nq, 1)
        q[node.q] = position
        x = SX.sym("q", machine.mechanism.nq)
        travel = actuator.travel(machine.model, x)
        of = ca.Function("travel", [x], [travel.position, travel.arms[0, node.v]])
        where, arm = of(q)
        return where, arm


def _joint_of(machine: MeshMachine, name: str, actuator: HydraulicActuator) -> int:
    """The body whose joint an actuator works across."""
    x = SX.sym("q", machine.mechanism.nq)
    arms = actuator.travel(machine.model, x).arms
    moved = [i for i in range(1, machine.size + 1) if _has(arms, machine.body(i).node.v)]
    if len(moved) != 1:
        names = ", ".join(f"'{machine.name(i)}'" for i in moved)
        raise InvalidInput(
            f"actuator '{name}' works across {len(moved)} joints of "
            f"'{machine.mechanism.name}' ({names}); a node of the top row of a mesh has one joint "
            "below it. Take frames on neighbouring bodies."
        )
    return moved[0]


def _has(row: SX, column: int) -> bool:
    return bool(row.sparsity().has_nz(0, column))
