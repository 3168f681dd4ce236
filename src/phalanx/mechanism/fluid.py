"""A fluid that a machine moves in, as data: density, viscosity, wind, and the boxes it acts on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.pose import Array, Pose, check_size, frozen_array

if TYPE_CHECKING:
    from phalanx.mechanism.body import Body

# the least difference of moments [kg·m²] that makes a side of a box, and the least mass [kg] that
# has one: those of MuJoCo
LEAST = 1e-15


@short_repr
@dataclass(frozen=True, eq=False)
class FluidBox(Frozen):
    """A box on which a fluid acts.

    Attributes:
        frame: Body or frame that carries it.
        pose: Its centre and axes in that frame.
        sides: Lengths of its edges along its axes [m], shape (3,).
    """

    frame: str
    pose: Pose
    sides: Array

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        what = f"the sides of the box of '{self.frame}' in the fluid"
        object.__setattr__(self, "sides", frozen_array(self.sides, (3,), what))
        if (self.sides < 0).any():
            raise InvalidModel(f"{what} are {self.sides.tolist()}; expected none to be negative.")

    @classmethod
    def of_inertia(cls, frame: str, mass: float, moments: Array, pose: Pose) -> FluidBox:
        """The box of even density with a given mass and principal moments of inertia.

        Args:
            frame: Body that it stands for.
            mass: [kg], positive.
            moments: Principal moments about the centre of mass [kg·m²], shape (3,).
            pose: Centre of mass and principal axes in the body.
        """
        squares = np.maximum(LEAST, moments.sum() - 2 * moments) * 6 / mass
        return cls(frame, pose, np.sqrt(squares))

    @classmethod
    def of_body(cls, body: Body) -> FluidBox:
        """The same of a body; where two moments are equal, its axes across are any."""
        moments, axes = np.linalg.eigh((body.inertia + body.inertia.T) / 2)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return cls.of_inertia(body.name, body.mass, moments, Pose(axes, body.com))


@short_repr
@dataclass(frozen=True, eq=False)
class Fluid(Frozen):
    """Fluid that a machine moves in: air or water that drags on its bodies.

    Each body is dragged as a box of its mass and inertia. Added mass, lift and buoyancy are not
    part of it.

    Attributes:
        density: [kg/m³]; drag grows with the square of the velocity.
        viscosity: Dynamic, [Pa·s]; drag of a sphere as wide as the box is on average.
        wind: Velocity of the fluid in the root frame [m/s], shape (3,).
        boxes: What it acts on; the box of every body with mass when not given.
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: Array = field(default_factory=lambda: np.zeros(3))
    boxes: Sequence[FluidBox] | None = None

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        for name in ("density", "viscosity"):
            value = float(getattr(self, name))
            if not 0 <= value < np.inf:
                raise InvalidModel(
                    f"the {name} of a fluid is {value}; expected a finite number, not negative."
                )
            check_size(f"the {name} of a fluid", [value])
        object.__setattr__(self, "wind", frozen_array(self.wind, (3,), "the wind of a fluid"))
        if self.boxes is not None:
            object.__setattr__(self, "boxes", tuple(self.boxes))

    def boxes_of(self, bodies: Sequence[Body]) -> tuple[FluidBox, ...]:
        """Its boxes, or those of bodies beyond the root that have mass."""
        if self.boxes is not None:
            return tuple(self.boxes)
        return tuple(FluidBox.of_body(body) for body in bodies[1:] if body.mass >= LEAST)

    def only_on(self, frames: Collection[str]) -> Fluid:
        """The same without boxes that stand on other frames."""
        if self.boxes is None:
            return self
        return replace(self, boxes=[box for box in self.boxes if box.frame in frames])
