"""Mechanism: a machine as frozen data, validated when it is made."""

from phalanx.mechanism.actuator import Actuator
from phalanx.mechanism.body import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Frame,
    Geometry,
    Mesh,
    Prism,
    Sphere,
    Visual,
)
from phalanx.mechanism.edit import (
    attach,
    lock,
    merge_fixed,
    release_mimics,
    subtree,
    with_floating_base,
)
from phalanx.mechanism.fluid import Fluid, FluidBox
from phalanx.mechanism.graph import from_graph
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mimic,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.loop import FixedDistance, JointCoupling, Loop, PlanarPin
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.rolling import Blade, RollingContact
from phalanx.mechanism.spring import Spring
from phalanx.mechanism.strut import Strut

__all__ = [
    "Actuator",
    "Blade",
    "Body",
    "Box",
    "Capsule",
    "Continuous",
    "Cylinder",
    "Cylindrical",
    "Fixed",
    "FixedDistance",
    "Floating",
    "Fluid",
    "FluidBox",
    "Frame",
    "Geometry",
    "Joint",
    "JointCoupling",
    "Loop",
    "Mechanism",
    "Mesh",
    "Mimic",
    "Motion",
    "Planar",
    "PlanarPin",
    "Pose",
    "Prism",
    "Prismatic",
    "Revolute",
    "RollingContact",
    "Screw",
    "Sphere",
    "Spherical",
    "Spring",
    "Strut",
    "Universal",
    "Visual",
    "attach",
    "from_graph",
    "lock",
    "merge_fixed",
    "release_mimics",
    "subtree",
    "with_floating_base",
]
__dir__ = __all__.copy
