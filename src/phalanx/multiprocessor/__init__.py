"""What several processors buy: tasks, parallel computers, plans, and their execution."""

from phalanx.hardware import mesh as triangular_mesh
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
from phalanx.multiprocessor.computers.catalogue import add_computer, computer_by_name
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.lanes import Lanes
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement
from phalanx.multiprocessor.computers.ready_made import (
    ethernet_cluster,
    intel_8086,
    multicore,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.computers.topology import (
    Topology,
    bus,
    complete,
    hypercube,
    line,
    mesh,
    ring,
    star,
)
from phalanx.multiprocessor.computers.vector_operator import vector_operator
from phalanx.multiprocessor.computers.violation import Violation
from phalanx.multiprocessor.pictures.gantt import gantt_figure
from phalanx.multiprocessor.pictures.space_time_figure import space_time_figure
from phalanx.multiprocessor.pictures.speedup_figure import speedup_figure
from phalanx.multiprocessor.plans.availability import (
    AtLeast,
    Unsatisfiable,
    Way,
    offset_inequalities,
    recurrence_ways,
    shortest_period,
    smallest_offsets,
)
from phalanx.multiprocessor.plans.bounds import lower_bound
from phalanx.multiprocessor.plans.buffers import Buffer
from phalanx.multiprocessor.plans.critical_path import (
    CriticalPath,
    ParallelismProfile,
    critical_path,
    parallelism_profile,
)
from phalanx.multiprocessor.plans.interval import initiation_interval
from phalanx.multiprocessor.plans.longest_path import exposed, longest_course
from phalanx.multiprocessor.plans.periodic import Periodic
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.space_time import SpaceTime
from phalanx.multiprocessor.plans.space_time_schedule import plan_at_work
from phalanx.multiprocessor.policies import (
    earliest_finish,
    exact,
    highest_level_first,
    layered,
    policy_by_name,
)
from phalanx.multiprocessor.policies.planning import schedule
from phalanx.multiprocessor.tasks.coarsen import coarsen
from phalanx.multiprocessor.tasks.cut import task_graph
from phalanx.multiprocessor.tasks.streamlined import Customization, streamlined_tasks
from phalanx.multiprocessor.tasks.task_graph import CyclicGraph, Task, TaskGraph
from phalanx.multiprocessor.tasks.vector_operators import Kind, Place, VectorTasks, vector_tasks
from phalanx.multiprocessor.tasks.writer import TaskWriter
from phalanx.multiprocessor.threads.compile import compile, compile_serial
from phalanx.multiprocessor.threads.measured import (
    Measurement,
    fastest_plan,
    measure,
    measured_multicore,
)
from phalanx.multiprocessor.threads.parallel_program import ParallelProgram

__all__ = [
    "AtLeast",
    "Buffer",
    "Cell",
    "ClockedCells",
    "Computer",
    "CriticalPath",
    "Customization",
    "CyclicGraph",
    "Hop",
    "Kind",
    "Lanes",
    "Measurement",
    "Message",
    "MessagePassing",
    "Operator",
    "OperatorArray",
    "ParallelProgram",
    "ParallelismProfile",
    "Periodic",
    "Place",
    "Placement",
    "Schedule",
    "SharedMemory",
    "SingularSystem",
    "SolverRow",
    "SpaceTime",
    "Speed",
    "SystolicMethod",
    "SystolicSolution",
    "Task",
    "TaskGraph",
    "TaskWriter",
    "Topology",
    "Unsatisfiable",
    "VectorTasks",
    "Violation",
    "Way",
    "Wire",
    "add_computer",
    "budgets",
    "bus",
    "coarsen",
    "compare_solvers",
    "compile",
    "compile_serial",
    "complete",
    "computer_by_name",
    "critical_path",
    "earliest_finish",
    "ethernet_cluster",
    "exact",
    "exposed",
    "factor_and_substitute",
    "faddeev",
    "fastest_plan",
    "feed_forward_cholesky",
    "feed_forward_lu",
    "feed_forward_pivoting",
    "feed_forward_qr",
    "gantt_figure",
    "highest_level_first",
    "hypercube",
    "initiation_interval",
    "intel_8086",
    "layered",
    "line",
    "linear_array",
    "longest_course",
    "lower_bound",
    "measure",
    "measured_multicore",
    "mesh",
    "multicore",
    "offset_inequalities",
    "operator_array",
    "parallelism_profile",
    "plan_at_work",
    "policy_by_name",
    "prefix_tree",
    "recurrence_ways",
    "ring",
    "schedule",
    "shortest_period",
    "smallest_offsets",
    "space_time_figure",
    "speedup_figure",
    "star",
    "streamlined_tasks",
    "systolic_method_by_name",
    "systolic_solve",
    "task_graph",
    "transputer_mesh",
    "triangular_mesh",
    "uniform_tasks",
    "vector_lanes",
    "vector_operator",
    "vector_tasks",
    "wrapped_node",
    "wrapped_tier",
]
__dir__ = __all__.copy
