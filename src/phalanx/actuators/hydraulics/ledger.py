"""Energy balance of a hydraulic circuit.

Powers, whose integrals are kept beside the pressures:

    pump + tank = pistons + valves + relief + makeup + leakage + stored

and what reaches the joints is pistons - friction - stops. ``stored`` is the compression of the
oil, Σ V p dp/dt / modulus, from the rates of the pressures and not from any flow, so that an
oversight in the flows would leave a gap.
"""

from __future__ import annotations

from casadi import SX

from phalanx.actuators.hydraulics.valve import Flows

LABELS = (
    "pump",  # what the pump does to the oil it lifts from the tank
    "tank",  # tank pressure times the oil that leaves the tank, less what comes back
    "pistons",  # what pistons and rotors do before friction
    "valves",  # lost across spools
    "relief",  # lost across relief valves
    "makeup",  # lost across anti-cavitation valves
    "leakage",  # lost across pistons
    "stored",  # in the oil's compression
    "friction",  # in seals and bearings
    "stops",  # given to end stops
)

# lines of a run's energy balance; pistons stand between the oil and the joints, inside of it
BALANCE = {
    "pump": "input.pump",
    "tank": "exchanged.oil from the tank",
    "valves": "lost.valves",
    "relief": "lost.relief valves",
    "makeup": "lost.make-up valves",
    "leakage": "lost.leakage",
    "friction": "lost.friction of cylinders",
    "stops": "lost.end stops of cylinders",
    "stored": "stored.oil",
}


class Ledger:
    """Collects powers [W] while the flows of a circuit are written down."""

    def __init__(self) -> None:
        self.powers: dict[str, SX] = {label: SX(0) for label in LABELS}

    def add(self, **powers: SX) -> None:
        """Add to labels."""
        for label, power in powers.items():
            self.powers[label] += power

    def add_port(self, flows: Flows, port: SX, pump: SX, tank: float) -> None:
        """Losses of a valve at one of its ports, given pressures [Pa]."""
        self.add(
            valves=flows.supply * (pump - port) + flows.drain * (port - tank),
            relief=flows.relief * (port - tank),
            makeup=flows.makeup * (tank - port),
            tank=tank * (flows.makeup - flows.drain - flows.relief),
        )

    def add_chamber(self, pressure: SX, rate: SX, volume: SX, modulus: SX) -> None:
        """Compression of a volume."""
        self.add(stored=volume * pressure * rate / modulus)
