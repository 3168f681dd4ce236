"""Task graphs of whole vector operations: inverse dynamics."""

from phalanx.multiprocessor.tasks.vector_operators.build import VectorTasks, vector_tasks
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine

__all__ = ["Kind", "Sine", "TaskPlace", "VectorTasks", "vector_tasks"]
__dir__ = __all__.copy
