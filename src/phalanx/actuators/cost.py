"""What friction adds to the arithmetic of inverse dynamics, as the source counts it.

Multiplications and additions of the general algorithm, a joint at a time; roots, comparisons and
the lookup of a curve's piece are not counted there. ``count_operations`` of an expression of
``drive_torques`` has what a machine needs after simplification, all included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.actuators.drive import Drives, check_drives
from phalanx.mechanism import Joint, Mechanism, Prismatic


@final
@dataclass(frozen=True)
class Flops:
    """Multiplications (and divisions) and additions."""

    multiply: int
    add: int

    @property
    def total(self) -> int:
        """Both."""
        return self.multiply + self.add

    def __add__(self, other: Flops) -> Flops:
        """Of two parts together."""
        return Flops(self.multiply + other.multiply, self.add + other.add)


# Table 3.3, revolute and prismatic
DYNAMICS = (Flops(92, 76), Flops(59, 54))
JOINT_FRICTION = (Flops(15, 5), Flops(10, 7))
# Table 3.3, transmission
INTERPOLATION = {"monotone": Flops(5, 4), "linear": Flops(2, 2)}
NOTHING = Flops(0, 0)


@final
@dataclass(frozen=True)
class JointCost:
    """What a joint costs by table 3.3: motion, friction in the bearings, in the transmission."""

    dynamics: Flops
    joint_friction: Flops
    transmission: Flops

    @property
    def friction(self) -> Flops:
        """What friction adds."""
        return self.joint_friction + self.transmission

    @property
    def total(self) -> Flops:
        """All of it."""
        return self.dynamics + self.friction


def friction_cost(mechanism: Mechanism, drives: Drives) -> dict[str, JointCost]:
    """The source's count for each joint that moves, by name.

    Raises:
        UnknownName: When a drive's joint does not exist.
        InvalidInput: When a joint cannot have its drive.

    Reference:
        Dhanaraj (1990), table 3.3, with the modified Newton-Euler algorithm of table 2.9.
    """
    fitted = check_drives(mechanism, drives)
    costs = {}
    for joint in mechanism.moving_joints:
        slides = _slides(joint)
        bearings, transmission = NOTHING, NOTHING
        if joint.name in fitted:
            drive = fitted[joint.name][1]
            bearings = JOINT_FRICTION[slides] if drive.bearings else NOTHING
            if drive.transmission is not None:
                transmission = INTERPOLATION[drive.transmission.efficiency.between]
        costs[joint.name] = JointCost(DYNAMICS[slides], bearings, transmission)
    return costs


def _slides(joint: Joint) -> bool:
    return isinstance(joint.motion, Prismatic)
