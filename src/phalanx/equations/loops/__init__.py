"""Dynamics of machines with loops; one file a method."""

from phalanx.equations.loops.actuation import actuation
from phalanx.equations.loops.multipliers import Baumgarte, constrained, multipliers
from phalanx.equations.loops.penalty import penalty, sprung
from phalanx.equations.loops.projection import embedded, projection
from phalanx.equations.loops.recursive import (
    consistent_acceleration,
    consistent_velocity,
    recursive,
    recursive_inverse,
)
from phalanx.equations.loops.shares import shares_by_condition

__all__ = [
    "Baumgarte",
    "actuation",
    "consistent_acceleration",
    "consistent_velocity",
    "constrained",
    "embedded",
    "multipliers",
    "penalty",
    "projection",
    "recursive",
    "recursive_inverse",
    "shares_by_condition",
    "sprung",
]
