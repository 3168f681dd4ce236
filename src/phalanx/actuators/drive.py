"""Drive of a joint as data: friction of bearings and transmission between motor and link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.bearings import Bearing
from phalanx.actuators.transmission import Transmission
from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Continuous, Joint, Mechanism, Prismatic, Revolute, Screw

# Below this coefficient of friction the source leaves bearings out.
NEGLIGIBLE_FRICTION = 0.05

SingleAxis = Revolute | Continuous | Prismatic | Screw


@short_repr
@final
@dataclass(frozen=True)
class Drive:
    """Friction between the motor of a joint and its link.

    The gear ratio and the rotor's inertia are numbers of the joint itself.

    Attributes:
        bearings: They add up: a journal and a thrust bearing on one shaft.
        transmission: The gear; none for a direct drive.
        viscous: Friction in proportion to the velocity [N·m·s/rad or N·s/m].
        coulomb: Dry friction that no load changes [N·m or N]; a magnitude, against the motion.
        backward_coulomb: The same while the joint moves backwards (v < 0); as ``coulomb`` where it
            is not given.
    """

    bearings: Sequence[Bearing] = ()
    transmission: Transmission | None = None
    viscous: float = 0.0
    coulomb: float = 0.0
    backward_coulomb: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "bearings", tuple(self.bearings))
        for name in ("viscous", "coulomb", "backward_coulomb"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < inf:
                raise InvalidInput(
                    f"the {name.replace('_', ' ')} friction of a drive is {value}; expected a "
                    "number that is not negative."
                )

    @property
    def is_dry(self) -> bool:
        """Whether something in it can hold the joint at rest."""
        rubs = any(bearing.friction > 0 for bearing in self.bearings)
        return rubs or max(self.coulombs) > 0 or self.transmission is not None

    @property
    def coulombs(self) -> tuple[float, float]:
        """Dry friction that no load changes, forth and back [N·m or N]."""
        back = self.backward_coulomb
        return self.coulomb, self.coulomb if back is None else back

    def joint_friction(self, f: SX, n: SX, v: SX, direction: SX) -> SX:
        """Friction at the joint [N·m or N]: bearings, dry and viscous, along the motion.

        Args:
            f: Force in the joint [N], z along its axis, shape (3,).
            n: Moment in the joint [N·m], shape (3,).
            v: Velocity [rad/s or m/s].
            direction: Sign of the velocity.
        """
        forth, back = self.coulombs
        dry = SX(forth) if forth == back else ca.if_else(direction < 0, back, forth)
        for bearing in self.bearings:
            dry += bearing.resistance(f, n)
        return dry * direction + self.viscous * v

    def transmission_friction(self, output: SX, direction: SX) -> SX:
        """What the transmission loses on the way to an output [N·m or N], on the joint's side."""
        return SX(0) if self.transmission is None else self.transmission.loss(output, direction)


Drives = Mapping[str, Drive]


def check_drives(mechanism: Mechanism, drives: Drives) -> dict[str, tuple[Joint, Drive]]:
    """The joint of each drive.

    Raises:
        UnknownName: When the mechanism has no such joint.
        InvalidInput: When a joint cannot have that drive.
    """
    fitted = {}
    for name, drive in drives.items():
        joint = mechanism.joint(name)
        if not isinstance(drive, Drive):
            raise InvalidInput(f"the drive of joint '{name}' is {drive!r}; expected a Drive.")
        if joint.mimic is not None or not isinstance(joint.motion, SingleAxis):
            what = "mimics another" if joint.mimic else f"is {joint.motion.kind}"
            raise InvalidInput(
                f"joint '{name}' {what}; only joints with one freedom of their own have drives."
            )
        slides = isinstance(joint.motion, Prismatic)
        for bearing in drive.bearings:
            if bearing.turns == slides:
                raise InvalidInput(
                    f"joint '{name}' {'slides' if slides else 'turns'} and cannot have the bearing "
                    f"{bearing}; use {'Linear' if slides else 'Journal or Thrust'}."
                )
        fitted[name] = (joint, drive)
    return fitted


@checked
def joint_drives(mechanism: Mechanism, *, damping: bool = True) -> dict[str, Drive]:
    """Drives from the joints' own friction and ``damping``, where they have one freedom.

    Args:
        mechanism: The machine.
        damping: Whether to take their damping too.
    """
    return {
        joint.name: Drive(
            viscous=float(np.asarray(joint.damping)[0]) if damping else 0.0,
            coulomb=float(joint.dry_friction[0][0]),
            backward_coulomb=float(joint.dry_friction[1][0]),
        )
        for joint in mechanism.moving_joints
        if isinstance(joint.motion, SingleAxis)
    }


@checked
def without_light_bearings(drives: Drives, below: float = NEGLIGIBLE_FRICTION) -> dict[str, Drive]:
    """The drives without bearings whose coefficient of friction is below a bound.

    Reference:
        Dhanaraj (1990), §3.4: joint friction may be left out for coefficients below 0.05.
    """
    return {
        name: replace(drive, bearings=[b for b in drive.bearings if b.friction >= below])
        for name, drive in drives.items()
    }
