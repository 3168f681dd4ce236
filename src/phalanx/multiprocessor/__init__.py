"""What several processors buy: tasks, parallel computers, plans, and their execution."""

from phalanx.multiprocessor.bounds import lower_bound
from phalanx.multiprocessor.coarsen import coarsen
from phalanx.multiprocessor.computers import Computer, Lanes, MessagePassing, SharedMemory, Speed
from phalanx.multiprocessor.computers_by_name import computer_by_name
from phalanx.multiprocessor.critical_path import (
    CriticalPath,
    Profile,
    critical_path,
    parallelism_profile,
)
from phalanx.multiprocessor.cut import task_graph
from phalanx.multiprocessor.gantt import gantt_figure
from phalanx.multiprocessor.measured import (
    Measurement,
    fastest_plan,
    measure,
    measured_multicore,
)
from phalanx.multiprocessor.placement import Hop, Message, Placement
from phalanx.multiprocessor.planning import schedule
from phalanx.multiprocessor.policies import (
    earliest_finish,
    exact,
    highest_level_first,
    layered,
    policy_by_name,
)
from phalanx.multiprocessor.ready_made import (
    ethernet_cluster,
    intel_8086,
    multicore,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)
from phalanx.multiprocessor.schedule import Schedule
from phalanx.multiprocessor.speedup_figure import speedup_figure
from phalanx.multiprocessor.streamlined import Customization, streamlined_tasks
from phalanx.multiprocessor.tasks import CyclicGraph, Task, TaskGraph
from phalanx.multiprocessor.threads import ParallelProgram, compile, compile_serial
from phalanx.multiprocessor.topology import (
    Topology,
    bus,
    complete,
    hypercube,
    line,
    mesh,
    ring,
    star,
)
from phalanx.multiprocessor.validation import Violation

__all__ = [
    "Computer",
    "CriticalPath",
    "Customization",
    "CyclicGraph",
    "Hop",
    "Lanes",
    "Measurement",
    "Message",
    "MessagePassing",
    "ParallelProgram",
    "Placement",
    "Profile",
    "Schedule",
    "SharedMemory",
    "Speed",
    "Task",
    "TaskGraph",
    "Topology",
    "Violation",
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
    "fastest_plan",
    "gantt_figure",
    "highest_level_first",
    "hypercube",
    "intel_8086",
    "layered",
    "line",
    "lower_bound",
    "measure",
    "measured_multicore",
    "mesh",
    "multicore",
    "parallelism_profile",
    "policy_by_name",
    "ring",
    "schedule",
    "speedup_figure",
    "star",
    "streamlined_tasks",
    "task_graph",
    "transputer_mesh",
    "uniform_tasks",
    "vector_lanes",
]
