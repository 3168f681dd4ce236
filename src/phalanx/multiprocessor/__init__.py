"""Multiprocessor scheduling: task graphs, parallel computers, schedules, and their execution."""

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
from phalanx.multiprocessor.tasks.vector_operators import Kind, TaskPlace, VectorTasks, vector_tasks
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
    "ParallelProgram",
    "ParallelismProfile",
    "Periodic",
    "Placement",
    "Schedule",
    "SharedMemory",
    "SpaceTime",
    "Speed",
    "Task",
    "TaskGraph",
    "TaskPlace",
    "TaskWriter",
    "Topology",
    "Unsatisfiable",
    "VectorTasks",
    "Violation",
    "Way",
    "add_computer",
    "bus",
    "coarsen",
    "compile",
    "compile_serial",
    "complete",
    "computer_by_name",
    "critical_path",
    "earliest_finish",
    "ethernet_cluster",
    "exact",
    "exposed",
    "fastest_plan",
    "gantt_figure",
    "highest_level_first",
    "hypercube",
    "initiation_interval",
    "intel_8086",
    "layered",
    "line",
    "longest_course",
    "lower_bound",
    "measure",
    "measured_multicore",
    "mesh",
    "multicore",
    "offset_inequalities",
    "parallelism_profile",
    "plan_at_work",
    "policy_by_name",
    "recurrence_ways",
    "ring",
    "schedule",
    "shortest_period",
    "smallest_offsets",
    "space_time_figure",
    "speedup_figure",
    "star",
    "streamlined_tasks",
    "task_graph",
    "transputer_mesh",
    "uniform_tasks",
    "vector_lanes",
    "vector_operator",
    "vector_tasks",
]
__dir__ = __all__.copy
