"""Dynamics of a mechanism: every quantity as a compiled, batched function."""

from phalanx.dynamics.dynamics import Dynamics
from phalanx.dynamics.evaluators.choice import check_accelerations, default_forward
from phalanx.dynamics.quantities import QuantityEquation

__all__ = ["Dynamics", "QuantityEquation", "check_accelerations", "default_forward"]
__dir__ = __all__.copy
