"""Mass matrix with all quantities in the root frame, as in parallel algorithms of the eighties."""

from phalanx.equations.mass_matrix.in_root_frame.accumulated_inertia import accumulated_inertia
from phalanx.equations.mass_matrix.in_root_frame.composite_body import composite_body
from phalanx.equations.mass_matrix.in_root_frame.spatial_composite import spatial_composite

__all__ = ["accumulated_inertia", "composite_body", "spatial_composite"]
__dir__ = __all__.copy
