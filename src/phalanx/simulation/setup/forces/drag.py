"""Fluid drag on the links of a machine: cables in water, rods in wind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields, finite_numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.equations.quantities.fluid import ImmersedPart
from phalanx.equations.spatial import Twist, Wrench
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.fluid import FluidForce

# places along a link at which the fluid is felt, from its middle in half lengths, and their shares
GAUSS = ((-(3.0**-0.5), 0.5), (3.0**-0.5, 0.5))
# squares of speeds [m²/s²] below which drag is smooth, so that its derivatives are numbers
STILL = 1e-30


@final
@dataclass(frozen=True, eq=False)
class Rod:
    """A straight round rod that a body has in the fluid, in the axes of some frame.

    Attributes:
        middle: [m], shape (3,).
        axis: Of length one, shape (3,).
        length: [m].
        diameter: [m].
    """

    middle: Array
    axis: Array
    length: float
    diameter: float


@short_repr
@final
@dataclass(frozen=True)
class FluidDrag(FluidForce):
    """Quadratic drag on every link, along it and across it.

    A piece of a link that moves through the fluid with the velocity u = u_t + u_n, along its axis
    and across, feels per length

        f = -½ ρ d (C_n |u_n| u_n + π C_t |u_t| u_t),

    the drag term of Morison's equation with the shares of a cable. It is summed up along each link
    at two places (Gauss), so that a link that turns about its middle is braked as well. Added mass
    and buoyancy are not part of it: give bodies the mass that moves with them, and the machine the
    gravity that is left.

    >>> water = px.FluidDrag(density=1025, diameter=0.02, current=(0.5, 0, 0))
    >>> px.simulate(px.library.chain(20), duration=2.0, forces=(px.Damping(), water))

    Attributes:
        density: ρ of the fluid [kg/m³].
        diameter: d of all links, or of some bodies by name [m]; others then feel nothing.
        normal: C_n, about 1.2 for a smooth cylinder across the stream.
        tangential: C_t, about 0.01 for a smooth cable.
        current: Velocity of the fluid in root axes [m/s].
        ends: Where the links of bodies end that begin at the origin of their body, in its axes [m].
            By default a link goes on beyond the body's centre of mass for as long as to there.

    Reference:
        Morison, O'Brien, Johnson, Schaaf, The force exerted by surface waves on piles (1950);
        Ablow, Schechter, Numerical simulation of undersea cable dynamics, Ocean Engineering 10
        (1983).
    """

    density: float
    diameter: float | Mapping[str, float]
    normal: float = 1.2
    tangential: float = 0.01
    current: ArrayLike = (0.0, 0.0, 0.0)
    ends: Mapping[str, ArrayLike] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        diameters = self.diameter if isinstance(self.diameter, Mapping) else {"": self.diameter}
        for what, value in (
            ("density", self.density),
            *(("diameter", d) for d in diameters.values()),
        ):
            if not 0 < value < np.inf:
                raise InvalidInput(f"the {what} of FluidDrag is {value}; expected it positive.")
        for what, value in (("normal", self.normal), ("tangential", self.tangential)):
            if not 0 <= value < np.inf:
                raise InvalidInput(
                    f"the {what} coefficient of FluidDrag is {value}; expected it not negative."
                )
        current = finite_numbers("current", self.current, (3,)).tolist()
        object.__setattr__(self, "current", tuple(current))

    def links(self, mechanism: Mechanism) -> dict[str, Rod]:
        """The links that the fluid meets, by body, in the axes of the body.

        Raises:
            UnknownName: When a body is named that the machine does not have.
            InvalidInput: When a link has no length, or there is none.
        """
        ends = self.ends or {}
        named = self.diameter if isinstance(self.diameter, Mapping) else None
        known = {body.name: body for body in mechanism.bodies[1:]}
        for name in (*ends, *(named or ())):
            if name not in known:
                raise UnknownName(f"mechanism '{mechanism.name}'", "moving body", name, known)
        links: dict[str, Rod] = {}
        for body in known.values():
            diameter = self.diameter
            if isinstance(diameter, Mapping):
                if body.name not in diameter:
                    continue
                diameter = diameter[body.name]
            asked = body.name in ends or named is not None
            end = finite_numbers(
                f"the end of '{body.name}'", ends.get(body.name, 2 * body.com), (3,)
            )
            length = float(np.linalg.norm(end))
            if not length:
                if asked:
                    raise InvalidInput(
                        f"the link of body '{body.name}' has no length: its centre of mass is at "
                        "its origin. Say where it ends: FluidDrag(ends={...})."
                    )
                continue
            links[body.name] = Rod(end / 2, end / length, length, float(diameter))
        if not links:
            raise InvalidInput(
                f"no body of '{mechanism.name}' has a length in the fluid; say where links end: "
                "FluidDrag(ends={...})."
            )
        return links

    def parts(self, mechanism: Mechanism) -> list[ImmersedPart]:
        return [
            ImmersedPart(body, link.middle, link.axis[None], np.array([link.length, link.diameter]))
            for body, link in self.links(mechanism).items()
        ]

    def stream(self, mechanism: Mechanism) -> Array:
        return np.asarray(self.current, np.float64)

    def drag(self, V: Twist, stream: SX, part: SX) -> Wrench:
        middle, axis, length, diameter = part[:3], part[3:6], part[6], part[7]
        total = Wrench.none()
        for place, share in GAUSS:
            at = middle + place * length / 2 * axis
            u = V.at(at).linear - stream
            along = ca.dot(u, axis)
            across = u - along * axis
            speed = ca.sqrt(ca.dot(across, across) + STILL)
            per_length = self.normal * speed * across
            per_length += np.pi * self.tangential * ca.fabs(along) * along * axis
            force = -0.5 * self.density * diameter * length * share * per_length
            total = total + Wrench(SX.zeros(3, 1), force).acting_at(at)
        return total
