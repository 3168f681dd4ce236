"""Task graphs of whole vector operations: inverse dynamics."""

from phalanx.multiprocessor.tasks.vector_operators.build import vector_tasks
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace
from phalanx.multiprocessor.tasks.vector_operators.quantities import quantity_tasks
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine
from phalanx.multiprocessor.tasks.vector_operators.vector_graph import VectorTasks

__all__ = ["Kind", "Sine", "TaskPlace", "VectorTasks", "quantity_tasks", "vector_tasks"]
__dir__ = __all__.copy
