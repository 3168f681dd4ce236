"""Where mechanics and compiler meet: every quantity of a mechanism as a compiled function."""

from phalanx.dynamics.dynamics import Dynamics
from phalanx.dynamics.methods import check_accelerations, default_forward
from phalanx.dynamics.quantities import QuantityEquation

__all__ = ["Dynamics", "QuantityEquation", "check_accelerations", "default_forward"]
__dir__ = __all__.copy
