"""Small machines with hydraulics, and the pendulum's equations written a second time in NumPy."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics import (
    HydraulicCylinder,
    HydraulicMotor,
    Hydraulics,
    Oil,
    Orifice,
    Pump,
    Relief,
    Valve,
)
from phalanx.equations.forward_dynamics import articulated_body
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Frame, Joint, Mechanism, Pose, Prismatic, Revolute

LITRE, MPA = 1e-3, 1e6

# the pendulum: mass, distance of its centre, moment about it, pins on ground and link
MASS, CENTRE, MOMENT, GRAVITY = 1200.0, 1.5, 900.0, 9.81
BASE_PIN, ROD_PIN = (0.4, -0.9), (1.4, 0.1)
CYLINDER = dict(bore=0.10, rod_diameter=0.07, closed_length=0.95, stroke=0.75, dead_volume=1e-3,
                leakage=2e-12, viscous=2e3, coulomb=1.5e3, slip=5e-3, stop_stiffness=2e7,
                stop_damping=4.0)  # fmt: skip
SUPPLY, DRAIN_A, DRAIN_B, MAKEUP = (1.5e-3, 1e6), (0.8e-3, 1e6), (1.2e-3, 1e6), (2e-3, 2e5)
LAMINAR = 1e5
PORT_RELIEF, MAIN_RELIEF = (26e6, 1e6, 2e-3), (24e6, 1e6, 3e-3)
DEADBAND, TANK, BULK, AIR = 0.06, 2e5, 1.1e9, 0.008
PUMP = dict(pressure=22e6, margin=1.5e6, flow=1.6e-3, power=18e3, line_volume=2e-3)


def valve(**changes) -> Valve:
    parts = dict(
        supply=Orifice(*SUPPLY, LAMINAR),
        drain_a=Orifice(*DRAIN_A, LAMINAR),
        drain_b=Orifice(*DRAIN_B, LAMINAR),
        makeup=Orifice(*MAKEUP, LAMINAR),
        relief=Relief(*PORT_RELIEF),
        deadband=DEADBAND,
    )
    return Valve(**(parts | changes))


def pump(**changes) -> Pump:
    return Pump(**(PUMP | dict(relief=Relief(*MAIN_RELIEF)) | changes))


def cylinder(base="base_pin", rod="rod_pin", **changes) -> HydraulicCylinder:
    return HydraulicCylinder(**(dict(base=base, rod=rod, valve=valve()) | CYLINDER | changes))


def hydraulics(**changes) -> Hydraulics:
    parts = dict(actuators={"lift": cylinder()}, pump=pump(), oil=Oil(BULK, AIR), tank=TANK)
    return Hydraulics(**(parts | changes))


def _upright(x: float, z: float) -> Pose:
    return Pose(translation=np.array([x, 0.0, z]))


def pendulum() -> Mechanism:
    """A beam on a hinge that turns from x towards z, lifted from below by a cylinder."""
    return Mechanism(
        "pendulum",
        [Body("ground"), Body("beam", MASS, np.array([CENTRE, 0, 0]), MOMENT * np.eye(3))],
        [Joint("hinge", "ground", "beam", Revolute(np.array([0.0, -1.0, 0.0])))],
        [Frame("base_pin", "ground", _upright(*BASE_PIN)),
         Frame("rod_pin", "beam", _upright(*ROD_PIN))],
        gravity=np.array([0, 0, -GRAVITY]),
    )  # fmt: skip


SLEDGE_MASS = 500.0


def sledge(gravity=(0.0, 0.0, -GRAVITY)) -> Mechanism:
    """A mass on a rail along x; its cylinder lies along the rail, so that its lever is 1."""
    return Mechanism(
        "sledge",
        [Body("ground"), Body("mass", SLEDGE_MASS, np.zeros(3), np.eye(3))],
        [Joint("rail", "ground", "mass", Prismatic(np.array([1.0, 0.0, 0.0])))],
        [Frame("base_pin", "ground"), Frame("rod_pin", "mass", _upright(1.0, 0.0))],
        gravity=np.array(gravity),
    )


def turntable(inertia: float = 2e4) -> Mechanism:
    return Mechanism(
        "turntable",
        [Body("ground"), Body("table", 100.0, np.zeros(3), inertia * np.eye(3))],
        [Joint("swing", "ground", "table", Revolute())],
    )


def motor(**changes) -> HydraulicMotor:
    parts = dict(joint="swing", displacement=2e-3, line_volume=1e-3, valve=valve(), leakage=1e-12)
    return HydraulicMotor(**(parts | changes))


def right_hand_side(mechanism: Mechanism, circuit: Hydraulics, load=None) -> ca.Function:
    """``(x, command) -> dx/dt`` of x = (q, v, s) over CasADi; ``load(q, v)`` adds joint forces."""
    model = model_of(mechanism)
    size = sum(quantity.size for quantity in circuit.quantities(mechanism))
    n = mechanism.nv
    x, command = SX.sym("x", 2 * n + size), SX.sym("command", len(circuit.actuators))
    q, v, s = x[:n], x[n : 2 * n], x[2 * n :]
    tau, rate = circuit.act(model, q, v, s, command)
    if load is not None:
        tau = tau + load(q, v)
    return ca.Function(
        "rhs", [x, command], [ca.vertcat(v, articulated_body(model, q, v, tau), rate)]
    )


def pendulum_rates(x, command: float):
    """dx/dt of x = (angle, rate, head, rod, pump pressure): the oracle, without CasADi."""
    angle, rate, head, rod, line = x
    # geometry: rod pin turned by the angle; lever = derivative of the distance
    c, s = np.cos(angle), np.sin(angle)
    px, pz = c * ROD_PIN[0] - s * ROD_PIN[1], s * ROD_PIN[0] + c * ROD_PIN[1]
    dx, dz = px - BASE_PIN[0], pz - BASE_PIN[1]
    length = np.hypot(dx, dz)
    lever = (pz * -dx + px * dz) / length
    speed = lever * rate

    opened = min(max((abs(command) - DEADBAND) / (1 - DEADBAND), 0.0), 1.0)
    extend, retract = (opened, 0.0) if command > 0 else (0.0, opened)

    def turbulent(rated, drop):
        return rated[0] / np.sqrt(rated[1]) * drop / (drop**2 + LAMINAR**2) ** 0.25

    def checked(rated, drop):
        if drop <= 0:
            return 0.0
        return rated[0] / np.sqrt(rated[1]) * drop**2 / (drop**2 + LAMINAR**2) ** 0.75

    def relieved(setting, pressure):
        over = max(pressure - setting[0], 0.0) / setting[1]
        return setting[2] * over**2 / np.hypot(over, 0.1)

    from_pump_a, from_pump_b = (
        extend * checked(SUPPLY, line - head),
        retract * checked(SUPPLY, line - rod),
    )
    Q_a = (from_pump_a - retract * turbulent(DRAIN_A, head - TANK)
           + checked(MAKEUP, TANK - head) - relieved(PORT_RELIEF, head))  # fmt: skip
    Q_b = (from_pump_b - extend * turbulent(DRAIN_B, rod - TANK)
           + checked(MAKEUP, TANK - rod) - relieved(PORT_RELIEF, rod))  # fmt: skip

    A_a = np.pi * CYLINDER["bore"] ** 2 / 4
    A_b = A_a - np.pi * CYLINDER["rod_diameter"] ** 2 / 4
    out = length - CYLINDER["closed_length"]
    inside = np.clip(out, 0, CYLINDER["stroke"])
    V_a = CYLINDER["dead_volume"] + A_a * inside
    V_b = CYLINDER["dead_volume"] + A_b * (CYLINDER["stroke"] - inside)
    leak = CYLINDER["leakage"] * (head - rod)

    def modulus(pressure):
        absolute = max(pressure, -1e5) + 101325
        return 1 / (1 / BULK + AIR * 101325 / absolute**2)

    force = A_a * head - A_b * rod - CYLINDER["viscous"] * speed
    force -= CYLINDER["coulomb"] * np.tanh(speed / CYLINDER["slip"])
    k, d = CYLINDER["stop_stiffness"], CYLINDER["stop_damping"]
    if out < 0:
        force += k * -out * max(1 - d * speed, 0)
    if out > CYLINDER["stroke"]:
        force -= k * (out - CYLINDER["stroke"]) * max(1 + d * speed, 0)

    wanted = PUMP["flow"] * np.clip((PUMP["pressure"] - line) / PUMP["margin"], 0, 1)
    delivered = wanted / (1 + (max(line, 0) * wanted / PUMP["power"]) ** 4) ** 0.25
    weight = MASS * GRAVITY * CENTRE * c
    return np.array([
        rate,
        (lever * force - weight) / (MOMENT + MASS * CENTRE**2),
        modulus(head) / V_a * (Q_a - leak - A_a * speed),
        modulus(rod) / V_b * (Q_b + leak + A_b * speed),
        modulus(line) / PUMP["line_volume"]
        * (delivered - from_pump_a - from_pump_b - relieved(MAIN_RELIEF, line)),
    ])  # fmt: skip


def integrated(rates, x0, commands, *, rtol=1e-9, atol=None, method="Radau"):
    """The states on the way through pieces of (duration, command), by SciPy.

    Absolute tolerances are 1e-10 for the machine and for pressures as many Pa as ``rtol`` of
    a MPa.
    """
    from scipy.integrate import solve_ivp

    x = np.asarray(x0, dtype=float)
    scale = np.where(np.arange(len(x)) < 2, 1e-10, rtol * MPA) if atol is None else atol
    path = [x]
    for duration, command in commands:
        run = solve_ivp(
            lambda t, y, u=command: rates(y, u), (0, duration), x, method, rtol=rtol, atol=scale
        )
        assert run.success, run.message
        x = run.y[:, -1]
        path += list(run.y.T[1:])
    return np.array(path)
