"""Drives of the PUMA 560 after Dhanaraj, M.Eng. thesis (1990), table 3.4."""

from __future__ import annotations

from phalanx.actuators.bearings import Journal
from phalanx.actuators.drive import Drive
from phalanx.actuators.efficiency import EfficiencyCurve
from phalanx.actuators.transmission import Transmission
from phalanx.base.arguments import checked
from phalanx.mechanism.library.puma560 import (
    BEARING_FRICTION_COEFFICIENT,
    BEARING_RADII,
    BREAK_AWAY_TORQUES,
    EFFICIENCY_POINTS,
    MAXIMUM_TORQUES,
)

# Assumptions: the source's curve is lost but for three points, and it gives no bearing span.
ASSUMED_EFFICIENCY_AT_NO_LOAD = 0.2
ASSUMED_EFFICIENCY_AT_RATED_LOAD = 0.8
ASSUMED_SPAN = 0.1  # [m]


@checked
def puma560_efficiency(
    no_load: float = ASSUMED_EFFICIENCY_AT_NO_LOAD,
    rated_load: float = ASSUMED_EFFICIENCY_AT_RATED_LOAD,
) -> EfficiencyCurve:
    """Efficiency of its harmonic drives: three points of the source between two assumed ends.

    Args:
        no_load: Efficiency without a load; assumed.
        rated_load: Efficiency at the rated load; assumed.
    """
    points = [(0.0, no_load), *EFFICIENCY_POINTS, (1.0, rated_load)]
    return EfficiencyCurve([x for x, _ in points], [efficiency for _, efficiency in points])


@checked
def puma560_drives(
    span: float = ASSUMED_SPAN, efficiency: EfficiencyCurve | None = None
) -> dict[str, Drive]:
    """Drives of joints 1 to 3: journals, harmonic drives and break-away torques of table 3.4.

    Rated torques are the maximal ones of the table.

    Args:
        span: Distance of the supports of every journal [m]; assumed.
        efficiency: The curve; :func:`puma560_efficiency` when not given.
    """
    curve = efficiency or puma560_efficiency()
    numbers = zip(BEARING_RADII, MAXIMUM_TORQUES, BREAK_AWAY_TORQUES, strict=True)
    return {
        f"joint_{k}": Drive(
            bearings=[Journal(BEARING_FRICTION_COEFFICIENT, radius, span)],
            transmission=Transmission(curve, rated, break_away),
        )
        for k, (radius, rated, break_away) in enumerate(numbers, start=1)
    }
