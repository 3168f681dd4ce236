"""Spatial vector algebra over CasADi symbols: poses, twists, wrenches, inertias."""

from phalanx.equations.spatial.acceleration import Acceleration, acceleration_matrix
from phalanx.equations.spatial.mass import FirstMoments, MassMoments
from phalanx.equations.spatial.pairs import Twist, Wrench
from phalanx.equations.spatial.poses import Rotation, Transform
from phalanx.equations.spatial.vectors import (
    RELATIVE_ZERO,
    columnwise_cross,
    constant,
    cross,
    skew,
    symmetric,
    symmetric_product,
    vector,
    without_rounding,
    zero,
)

__all__ = [
    "RELATIVE_ZERO",
    "Acceleration",
    "FirstMoments",
    "MassMoments",
    "Rotation",
    "Transform",
    "Twist",
    "Wrench",
    "acceleration_matrix",
    "columnwise_cross",
    "constant",
    "cross",
    "skew",
    "symmetric",
    "symmetric_product",
    "vector",
    "without_rounding",
    "zero",
]
__dir__ = __all__.copy
