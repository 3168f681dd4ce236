"""The Task Streamlining Approach of Dhanaraj (1990): inverse dynamics in tasks of equal size."""

from phalanx.multiprocessor.tasks.streamlined.build import streamlined_tasks
from phalanx.multiprocessor.tasks.streamlined.customization import Customization

__all__ = ["Customization", "streamlined_tasks"]
__dir__ = __all__.copy
