"""The triangular mesh of Wong (1991): forward dynamics on a node for every joint of every body."""

from phalanx.hardware.mesh.costs import (
    COSTS,
    CYCLES,
    T800,
    T800_MEASURED,
    MeshCosts,
    mesh_computer,
)
from phalanx.hardware.mesh.evaluation import mesh_evaluation
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.hardware.mesh.program import VARIANTS
from phalanx.hardware.mesh.running import MeshMotion, run_mesh
from phalanx.hardware.mesh.shape import Shape
from phalanx.hardware.mesh.stepping import mesh_step

__all__ = [
    "COSTS",
    "CYCLES",
    "T800",
    "T800_MEASURED",
    "VARIANTS",
    "MeshCosts",
    "MeshMotion",
    "MeshTasks",
    "Shape",
    "mesh_computer",
    "mesh_evaluation",
    "mesh_step",
    "run_mesh",
]
__dir__ = __all__.copy
