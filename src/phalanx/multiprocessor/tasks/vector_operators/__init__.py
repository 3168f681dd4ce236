"""Task graphs of whole vector operations: inverse dynamics of a chain."""

from phalanx.multiprocessor.tasks.vector_operators.build import VectorTasks, vector_tasks
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace

__all__ = ["Kind", "TaskPlace", "VectorTasks", "vector_tasks"]
__dir__ = __all__.copy
