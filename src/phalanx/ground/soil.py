"""Soil parameters: unit weight, strength, swell, angle of repose."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan
from typing import final

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.ground.fields import check_between

STANDARD_GRAVITY = 9.81  # m/s², what a weight on earth is divided by for a mass
STEEPEST = radians(50)  # beyond it no soil is known, and failure wedges get too long


@final
@dataclass(frozen=True)
class Soil:
    """A homogeneous soil that fails by Mohr and Coulomb: shear = cohesion + pressure · tan φ.

    Attributes:
        unit_weight: γ of soil in place [N/m³].
        cohesion: c [Pa].
        friction: Internal friction angle φ [rad], at most 50°.
        metal_friction: Friction angle δ between soil and steel [rad]; more than φ would let the
            soil itself slide first.
        adhesion: Between soil and steel [Pa]; at most the cohesion, for the same reason.
        surcharge: Pressure on the surface in front of the edge [Pa].
        swell: Volume once dug per volume in place, at least 1.
        repose: Slope of a heap [rad]; the internal friction angle, but at least 20°, if not given.
    """

    unit_weight: float
    cohesion: float
    friction: float
    metal_friction: float
    adhesion: float = 0.0
    surcharge: float = 0.0
    swell: float = 1.25
    repose: float | None = None

    def __post_init__(self) -> None:
        check_between(self, "unit_weight", 0, low_too=False)
        for name in ("cohesion", "adhesion", "surcharge"):
            check_between(self, name, 0)
        for name in ("friction", "metal_friction"):
            check_between(self, name, 0, STEEPEST)
        check_between(self, "swell", 1)
        if self.repose is not None:
            check_between(self, "repose", 0, radians(80), low_too=False)
        for metal, own in (("adhesion", "cohesion"), ("metal_friction", "friction")):
            if getattr(self, metal) > getattr(self, own):
                raise InvalidInput(
                    f"{metal} of Soil is {getattr(self, metal):g}, more than its {own} "
                    f"{getattr(self, own):g}; soil would shear before it slides on steel."
                )

    @property
    def density(self) -> float:
        """Of soil in place [kg/m³]."""
        return self.unit_weight / STANDARD_GRAVITY

    @cached_property
    def heap_slope(self) -> float:
        """Rise per run of a heap that just stands."""
        return tan(max(self.friction, radians(20)) if self.repose is None else self.repose)


# Dry sand: J. Y. Wong, Theory of Ground Vehicles, table of terrain values (Land Locomotion
# Laboratory). Loam, and clay loam for clay: the defaults in use for tillage forces, which also give
# steel friction as 0.5 to 0.7 of φ and neglect adhesion unless the soil is sticky. Swell as in
# excavation handbooks: sand 1.1 to 1.15, common earth 1.25, clay 1.3 to 1.4.
SAND = Soil(16e3, 1.04e3, radians(28), radians(19), swell=1.12, repose=radians(32))
"""Dry sand."""
LOAM = Soil(15e3, 20e3, radians(20), radians(10), swell=1.25, repose=radians(37))
"""Sandy loam."""
CLAY = Soil(14e3, 30e3, radians(10), radians(6), swell=1.35, repose=radians(40))
"""Stiff clay."""

SOILS = {"sand": SAND, "loam": LOAM, "clay": CLAY}
"""Soils by the names that scenarios use."""
