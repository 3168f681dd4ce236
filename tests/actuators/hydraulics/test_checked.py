from __future__ import annotations

from math import inf, nan

import pytest

from phalanx.actuators.hydraulics import Oil, Orifice, Relief
from phalanx.base.errors import InvalidInput, UnknownName

from .machines import cylinder, hydraulics, motor, pump, valve

UNFIT = [
    (Orifice, dict(flow=0.0, drop=1e6), "flow of Orifice is 0.0; expected a positive number"),
    (Orifice, dict(flow=1e-3, drop=nan), "drop of Orifice is nan; expected a finite number"),
    (Orifice, dict(flow="1", drop=1e6), "flow of Orifice is '1'; expected a finite number"),
    (Relief, dict(pressure=-1.0, override=1e6, flow=1e-3), "pressure of Relief is -1.0"),
    (Oil, dict(bulk_modulus=-1e9), "bulk_modulus of Oil"),
    (Oil, dict(air=-0.1), "air of Oil is -0.1"),
    (Oil, dict(vapour_pressure=-2e5), "vapour_pressure of Oil is -200000 Pa"),
    (valve, dict(deadband=1.0), "deadband of Valve is 1; .* less than 1"),
    (valve, dict(deadband=-0.1), "deadband of Valve is -0.1"),
    (valve, dict(relief=None), "relief of Valve is None; expected a Relief"),
    (pump, dict(margin=30e6), "margin of Pump"),
    (pump, dict(power=inf), "power of Pump is inf"),
    (pump, dict(relief=Relief(1e6, 1e5, 1e-3)), "relief of Pump opens at 1e\\+06 Pa, below"),
    (
        cylinder,
        dict(rod_diameter=0.1),
        "rod_diameter of HydraulicCylinder is 0.1 m; .* less than the bore",
    ),
    (cylinder, dict(stroke=0.0), "stroke of HydraulicCylinder"),
    (cylinder, dict(number=1.5), "number of HydraulicCylinder is 1.5; expected a int"),
    (cylinder, dict(number=0), "number of HydraulicCylinder"),
    (cylinder, dict(leakage=-1e-12), "leakage of HydraulicCylinder"),
    (cylinder, dict(valve=None), "valve of HydraulicCylinder is None; expected a Valve"),
    (cylinder, dict(rod="base_pin"), "both ends of a cylinder are at frame 'base_pin'"),
    (motor, dict(displacement=-1.0), "displacement of HydraulicMotor"),
    (hydraulics, dict(actuators={}), "at least one actuator"),
    (hydraulics, dict(actuators={"lift": pump()}), "actuator 'lift' of hydraulics is Pump"),
    (hydraulics, dict(tank=-1.0), "tank of Hydraulics is -1.0"),
    (hydraulics, dict(tank=30e6), "tank of Hydraulics is at 3e\\+07 Pa"),
    (hydraulics, dict(initial_pressures={"pump": -3e5}), "initial pressure of 'pump' is -300000"),
    (hydraulics, dict(initial_pressures={"pump": nan}), "initial pressure of 'pump' is nan"),
    (hydraulics, dict(initial_pressures={"pump": "1"}), "initial pressure of 'pump' is '1'"),
]


@pytest.mark.parametrize(("part", "data", "message"), UNFIT)
def test_data_that_no_part_has_is_refused_by_name(part, data, message):
    with pytest.raises(InvalidInput, match=message):
        part(**data)


def test_unknown_pressures_are_refused():
    with pytest.raises(UnknownName, match=r"no pressure 'lift\.hed'\. Did you mean 'lift\.head'"):
        hydraulics(initial_pressures={"lift.hed": 1e6})
