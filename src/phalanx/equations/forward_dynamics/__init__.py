"""Accelerations from joint forces; every method has the signature ``(mechanism, q, v, tau)``."""

from phalanx.equations.forward_dynamics.articulated_body import articulated_body
from phalanx.equations.forward_dynamics.derivatives import derivatives
from phalanx.equations.forward_dynamics.factorized import factorized

__all__ = ["articulated_body", "derivatives", "factorized"]
__dir__ = __all__.copy
