"""Springs with dampers between points of two bodies, as data.

A spring of a joint is a number of the joint; this one reaches from body to body and acts on all
joints between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.mechanism.pose import check_size

# its numbers, which can be parameters
SPRING_NUMBERS = ("stiffness", "damping", "rest_length", "preload")


@dataclass(frozen=True)
class Spring:
    """A massless spring and damper side by side, on the line between the origins of two frames.

    With L the distance of the origins it pulls them together by
    k (L - rest_length) + c dL/dt + preload, and holds the energy
    k (L - rest_length)² / 2 + preload (L - rest_length). It pushes where that is negative. While
    the origins coincide the line has no direction and the force is zero.

    Attributes:
        name: Unique among springs and joints of a mechanism.
        frame_a, frame_b: The frames, on different bodies.
        stiffness: k [N/m], not negative.
        damping: c [N·s/m], not negative.
        rest_length: [m], not negative.
        preload: Pull at the rest length [N]; negative for a push, as of a gas spring.
    """

    name: str
    frame_a: str
    frame_b: str
    stiffness: float
    damping: float = 0.0
    rest_length: float = 0.0
    preload: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        for attribute in SPRING_NUMBERS:
            value = float(getattr(self, attribute))
            words = attribute.replace("_", " ")
            if not isfinite(value) or (value < 0 and attribute != "preload"):
                raise InvalidModel(
                    f"the {words} of spring '{self.name}' is {value}; expected a finite number"
                    f"{'' if attribute == 'preload' else ' that is not negative'}."
                )
            check_size(f"the {words} of spring '{self.name}'", [value])
        if self.frame_a == self.frame_b:
            raise InvalidModel(f"spring '{self.name}' ties frame '{self.frame_a}' to itself.")
