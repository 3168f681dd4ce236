"""Forward dynamics; every method has the signature ``(mechanism, q, v, tau)``."""

from phalanx.equations.forward_dynamics import in_root_frame
from phalanx.equations.forward_dynamics.articulated_body import articulated_body
from phalanx.equations.forward_dynamics.derivatives import derivatives
from phalanx.equations.forward_dynamics.factorized import factorized
from phalanx.equations.forward_dynamics.orthogonal_complement import orthogonal_complement

__all__ = [
    "articulated_body",
    "derivatives",
    "factorized",
    "in_root_frame",
    "orthogonal_complement",
]
__dir__ = __all__.copy
