"""Hydraulics of the Caterpillar 215B with cylinders, a hoe of 18 t with 63 kW (85 hp).

Wong's thesis (1991) gives rotary actuators with stall torques of 107, 334, 77 and 87 kN·m for
swing, boom, stick and bucket, and no cylinders. Sizes here are round numbers of the trade that come
near those torques on the levers of the library's machine; no source gives them.
"""

from __future__ import annotations

from phalanx.actuators.hydraulics.circuit import Hydraulics
from phalanx.actuators.hydraulics.cylinder import HydraulicCylinder
from phalanx.actuators.hydraulics.motor import HydraulicMotor
from phalanx.actuators.hydraulics.oil import Oil
from phalanx.actuators.hydraulics.orifice import Orifice
from phalanx.actuators.hydraulics.pump import Pump
from phalanx.actuators.hydraulics.relief import Relief
from phalanx.actuators.hydraulics.valve import Valve

MPA = 1e6  # [Pa]
LITRES_PER_MINUTE = 1e-3 / 60  # [m³/s]

# Two pumps of 150 l/min as one. The engine gives 63 kW, of which pump and fan leave 55.
PUMP = Pump(
    pressure=28 * MPA,
    margin=2 * MPA,
    flow=300 * LITRES_PER_MINUTE,
    power=55e3,
    line_volume=5e-3,  # 5 m of hose of 25 mm, twice
    relief=Relief(30 * MPA, 2 * MPA, 300 * LITRES_PER_MINUTE),
)
# A check valve in the return line keeps it above the atmosphere, for the sake of the next.
TANK = 0.3 * MPA
# Large check valves, so that a falling arm pulls no vacuum.
MAKEUP = Orifice(150 * LITRES_PER_MINUTE, 0.1 * MPA)
# Above the pump's pressure, so that they open for outer loads only.
PORT_RELIEF = Relief(32 * MPA, 2 * MPA, 200 * LITRES_PER_MINUTE)
# The swing's is lower: it sets how hard the machine starts and stops, 4.3e-3 m³/rad · 25 MPa
# = 107 kN·m.
SWING_RELIEF = Relief(25 * MPA, 2 * MPA, 200 * LITRES_PER_MINUTE)
# A tight piston passes some cm³ a minute at 10 MPa.
LEAKAGE = 1e-14
# Seals and pins take 4 % of the 266 kN of a cylinder. That is what ends a swing on shut valves:
# with a third of it, a boom with a full bucket would nod for five seconds.
SEAL_VISCOUS, SEAL_DRY = 5e3, 1e4  # [N·s/m], [N]


def cat215b_hydraulics(*, bookkeeping: bool = False) -> Hydraulics:
    """Boom, stick and bucket cylinders and the swing motor, for ``library.cat215b_cylinders``.

    Commands are the spools of ``swing``, ``boom``, ``stick`` and ``bucket``. Positive ones turn
    the cab about its axis, raise the boom, pull the stick in and curl the bucket.

    Lengths are those of the machine's joint limits. At 28 MPa the boom's pair lifts with 532 kN,
    343 kN·m at its mean lever of 0.65 m; the stick pulls in with 266 kN, at least 84 kN·m; the
    bucket curls with 291 kN, 83 kN·m at its mean lever.

    At full spool, from one end to the other, the boom takes 5.1 s up and 3.1 s down, the stick
    2.5 s in and 2.1 s out, the bucket 2.2 s to curl and 1.7 s to open; the swing reaches 11 turns
    a minute in 3 s. Steps of 2 ms follow that with ``Rosenbrock2``; 5 ms are too long.

    Args:
        bookkeeping: Whether energies are kept (see :class:`Hydraulics`).
    """
    return Hydraulics(
        {"swing": _swing(), "boom": _boom(), "stick": _stick(), "bucket": _bucket()},
        PUMP,
        Oil(),
        TANK,
        bookkeeping=bookkeeping,
    )


def _swing() -> HydraulicMotor:
    """At 11 turns a minute, 1.15 rad/s, it takes 297 l/min: all the pumps give."""
    return HydraulicMotor(
        "cab_hinge",
        displacement=4.3e-3,
        line_volume=2e-3,
        valve=_valve(supply=260, drain_a=200, drain_b=200, relief=SWING_RELIEF),
        leakage=3e-12,  # motors leak more than pistons do: 4.5 l/min at 25 MPa
        viscous=2e3,
        coulomb=1e3,
    )


def _boom() -> HydraulicCylinder:
    """Two cylinders of 110 mm; what leaves the head side is throttled, for weight lowers it."""
    return _cylinder(
        "boom",
        bore=0.110,
        rod_diameter=0.075,
        number=2,
        closed_length=1.711,
        stroke=1.183,
        slip=5e-3,
        valve=_valve(supply=300, drain_a=130, drain_b=250),
    )


def _stick() -> HydraulicCylinder:
    """What leaves the rod side is throttled, for weight pulls the stick in."""
    return _cylinder(
        "stick",
        bore=0.110,
        rod_diameter=0.075,
        closed_length=2.213,
        stroke=1.411,
        slip=1e-2,
        valve=_valve(supply=200, drain_a=200, drain_b=100),
    )


def _bucket() -> HydraulicCylinder:
    """A narrow spool, or the bucket would curl in a second."""
    return _cylinder(
        "bucket",
        bore=0.115,
        rod_diameter=0.080,
        closed_length=1.218,
        stroke=0.744,
        slip=2e-2,
        valve=_valve(supply=60, drain_a=100, drain_b=100),
    )


def _cylinder(
    name: str,
    *,
    bore: float,
    rod_diameter: float,
    closed_length: float,
    stroke: float,
    valve: Valve,
    slip: float,
    number: int = 1,
) -> HydraulicCylinder:
    """A cylinder between its frames.

    Dry friction near standstill is a damper of SEAL_DRY / slip, which the method does not look
    ahead along: the lighter what it moves, the wider the slip, for steps of 2 ms.
    """
    return HydraulicCylinder(
        f"{name}_cylinder_base",
        f"{name}_cylinder_rod",
        bore,
        rod_diameter,
        closed_length,
        stroke,
        valve,
        number,
        dead_volume=1.5e-3 * number,  # 3 m of hose of 25 mm
        leakage=LEAKAGE * number,
        viscous=SEAL_VISCOUS * number,
        coulomb=SEAL_DRY * number,
        slip=slip,
    )


def _valve(*, supply: float, drain_a: float, drain_b: float, relief: Relief = PORT_RELIEF) -> Valve:
    """A spool whose ways pass these flows [l/min] at a drop of 1 MPa."""

    def way(flow: float) -> Orifice:
        return Orifice(flow * LITRES_PER_MINUTE, 1 * MPA)

    return Valve(way(supply), way(drain_a), way(drain_b), MAKEUP, relief, deadband=0.05)
