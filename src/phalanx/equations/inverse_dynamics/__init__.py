"""Inverse dynamics; every method has the signature ``(mechanism, q, v, a)``."""

from phalanx.equations.inverse_dynamics import lagrangian
from phalanx.equations.inverse_dynamics.conventional import conventional
from phalanx.equations.inverse_dynamics.derivatives import derivatives
from phalanx.equations.inverse_dynamics.modified import modified
from phalanx.equations.inverse_dynamics.natural_complement import natural_complement
from phalanx.equations.inverse_dynamics.orthogonal_complement import orthogonal_complement
from phalanx.equations.inverse_dynamics.prefix import prefix, prefix_by
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.inverse_dynamics.regressor import regressor
from phalanx.equations.inverse_dynamics.staggered import staggered

__all__ = [
    "conventional",
    "derivatives",
    "lagrangian",
    "modified",
    "natural_complement",
    "orthogonal_complement",
    "prefix",
    "prefix_by",
    "recursive",
    "regressor",
    "staggered",
]
__dir__ = __all__.copy
