"""Struts: telescoping cylinders between two frames, for drawing only.

A shape stays as it is on its body; a strut reaches from body to body and changes its length. It is
for the eye alone: forces and masses of cylinders are elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr


@short_repr
@dataclass(frozen=True)
class Strut:
    """A cylinder between two frames.

    Attributes:
        name: Unique within a mechanism.
        base: Frame at whose origin the barrel begins.
        rod: Frame at whose origin the rod ends.
        length: Of the barrel, and of the rod [m]; seen whole, without gap, where the frames are
            between once and twice as far apart.
        radius: Of the barrel [m].
        rod_radius: Of the rod [m].
        aside: How far from the frames, along z of the rod's, cylinders stand beside each other [m].
    """

    name: str
    base: str
    rod: str
    length: float
    radius: float
    rod_radius: float
    aside: tuple[float, ...] = (0.0,)

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        sizes = (self.length, self.rod_radius, self.radius)
        if not (0 < self.rod_radius <= self.radius < np.inf and 0 < self.length < np.inf):
            raise InvalidModel(
                f"strut '{self.name}' needs positive sizes and a rod that fits into its barrel; "
                f"got length, rod radius, radius = {sizes} m."
            )
        if not self.aside or not np.isfinite(self.aside).all():
            raise InvalidModel(
                f"strut '{self.name}' needs finite distances aside, got {self.aside}."
            )
