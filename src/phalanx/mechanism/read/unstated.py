"""Unstated limits of a model file: zeros where the format demands some number.

URDF wants an effort and a velocity of every joint, and takes a range that is left out as 0 to 0.
Many published files write zeros there. A joint that can exert no force, or cannot move at all,
contradicts its motion, so such a limit is taken as none, with a remark.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from phalanx.mechanism.joint import Joint
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.read.report import Remark

RANGE = "limits of joints are from 0 to 0 or left out, which is taken as no limit"
EFFORT = "effort limits of joints are 0, which is taken as none stated"
VELOCITY = "velocity limits of joints are 0, which is taken as none stated"


def without_unstated_limits(mechanism: Mechanism) -> tuple[Mechanism, list[Remark]]:
    """The machine with no limit where its file states none, and remarks on the joints.

    In a machine with loops an effort of zero is meant: it says which joints have no motor.
    """
    moving = [joint for joint in mechanism.joints if joint.motion.nv]
    found = {
        RANGE: [j.name for j in moving if j.motion.nv == 1 and not _any([j.lower, j.upper])],
        EFFORT: [j.name for j in moving if not (mechanism.loops or _any(j.effort_limit))],
        VELOCITY: [j.name for j in moving if not _any(j.velocity_limit)],
    }
    none: dict[str, dict[str, float]] = {
        RANGE: {"lower": -np.inf, "upper": np.inf},
        EFFORT: {"effort_limit": np.inf},
        VELOCITY: {"velocity_limit": np.inf},
    }

    def stated(joint: Joint) -> Joint:
        changes: dict[str, Any] = {}
        for what, names in found.items():
            changes |= none[what] if joint.name in names else {}
        return replace(joint, **changes) if changes else joint

    if any(found.values()):
        joints = tuple(stated(joint) for joint in mechanism.joints)
        mechanism = replace(mechanism, joints=joints)
    return mechanism, [Remark(what, names) for what, names in found.items()]


def _any(numbers: Any) -> bool:
    return bool(np.any(numbers))
