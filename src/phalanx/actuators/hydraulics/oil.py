"""Hydraulic oil with entrained air: bulk modulus over pressure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_not_negative, check_number, check_positive
from phalanx.base.errors import InvalidInput

# Pressures are counted from the atmosphere's [Pa].
ATMOSPHERE = 101_325.0


@final
@dataclass(frozen=True)
class Oil:
    """Oil in lines and chambers: dp/dt = modulus(p) / V · (flow in - flow out - dV/dt).

    Attributes:
        bulk_modulus: Of oil and hoses together under pressure [Pa]. Mineral oil alone has 1.4 to
            1.8 GPa; hoses take a third of that.
        air: Volume of free air, as a part of the oil's at the atmosphere's pressure. Some in a
            thousand are usual; they matter below some MPa only, where they make oil soft.
        vapour_pressure: At which oil boils, below which no chamber goes [Pa].
    """

    bulk_modulus: float = 1.2e9
    air: float = 0.005
    vapour_pressure: float = -1.0e5

    def __post_init__(self) -> None:
        check_positive(self, "bulk_modulus")
        check_not_negative(self, "air")
        if not -ATMOSPHERE < check_number(self, "vapour_pressure") <= 0:
            raise InvalidInput(
                f"vapour_pressure of Oil is {self.vapour_pressure:g} Pa; pressures are counted "
                f"from the atmosphere's, so that it lies between {-ATMOSPHERE:g} and 0."
            )

    def modulus(self, pressure: SX) -> SX:
        """Pressure for a relative change of volume at a pressure [Pa].

        Air is pressed at constant temperature, so that its volume falls like 1/P with the absolute
        pressure P: 1/modulus = 1/bulk_modulus + air · atmosphere / P².

        Reference:
            Merritt, Hydraulic Control Systems (1967), on the effective bulk modulus.
        """
        P = ca.fmax(pressure, self.vapour_pressure) + ATMOSPHERE
        return self.bulk_modulus / (1 + self.bulk_modulus * self.air * ATMOSPHERE / P**2)
