"""Multiprocessor scheduling: task graphs, parallel computers, schedules, and their execution."""

from phalanx.multiprocessor.computers.catalogue import add_computer, computer_by_name
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.lanes import Lanes
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.computers.placement import Hop, Message, Placement, Violation
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
from phalanx.multiprocessor.computers.topology import Topology
from phalanx.multiprocessor.computers.vector_operator import vector_operator
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
from phalanx.multiprocessor.plans.longest_path import critical_chain, exposed
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
from phalanx.multiprocessor.tasks.vector_operators import (
    Kind,
    Sine,
    TaskPlace,
    VectorTasks,
    quantity_tasks,
    vector_tasks,
)
from phalanx.multiprocessor.tasks.writer import TaskWriter
from phalanx.multiprocessor.threads.compile import compile_plan, compile_serial
from phalanx.multiprocessor.threads.measured import (
    Measurement,
    fastest_plan,
    measure,
    measured_multicore,
)
from phalanx.multiprocessor.threads.parallel_program import ParallelProgram

__all__ = [
    # tasks
    "task_graph",
    "TaskGraph",
    "Task",
    "TaskWriter",
    "CyclicGraph",
    "coarsen",
    "streamlined_tasks",
    "Customization",
    "vector_tasks",
    "quantity_tasks",
    "VectorTasks",
    "TaskPlace",
    "Kind",
    "Sine",
    # computers
    "Computer",
    "SharedMemory",
    "MessagePassing",
    "Topology",
    "Lanes",
    "Operator",
    "Speed",
    "multicore",
    "measured_multicore",
    "vector_lanes",
    "vector_operator",
    "uniform_tasks",
    "intel_8086",
    "transputer_mesh",
    "ethernet_cluster",
    "computer_by_name",
    "add_computer",
    # policies
    "schedule",
    "layered",
    "highest_level_first",
    "earliest_finish",
    "exact",
    "policy_by_name",
    # plans
    "Schedule",
    "Placement",
    "Message",
    "Hop",
    "Violation",
    "Buffer",
    "lower_bound",
    "critical_path",
    "CriticalPath",
    "exposed",
    "critical_chain",
    "parallelism_profile",
    "ParallelismProfile",
    # plans repeated
    "initiation_interval",
    "Periodic",
    "SpaceTime",
    "plan_at_work",
    "shortest_period",
    "recurrence_ways",
    "Way",
    "smallest_offsets",
    "offset_inequalities",
    "AtLeast",
    "Unsatisfiable",
    # on threads
    "compile_plan",
    "compile_serial",
    "ParallelProgram",
    "measure",
    "Measurement",
    "fastest_plan",
    # pictures
    "gantt_figure",
    "space_time_figure",
    "speedup_figure",
]
__dir__ = __all__.copy
