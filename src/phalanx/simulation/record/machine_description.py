"""Description of a machine and its joint forces, for recordings and reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.mechanism import Joint, Mechanism
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import ModelFluid
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction, JointForce
from phalanx.simulation.setup.forces.stops import Stops, has_limits


def describe_machine(mechanism: Mechanism) -> str:
    """How many bodies, joints, freedoms and loops a machine has, and what it weighs."""
    kinds = Counter(joint.motion.kind for joint in mechanism.moving_joints)
    joints = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    mass = sum(body.mass for body in mechanism.bodies)
    parts = [
        _count(len(mechanism.bodies), "body", "bodies"),
        _count(len(mechanism.moving_joints), "moving joint") + (f" ({joints})" if joints else ""),
        _count(mechanism.nv, "freedom") + (" before loops" if mechanism.loops else ""),
        *([_count(len(mechanism.loops), "loop")] if mechanism.loops else []),
        f"{mass:.4g} kg",
    ]
    return ", ".join(parts)


def describe_loads(mechanism: Mechanism, forces: Sequence[JointForce]) -> list[str]:
    """Each force that acts, and in how many joints the machine states what it acts by."""
    moving = [joint for joint in mechanism.joints if joint.motion.nv]
    words = (_load(force, mechanism, moving) for force in forces)
    return [word for word in words if word]


def _load(force: JointForce, mechanism: Mechanism, joints: Sequence[Joint]) -> str:
    stated: list[Any]
    match force:
        case Damping():
            stated = [np.any(joint.damping) for joint in joints]
        case Friction():
            stated = [np.any(joint.dry_friction) for joint in joints]
        case Stops():
            stated = [has_limits(joint) for joint in joints]
        case EffortLimits():
            stated = [np.isfinite(joint.effort_limit).any() for joint in joints]
        case ModelFluid():
            return repr(force) if mechanism.fluid else ""
        case _:
            return repr(force)
    count = sum(map(int, stated))
    return f"{force!r} in {_count(count, 'joint')}" if count else ""


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
