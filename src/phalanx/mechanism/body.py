"""Bodies, their masses and shapes, and frames: named places on bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short, short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.pose import SHARED, Array, Pose, frozen_array, frozen_number

# Inertias come from CAD exports and tables rounded to a few digits; a real violation is larger.
RELATIVE_ROUNDING = 1e-3
# Moments below this are what rounding left of zero [kg·m²]: a speck of dust 0.1 mm wide has it.
NO_INERTIA = 1e-18
# in a fault, where the name of the body stands: equal inertias have equal faults
WHO = "{who}"


@dataclass(frozen=True)
class Box:
    """A box with edge lengths ``size`` [m] along x, y, z."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z, centred [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere [m]."""

    radius: float


@dataclass(frozen=True)
class Capsule:
    """A cylinder about z with half-spheres at both ends; ``length`` without them [m]."""

    radius: float
    length: float


@short_repr
@dataclass(frozen=True)
class Prism:
    """A convex outline in the xy-plane, counter-clockwise, as wide along z, centred [m]."""

    outline: tuple[tuple[float, float], ...]
    width: float

    def __post_init__(self) -> None:
        """Check that it turns left at every corner, and once around."""
        corners = np.asarray(self.outline, dtype=np.float64)
        if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
            raise InvalidModel(f"a prism's outline has 3 corners (x, y) or more: {self.outline}.")
        edges = np.roll(corners, -1, axis=0) - corners
        after = np.roll(edges, -1, axis=0)
        cross = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
        turns = np.arctan2(cross, (edges * after).sum(axis=1))
        if not ((cross > 0).all() and np.isclose(turns.sum(), 2 * np.pi) and self.width > 0):
            raise InvalidModel(
                "a prism has a width and an outline that is convex, with corners counter-clockwise "
                f"and none of them straight; got width {self.width} and {self.outline}."
            )


@dataclass(frozen=True)
class Mesh:
    """A surface in a file."""

    path: Path
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Geometry = Box | Cylinder | Sphere | Capsule | Prism | Mesh
"""Any shape that a body may be drawn with."""


@dataclass(frozen=True, eq=False)
class Visual(Frozen):
    """A shape drawn at ``pose`` in its body's frame, in a colour (red, green, blue, opacity)."""

    geometry: Geometry
    pose: Pose = field(default_factory=Pose)
    colour: tuple[float, float, float, float] = (0.7, 0.7, 0.72, 1.0)


@dataclass(frozen=True, eq=False)
class Body(Frozen):
    """A rigid body.

    Attributes:
        name: Unique within a mechanism.
        mass: [kg].
        com: Centre of mass in the body frame [m].
        inertia: Inertia tensor about the centre of mass, in body axes [kg·m²].
        visuals: What it looks like.
        physical: False for a published inertia that no distribution of mass has (a motor lumped
            into one moment, say) and that is wanted as printed: it goes unchecked.
    """

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    visuals: tuple[Visual, ...] = ()
    physical: bool = True

    def __post_init__(self) -> None:
        """Check that some distribution of mass has these numbers."""
        check_fields(self, InvalidModel, but=("mass", "com", "inertia"))
        who = f"body '{self.name}'"
        mass = frozen_number(self.mass, f"the mass of {who}")
        inertia = frozen_array(self.inertia, (3, 3), f"the inertia of {who}")
        com = frozen_array(self.com, (3,), f"the centre of mass of {who}")
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "com", com)
        object.__setattr__(self, "inertia", inertia)
        if mass < 0:
            raise InvalidModel(f"{who} has a negative mass: {mass} kg.")
        if self.physical:
            fault = _inertia_fault(mass == 0, inertia.tobytes())
            if fault:
                raise InvalidModel(fault.replace(WHO, who))

    def __repr__(self) -> str:
        drawn = f", {len(self.visuals)} visuals" if self.visuals else ""
        return f"<Body '{self.name}': {self.mass:.4g} kg, com {short(self.com)} m{drawn}>"


@lru_cache(SHARED)
def _inertia_fault(massless: bool, content: bytes) -> str:
    """Why no body has the inertia of these bytes; empty if one has."""
    inertia = np.frombuffer(content).reshape(3, 3)
    size = np.abs(inertia).max()
    if size < NO_INERTIA:
        return ""
    if massless:
        return f"{WHO} has an inertia but no mass; give it a mass or no inertia."
    if np.abs(inertia - inertia.T).max() > RELATIVE_ROUNDING * size:
        return f"the inertia of {WHO} is not symmetric: {inertia.tolist()}."
    small, middle, large = _principal_moments(inertia)
    if small < -RELATIVE_ROUNDING * size:
        return f"the inertia of {WHO} has a negative principal moment ({small:.4g} kg·m²)."
    if small + middle < large * (1 - RELATIVE_ROUNDING):
        return (
            f"the inertia of {WHO} violates the triangle inequality: principal moments "
            f"{small:.4g}, {middle:.4g}, {large:.4g} kg·m², and no body's largest exceeds the sum "
            "of the others. Check units and the point it is taken about (the centre of mass)."
        )
    return ""


def _principal_moments(inertia: Array) -> tuple[float, float, float]:
    """In rising order."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia.tolist()
    if not (xy or xz or yx or yz or zx or zy):
        small, middle, large = sorted((xx, yy, zz))
    else:
        small, middle, large = np.linalg.eigvalsh((inertia + inertia.T) / 2).tolist()
    return small, middle, large


@dataclass(frozen=True, eq=False)
class Frame(Frozen):
    """A named place on a body."""

    name: str
    body: str
    pose: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)

    def __repr__(self) -> str:
        return f"<Frame '{self.name}' on '{self.body}': {self.pose!r}>"
