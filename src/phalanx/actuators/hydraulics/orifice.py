"""Orifice flow: turbulent, with a smooth laminar range near zero.

Turbulent flow grows with the root of the pressure drop, Q = K √Δ, whose slope at Δ = 0 has no
bound. Below a small drop real flow is laminar; both laws here take that over smoothly and are
the root again well above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_positive


@final
@dataclass(frozen=True)
class Orifice:
    """An opening, as catalogues give it: a flow at a pressure drop.

    Attributes:
        flow: When wide open [m³/s].
        drop: At which that flow was measured [Pa].
        laminar: Drop below which flow is no longer a root [Pa].
    """

    flow: float
    drop: float
    laminar: float = 1e5

    def __post_init__(self) -> None:
        check_positive(self, "flow", "drop", "laminar")

    @property
    def gain(self) -> float:
        """K in Q = K √Δ [m³/(s √Pa)]."""
        return self.flow / sqrt(self.drop)

    def both_ways(self, drop: SX) -> SX:
        """Q = K Δ / (Δ² + δ²)^¼ [m³/s]: odd, K √Δ for Δ >> δ, slope K / √δ at 0."""
        return self.gain * drop / _fourth_root(drop**2 + self.laminar**2)

    def one_way(self, drop: SX) -> SX:
        """Q = K Δ² / (Δ² + δ²)^¾ [m³/s] behind a check valve: nothing flows back.

        Value and slope are zero at Δ = 0, so that the closing valve leaves no corner.
        """
        squared = ca.fmax(drop, 0) ** 2
        s = squared + self.laminar**2
        return self.gain * squared / (ca.sqrt(s) * _fourth_root(s))


def _fourth_root(x: SX) -> SX:
    return ca.sqrt(ca.sqrt(x))
