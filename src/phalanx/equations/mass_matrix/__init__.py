"""Mass matrix; every method has the signature ``(mechanism, q)``."""

from phalanx.equations.mass_matrix import in_root_frame
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.orthogonal_complement import orthogonal_complement

__all__ = ["composite_body", "in_root_frame", "orthogonal_complement"]
__dir__ = __all__.copy
