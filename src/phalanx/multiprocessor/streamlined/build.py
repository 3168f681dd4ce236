"""Inverse dynamics of a serial arm as the source's subtasks of three operations."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.streamlined.chain import chain_links, serial_model
from phalanx.multiprocessor.streamlined.customization import Customization
from phalanx.multiprocessor.streamlined.inward import (
    JointLoad,
    along_the_axis,
    carry,
    joint_force,
)
from phalanx.multiprocessor.streamlined.outward import LinkMotion, move
from phalanx.multiprocessor.streamlined.writer import TaskWriter
from phalanx.multiprocessor.tasks import TaskGraph


def streamlined_tasks(
    mechanism: Mechanism,
    *,
    customization: Customization | str = Customization.FULL,
) -> TaskGraph:
    """Inverse dynamics of a serial arm as tasks of at most three operations.

    The modified Newton-Euler algorithm, cut as the source cuts it: 43 subtasks a link, less what
    the first and the last link do not need.

    Args:
        mechanism: A chain of turning and sliding joints.
        customization: Which zeros of the machine make operations fall away.

    Returns:
        Tasks called 100 · link + subtask; inputs q, v, a, result tau with the rotors' share. Sines,
        cosines and positions of sliding joints are given. A rotor is a further task 44 of its link.
        Twists other than quarter turns and products of inertia, for which the source has no
        subtasks, take further tasks with a letter after the number.

    Reference:
        Dhanaraj, M.Eng. thesis, Memorial University (1990), section 4.3.
    """
    customization = Customization(customization)
    full = customization is Customization.FULL
    model = serial_model(mechanism)
    writer = TaskWriter(f"streamlined_{mechanism.name}", dense=full)
    q, v, a = (writer.input(x, model.nv) for x in "qva")
    links = chain_links(model, writer, q, v, a, customization)

    # the zeros of the first link's motion do not count as the machine's unless all zeros do
    known = [move(writer, links[0], LinkMotion.of_the_base(model.gravity))]
    motions = [known[0] if full else known[0].general(writer)]
    for link in links[1:]:
        motions.append(move(writer, link, motions[-1]))
        known.append(motions[-1])

    load = JointLoad.nothing()
    tau: list[SX] = [SX(0)] * model.nv
    for i in reversed(range(len(links))):
        after = links[i + 1] if i + 1 < len(links) else None
        load = carry(writer, links[i], known[i], motions[i], after, load)
        tau[links[i].node.v] = joint_force(writer, links[i], along_the_axis(links[i], load))
    return writer.graph({"tau": ca.vertcat(*tau)}, needed_only=full)
