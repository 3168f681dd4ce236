"""The Task Streamlining Approach of Dhanaraj (1990): inverse dynamics in tasks of equal size."""

from phalanx.multiprocessor.tasks.streamlined.build import streamlined_tasks
from phalanx.multiprocessor.tasks.streamlined.customization import Customization
from phalanx.multiprocessor.tasks.streamlined.general_arm import general_arm
from phalanx.multiprocessor.tasks.streamlined.table import (
    general_names,
    tabulated,
    with_tabulated_precedence,
)

__all__ = [
    "Customization",
    "general_arm",
    "general_names",
    "streamlined_tasks",
    "tabulated",
    "with_tabulated_precedence",
]
__dir__ = __all__.copy
