"""A linear cylinder between two frames of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar, final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.actuator import HydraulicActuator, Travel
from phalanx.actuators.hydraulics.checked import check_kind, check_not_negative, check_positive
from phalanx.actuators.hydraulics.valve import Valve
from phalanx.base.errors import InvalidInput
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node

ONE_AXIS = (Freedom.TURN, Freedom.SLIDE)
# A start may lie this far beyond the ends [m]: postures come rounded.
SLACK = 1e-3


@final
@dataclass(frozen=True)
class HydraulicCylinder(HydraulicActuator):
    """Barrel pinned at one frame, rod at another; it pushes or pulls along the line of the pins.

    Its length is L(q) = |p_rod - p_base|, its force F acts on the joints as (dL/dq)ᵀ F. Port a is
    the head side, which extends it. The masses of barrel and rod are those of the machine's
    bodies, if it has them.

    Attributes:
        base: Frame at the barrel's pin.
        rod: Frame at the rod's pin.
        bore: Inner diameter of the barrel [m].
        rod_diameter: [m].
        closed_length: From pin to pin, retracted [m].
        stroke: [m].
        valve: Its spool valve.
        number: Of equal cylinders side by side that share the valve.
        dead_volume: Oil on either side at the end of the stroke, with the line [m³], of all.
        leakage: From one side of the piston to the other [m³/(s Pa)], of all.
        viscous: Friction of the seals in proportion to the speed [N·s/m], of all.
        coulomb: Dry friction of the seals [N], of all.
        slip: Speed at which dry friction has 76 % of its value [m/s].
        stop_stiffness: Of the end stops [N/m], of all.
        stop_damping: Of the end stops: they push k c (1 + d dc/dt) at a compression c, and never
            pull (Hunt and Crossley 1975) [s/m].
    """

    ports: ClassVar[tuple[str, str]] = ("head", "rod")
    noun: ClassVar[str] = "cylinder"
    sides: ClassVar[tuple[str, str]] = ("head side", "rod side")

    base: str
    rod: str
    bore: float
    rod_diameter: float
    closed_length: float
    stroke: float
    valve: Valve
    number: int = 1
    dead_volume: float = 1e-3
    leakage: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    slip: float = 5e-3
    stop_stiffness: float = 5e7
    stop_damping: float = 5.0

    def __post_init__(self) -> None:
        check_kind(self, "base", str)
        check_kind(self, "rod", str)
        check_kind(self, "valve", Valve)
        check_kind(self, "number", int)
        check_positive(self, "bore", "rod_diameter", "closed_length", "stroke", "number")
        check_positive(self, "dead_volume", "slip", "stop_stiffness")
        check_not_negative(self, "leakage", "viscous", "coulomb", "stop_damping")
        if self.rod_diameter >= self.bore:
            raise InvalidInput(
                f"rod_diameter of HydraulicCylinder is {self.rod_diameter:g} m; it must be less "
                f"than the bore, {self.bore:g} m."
            )
        if self.base == self.rod:
            raise InvalidInput(f"both ends of a cylinder are at frame '{self.base}'.")

    @property
    def displacements(self) -> tuple[float, float]:
        """Areas of the piston's head and rod side [m²]."""
        head = self.number * pi / 4 * self.bore**2
        return head, head - self.number * pi / 4 * self.rod_diameter**2

    def check(self, model: Model) -> None:
        between, machine = self._nodes_between(model), model.mechanism.name
        if not between:
            raise InvalidInput(
                f"frames '{self.base}' and '{self.rod}' of '{machine}' do not move against "
                "each other; a cylinder between them moves nothing."
            )
        for node in between:
            if node.freedom not in ONE_AXIS:
                raise InvalidInput(
                    f"between frames '{self.base}' and '{self.rod}' of '{machine}' lies "
                    f"joint '{node.joint}', which moves {node.freedom.value[2]}; cylinders work "
                    "across hinges and slides only."
                )

    def check_position(self, name: str, position: float) -> None:
        longest = self.closed_length + self.stroke
        if not self.closed_length - SLACK <= position <= longest + SLACK:
            raise InvalidInput(
                f"cylinder '{name}' would be {position:.4g} m long in the posture given; it "
                f"reaches from {self.closed_length:.4g} to {longest:.4g} m. Start elsewhere, or "
                "change its closed_length and stroke."
            )

    def length(self, model: Model, q: SX) -> SX:
        """Distance of the pins [m].

        Both are placed in the nearest body that carries both, so that joints further inward (the
        swing of an excavator) do not enter.
        """
        to_base, to_rod = _branches(model, self.base, self.rod)

        def position(frame: str, nodes: list[Node]) -> SX:
            p = model.place(frame).pose.translation
            for node in nodes:
                p = node.transform(q).point(p)
            return p

        d = position(self.rod, to_rod) - position(self.base, to_base)
        return ca.sqrt(ca.dot(d, d))

    def travel(self, model: Model, q: SX) -> Travel:
        L = self.length(model, q)
        slopes = ca.jacobian(L, q)
        arms = SX(1, model.nv)
        for node in self._nodes_between(model):
            # of one axis each: the rate of its position is its velocity
            arms[0, node.v] = slopes[0, node.q]
        return Travel(L, arms)

    def volumes(self, position: SX) -> tuple[SX, SX]:
        """Dead volumes and what the piston leaves; the give of the end stops changes nothing."""
        head, rod = self.displacements
        out = ca.fmin(ca.fmax(position - self.closed_length, 0), self.stroke)
        return self.dead_volume + head * out, self.dead_volume + rod * (self.stroke - out)

    def stop(self, position: SX, speed: SX) -> SX:
        out = position - self.closed_length

        def push(compression: SX, rate: SX) -> SX:
            return (
                self.stop_stiffness
                * ca.fmax(compression, 0)
                * ca.fmax(1 + self.stop_damping * rate, 0)
            )

        return push(-out, -speed) - push(out - self.stroke, speed)

    def _nodes_between(self, model: Model) -> list[Node]:
        to_base, to_rod = _branches(model, self.base, self.rod)
        return to_base + to_rod


def _branches(model: Model, a: str, b: str) -> tuple[list[Node], list[Node]]:
    """The nodes from each of two frames inward to the nearest that carries both, without it."""

    def inward(frame: str) -> list[int]:
        node = model.place(frame).node
        return [] if node < 0 else [node, *model.path(node)]

    of_a, of_b = inward(a), inward(b)
    only_a = [model.nodes[i] for i in of_a if i not in of_b]
    only_b = [model.nodes[i] for i in of_b if i not in of_a]
    return only_a, only_b
