"""Subtasks 44 to 46: from a joint's load to its motor's torque.

The source leaves friction out of its task graph and says that it can be added; its formulas are
cut into threes here. They follow the last subtasks of their own link and nothing waits for them.
The links before end two layers later each, so where all joints have like drives only that of the
first is on the critical path.

Reference:
    Dhanaraj, M.Eng. thesis, Memorial University (1990), tables 3.1 and 3.2, section 4.5.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX

from phalanx.actuators.direction import Direction
from phalanx.actuators.drive import Drive, SingleAxis
from phalanx.equations.quantities.reactions import joint_reaction
from phalanx.equations.spatial import Wrench
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Joint
from phalanx.mechanism.motion import frame_on_axis
from phalanx.multiprocessor.tasks.streamlined.chain import ChainLink
from phalanx.multiprocessor.tasks.streamlined.subtasks import BEARINGS, ROTOR, TRANSMISSION
from phalanx.multiprocessor.tasks.writer import TaskWriter


def with_friction(
    writer: TaskWriter,
    model: Model,
    link: ChainLink,
    loads: Sequence[Wrench],
    drive: tuple[Joint, Drive],
    direction: Direction,
    along: SX,
) -> SX:
    """Input of a joint's transmission [N·m or N], on the joint's side.

    Args:
        writer: Takes the tasks.
        model: The machine.
        link: The link that the joint carries.
        loads: What the joints carry, by link.
        drive: The joint and its drive.
        direction: Which way friction points.
        along: What the joint carries along its axis.
    """
    joint, parts = drive
    assert isinstance(joint.motion, SingleAxis), "checked with the drives"
    axes = SX(ca.DM(frame_on_axis(joint.motion.axis)))
    F = joint_reaction(model, joint, loads)
    towards = direction(link.rate, along)
    rubbing = parts.joint_friction(axes.T @ F.force, axes.T @ F.moment, link.rate, towards)
    out = writer.task(link.subtasks(BEARINGS), along + rubbing)
    lost = parts.transmission_friction(out, towards)
    return writer.task(link.subtasks(TRANSMISSION), out + lost)


def with_rotor(writer: TaskWriter, link: ChainLink, along: SX) -> SX:
    """Motor force for a joint force and its own rotor, which loads no other joint."""
    return writer.task(link.subtasks(ROTOR), along + link.rotor * link.acceleration)
