"""Joint forces from motion; every method has the signature ``(mechanism, q, v, a)``."""

from phalanx.equations.inverse_dynamics.derivatives import derivatives
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.inverse_dynamics.regressor import regressor

__all__ = ["derivatives", "recursive", "regressor"]
