"""Task graph of inverse dynamics of a serial arm, in the source's subtasks of three operations."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
from casadi import SX

from phalanx.actuators.direction import Direction, Sign
from phalanx.actuators.drive import Drives, check_drives
from phalanx.base.errors import UnknownName
from phalanx.equations.spatial import Wrench
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.streamlined.chain import chain_links, serial_model
from phalanx.multiprocessor.tasks.streamlined.customization import Customization
from phalanx.multiprocessor.tasks.streamlined.drive import with_friction, with_rotor
from phalanx.multiprocessor.tasks.streamlined.inward import along_the_axis, carry
from phalanx.multiprocessor.tasks.streamlined.outward import LinkSymbols, move
from phalanx.multiprocessor.tasks.streamlined.subtasks import by_number
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.tasks.writer import TaskWriter

OPERATIONS_OF_A_TASK = 3


def streamlined_tasks(
    mechanism: Mechanism,
    *,
    customization: Customization | str = Customization.FULL,
    drives: Drives | None = None,
    direction: Direction | None = None,
) -> TaskGraph:
    """Inverse dynamics of a serial arm as tasks of at most three operations.

    The modified Newton-Euler algorithm, cut as the source cuts it: 43 subtasks a link, less what
    the first and the last link do not need.

    Args:
        mechanism: A chain of turning and sliding joints.
        customization: Which zeros of the machine make operations fall away.
        drives: Joint name to drive; their friction becomes tasks 44 and 45 of the link.
        direction: Which way friction points; :class:`Sign` by default.

    Returns:
        Tasks called 100 · link + subtask; inputs q, v, a, result tau: what the motors give, on the
        joint's side. Sines, cosines and positions of sliding joints are given. A rotor is a further
        task 46 of its link. What takes more than three operations, such as friction, twists other
        than quarter turns and products of inertia, is spread over tasks with a letter after the
        number.

    Raises:
        InvalidModel: The mechanism is no chain of turning and sliding joints.

    Reference:
        Dhanaraj, M.Eng. thesis, Memorial University (1990), section 4.3.
    """
    if customization not in list(Customization):
        raise UnknownName("streamlined_tasks", "customization", customization, list(Customization))
    full = customization == Customization.FULL
    model = serial_model(mechanism)
    writer = TaskWriter(f"streamlined tasks of {mechanism.name}", OPERATIONS_OF_A_TASK, dense=full)
    q, v, a = (writer.input(x, model.nv) for x in "qva")
    links = chain_links(model, writer, q, v, a, customization)

    # the zeros of the first link's motion do not count as the machine's unless all zeros do
    known = [move(writer, links[0], LinkSymbols.of_the_base(model.gravity))]
    motions = [known[0] if full else known[0].general(writer)]
    for link in links[1:]:
        motions.append(move(writer, link, motions[-1]))
        known.append(motions[-1])

    loads = [Wrench.none()] * (len(links) + 1)
    for i in reversed(range(len(links))):
        after = links[i + 1] if i + 1 < len(links) else None
        loads[i] = carry(writer, links[i], known[i], motions[i], after, loads[i + 1])

    fitted = check_drives(mechanism, drives or {})
    tau: list[SX] = [SX(0)] * model.nv
    for link, load in zip(links, loads, strict=False):
        force = along_the_axis(link, load)
        drive = fitted.get(link.node.joint)
        if drive is not None:
            force = with_friction(writer, model, link, loads, drive, direction or Sign(), force)
        tau[link.node.v] = with_rotor(writer, link, force)
    graph = writer.graph({"tau": ca.vertcat(*tau)}, needed_only=full, order=by_number)
    return _drawn(graph)


def _drawn(graph: TaskGraph) -> TaskGraph:
    """The graph in the source's layers, or in none if it has tasks that the source has not."""
    foreign = any(not task.name.isdigit() and task.layer is not None for task in graph.tasks)
    if not foreign:
        return graph
    return replace(graph, tasks=tuple(replace(task, layer=None) for task in graph.tasks))
