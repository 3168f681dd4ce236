"""Forward dynamics of machines with loops; one file a method."""

from phalanx.equations.loops.actuation import actuation
from phalanx.equations.loops.multipliers import Baumgarte, constrained, multipliers

__all__ = ["Baumgarte", "actuation", "constrained", "multipliers"]
