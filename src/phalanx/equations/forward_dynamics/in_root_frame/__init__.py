"""Forward dynamics with all quantities in the root frame."""

from phalanx.equations.forward_dynamics.in_root_frame.articulated_body import articulated_body

__all__ = ["articulated_body"]
__dir__ = __all__.copy
