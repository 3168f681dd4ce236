"""Lathrop (1983): tables of the report, its baseline, and an experiment with neurons.

Reference:
    Lathrop, Parallelism in Manipulator Dynamics, MIT AI-TR-754 (1983).
"""

from phalanx.studies.lathrop.branch_and_bound import branch_and_bound
from phalanx.studies.lathrop.luh_lin import processor_per_joint
from phalanx.studies.lathrop.neurons import Dendrites, torque_error
from phalanx.studies.lathrop.table_o1 import METHODS, TableCell, TableRow, table_o1

__all__ = [
    "METHODS",
    "Dendrites",
    "TableCell",
    "TableRow",
    "branch_and_bound",
    "processor_per_joint",
    "table_o1",
    "torque_error",
]
__dir__ = __all__.copy
