"""Fundamental equation of earthmoving: cutting force of a wide blade.

A blade at rake angle α (between blade and surface) pushes a wedge of soil up a plane that leaves
its edge at the angle β. Equilibrium of the wedge gives the force on the blade

    F = w (γ d² N_γ + c d N_c + q d N_q + c_a d N_a),

inclined by δ to the blade's normal, and so the horizontal draft F sin(α + δ) + c_a w d cot α.
Nature takes the β with the least weight term; here β is 45° - φ/2, which is exact for a smooth
upright blade and otherwise errs on the side of more force. The fixed angle makes some factors
singular: for a lying blade, and for a rough steep one whose wedge locks. So α stays between 20° and
90°, or 15° before the wedge locks if that is less; a blade that leans over counts as one that leans
back as much.

Reference:
    Reece, The fundamental equation of earth-moving mechanics (1964); McKyes, Soil Cutting and
    Tillage (1985), ch. 3; Luengo, Singh and Cannon, Modeling and identification of soil-tool
    interaction in automated excavation (1998), who count dug soil as surcharge.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, pi, radians, sin, tan
from typing import final

import casadi as ca
from casadi import SX

from phalanx.ground.soil import Soil

FLATTEST = radians(20)  # tables of N_γ start here; below, the blade would be endless
UPRIGHT = pi / 2 - 1e-6  # the root in cos α has no slope at 90° itself
BEFORE_LOCKING = radians(15)  # where N_γ is still near its least value over β
LEAST_FRICTION = 1e-6  # rad; below it, bearing is that of soil without friction


def wedge_angle(soil: Soil) -> float:
    """β between the plane of failure and the surface [rad]."""
    return pi / 4 - soil.friction / 2


def rake_range(soil: Soil) -> tuple[float, float]:
    """Least and greatest rake angle that the factors are taken at [rad]."""
    locks = pi - (wedge_angle(soil) + soil.friction + soil.metal_friction)
    return FLATTEST, min(UPRIGHT, locks - BEFORE_LOCKING)


@final
@dataclass(frozen=True)
class EarthmovingFactors:
    """Pure numbers of the equation at one rake angle.

    Attributes:
        weight: N_γ.
        cohesion: N_c.
        surcharge: N_q.
        adhesion: N_a.
        forward: sin(α + δ), the share of the force along the surface.
        cotangent: cot α.
    """

    weight: SX
    cohesion: SX
    surcharge: SX
    adhesion: SX
    forward: SX
    cotangent: SX

    @staticmethod
    def of(soil: Soil, rake_sine: SX) -> EarthmovingFactors:
        """Factors at a rake angle, given by its sine and kept within :func:`rake_range`."""
        beta, delta = wedge_angle(soil), soil.metal_friction
        steep = 1 / tan(beta + soil.friction)
        low, high = (sin(angle) for angle in rake_range(soil))
        s = ca.fmax(low, ca.fmin(high, rake_sine))
        c = ca.sqrt(1 - s * s)
        cotangent = c / s
        # cos(α + δ) + sin(α + δ) cot(β + φ)
        along = c * (cos(delta) + steep * sin(delta)) + s * (steep * cos(delta) - sin(delta))
        run = cotangent + 1 / tan(beta)
        surcharge = run / along
        return EarthmovingFactors(
            weight=surcharge / 2,
            cohesion=(1 + steep / tan(beta)) / along,
            surcharge=surcharge,
            adhesion=(1 - steep * cotangent) / along,
            forward=s * cos(delta) + c * sin(delta),
            cotangent=cotangent,
        )


def draft(soil: Soil, width: float, depth: SX, rake_sine: SX, surcharge: SX) -> SX:
    """Horizontal force that cuts soil [N], never negative.

    Args:
        soil: What is cut.
        width: Of the blade [m].
        depth: Of its edge below the surface [m], not negative.
        rake_sine: Sine of the angle between blade and surface.
        surcharge: Pressure on the wedge [Pa], beside the soil's own.
    """
    N = EarthmovingFactors.of(soil, rake_sine)
    pressure = (
        soil.unit_weight * depth * N.weight
        + soil.cohesion * N.cohesion
        + (soil.surcharge + surcharge) * N.surcharge
        + soil.adhesion * N.adhesion
    )
    return width * depth * (pressure * N.forward + soil.adhesion * N.cotangent)


def bearing_capacity(soil: Soil, depth: SX) -> SX:
    """Pressure at which soil gives way under a narrow edge [Pa] (Prandtl, Reissner).

    c N_c + (q + γ d) N_q, without the term for the edge's own breadth, which is small.

    Args:
        soil: What carries.
        depth: Of the edge below the surface [m].
    """
    phi = soil.friction
    N_q = exp(pi * tan(phi)) * tan(pi / 4 + phi / 2) ** 2
    N_c = (N_q - 1) / tan(phi) if phi > LEAST_FRICTION else 2 + pi
    return soil.cohesion * N_c + (soil.surcharge + soil.unit_weight * depth) * N_q
