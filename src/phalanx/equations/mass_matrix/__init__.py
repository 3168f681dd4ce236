"""Mass matrices; every method has the signature ``(mechanism, q)``."""

from phalanx.equations.mass_matrix.composite_body import composite_body

__all__ = ["composite_body"]
__dir__ = __all__.copy
