"""Dhanaraj (1990): counts, times and programs of the thesis, recomputed and as printed.

Reference:
    Dhanaraj, Inverse dynamics of robot manipulators: symbolic generation and parallel computation,
    M.Eng. thesis, Memorial University of Newfoundland (1990).
"""

from phalanx.studies.dhanaraj.earlier_work import (
    GENERAL_LEVELS,
    PRINTED_TIMES,
    STANFORD_LEVELS,
    compare_times,
)
from phalanx.studies.dhanaraj.elbow_arm import ElbowArm
from phalanx.studies.dhanaraj.friction_cost import (
    TABLE_3_3,
    Flops,
    JointCost,
    friction_cost,
    table_3_3_as_written,
)
from phalanx.studies.dhanaraj.general_arm import general_arm
from phalanx.studies.dhanaraj.listings import ALL_DEFECTS, Defect, as_listed
from phalanx.studies.dhanaraj.precedence import tabulated, with_tabulated_precedence
from phalanx.studies.dhanaraj.printed_journal import PrintedJournal
from phalanx.studies.dhanaraj.subtasks import Accounting, subtask_names
from phalanx.studies.dhanaraj.wrist_line import straight_line

__all__ = [
    "ALL_DEFECTS",
    "GENERAL_LEVELS",
    "PRINTED_TIMES",
    "STANFORD_LEVELS",
    "TABLE_3_3",
    "Accounting",
    "Defect",
    "ElbowArm",
    "Flops",
    "JointCost",
    "PrintedJournal",
    "as_listed",
    "compare_times",
    "friction_cost",
    "general_arm",
    "straight_line",
    "subtask_names",
    "table_3_3_as_written",
    "tabulated",
    "with_tabulated_precedence",
]
__dir__ = __all__.copy
