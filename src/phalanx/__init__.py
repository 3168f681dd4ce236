"""Phalanx: parallel dynamics of robots and machines in Python."""

from phalanx.dynamics import Dynamics
from phalanx.equations import (
    expression,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
)
from phalanx.errors import (
    CompileError,
    InvalidInput,
    InvalidModel,
    MissingExtra,
    PhalanxError,
    ReadError,
    UnknownName,
)
from phalanx.kernel import Kernel, Operations, compile, count_operations, export_c
from phalanx.mechanism import (
    Body,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Pose,
    attach,
    library,
    lock,
    merge_fixed,
    release_mimics,
    subtree,
    with_floating_base,
)
from phalanx.mechanism.read import load

__all__ = [
    "Body",
    "CompileError",
    "Dynamics",
    "Frame",
    "InvalidInput",
    "InvalidModel",
    "Joint",
    "Kernel",
    "Loop",
    "Mechanism",
    "MissingExtra",
    "Operations",
    "PhalanxError",
    "Pose",
    "ReadError",
    "UnknownName",
    "attach",
    "compile",
    "count_operations",
    "export_c",
    "expression",
    "forward_dynamics",
    "inverse_dynamics",
    "library",
    "load",
    "lock",
    "mass_matrix",
    "merge_fixed",
    "release_mimics",
    "subtree",
    "with_floating_base",
]
