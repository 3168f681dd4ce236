"""The oil."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import final

from phalanx.actuators.hydraulics.checked import check_number, check_positive
from phalanx.errors import InvalidInput

# Of the atmosphere, and so the lowest gauge pressure there is, with its sign turned [Pa].
ATMOSPHERE = 101_325.0


@final
@dataclass(frozen=True)
class Oil:
    """Oil in lines and chambers: dp/dt = bulk_modulus / V · dV/dt.

    Attributes:
        bulk_modulus: Effective, with the give of hoses and some air [Pa]. Mineral oil alone has
            1.4 to 1.8 GPa; hoses and air take a third of that.
        vapour_pressure: Gauge pressure at which oil boils, below which no chamber goes [Pa].
    """

    bulk_modulus: float = 1.2e9
    vapour_pressure: float = -1.0e5

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_positive(self, "bulk_modulus")
        if not -ATMOSPHERE <= check_number(self, "vapour_pressure") < inf:
            raise InvalidInput(
                f"vapour_pressure of Oil is {self.vapour_pressure:g} Pa; pressures are counted "
                f"from the atmosphere's, so that {-ATMOSPHERE:g} Pa is the least."
            )
