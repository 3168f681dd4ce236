"""Terrain during a run: feedback of the dug surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.ground.dig_site import DigSite
from phalanx.ground.fields import check_between
from phalanx.ground.ground import Ground
from phalanx.ground.terrain import Terrain
from phalanx.mechanism import Mechanism
from phalanx.simulation.run.inputs import FeedbackInput, Sampler

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class DugSurface(FeedbackInput):
    """Height of the ground before the cutting edge, level at first, as digging leaves it.

    Attributes:
        ground: What the run digs in.
        period: Between two looks at what became of the soil [s].
    """

    ground: Ground
    period: float = 2e-2

    def __post_init__(self) -> None:
        check_between(self, "period", 0, low_too=False)

    def begin(self, mechanism: Mechanism) -> Sampler:
        site: DigSite | None = None
        due, surface = 0.0, np.zeros(1)

        def sampler(t: float, q: Array, states: Mapping[str, Array]) -> Array:
            nonlocal site, due, surface
            # a look is not missed because the time is a rounding error short of it
            if t >= due - 1e-6 * self.period:
                load = float(states["soil_load"][0])
                if site is None:
                    site = self.site(mechanism, load)
                surface = np.array([site.update(q, load)])
                due += self.period
            return surface

        return sampler

    def site(self, mechanism: Mechanism, load: float = 0.0) -> DigSite:
        """Untouched ground, with a load [kg] already in the bucket."""
        terrain = Terrain.flat(self.ground.surface, soil=self.ground.soil)
        return DigSite(mechanism, self.ground, terrain, load)
