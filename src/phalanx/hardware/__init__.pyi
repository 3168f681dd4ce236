from phalanx.hardware import cells, chip, mesh
from phalanx.hardware.arrays import budgets
from phalanx.hardware.arrays.array import OperatorArray
from phalanx.hardware.arrays.choice import operator_array
from phalanx.hardware.arrays.linear import linear_array, wrapped_node
from phalanx.hardware.arrays.tree import prefix_tree, wrapped_tier
from phalanx.hardware.cells.cell import Cell, Wire
from phalanx.hardware.cells.clocked import ClockedCells
from phalanx.hardware.solvers.comparison import (
    SolverRow,
    compare_solvers,
)
from phalanx.hardware.solvers.methods import (
    SystolicMethod,
    factor_and_substitute,
    faddeev,
    feed_forward_cholesky,
    feed_forward_lu,
    feed_forward_pivoting,
    feed_forward_qr,
    systolic_method_by_name,
)
from phalanx.hardware.solvers.solve import (
    SingularSystem,
    SystolicSolution,
    systolic_solve,
)

__all__ = [
    # arrays of operators
    "operator_array",
    "OperatorArray",
    "linear_array",
    "prefix_tree",
    "wrapped_node",
    "wrapped_tier",
    "budgets",
    # linear systems by cells
    "systolic_solve",
    "SystolicMethod",
    "SystolicSolution",
    "SolverRow",
    "SingularSystem",
    "systolic_method_by_name",
    "compare_solvers",
    "feed_forward_cholesky",
    "feed_forward_lu",
    "feed_forward_pivoting",
    "feed_forward_qr",
    "faddeev",
    "factor_and_substitute",
    # cells by the clock
    "ClockedCells",
    "Cell",
    "Wire",
    "cells",
    # a mesh and a chip
    "mesh",
    "chip",
]
