"""Inverse dynamics from Lagrange's equations, for trees of turning and sliding joints.

References for other methods, and a measure of what those gain: the same forces of a six-joint arm
in three to twenty times the operations of :func:`recursive`.
"""

from phalanx.equations.inverse_dynamics.lagrangian.closed_form import closed_form
from phalanx.equations.inverse_dynamics.lagrangian.recursive_3x3 import recursive_3x3
from phalanx.equations.inverse_dynamics.lagrangian.recursive_4x4 import recursive_4x4

__all__ = ["closed_form", "recursive_3x3", "recursive_4x4"]
__dir__ = __all__.copy
