"""Mechanisms from Denavit-Hartenberg rows, in both conventions.

Craig's (modified) frame i lies on joint axis i:     X = Rx(alpha) Tx(a) Rz(theta) Tz(d).
The original (standard) frame i lies on axis i + 1:  X = Rz(theta) Tz(d) Tx(a) Rx(alpha).

Body frames stand on their own joint axis here, as everywhere in Phalanx; they are Craig's frames in
both conventions. The standard frame of link i is kept as the named frame ``dh_i``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.joint import Joint, Motion, Prismatic, Revolute
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose, rotation_about


class Convention(StrEnum):
    """Denavit-Hartenberg convention: modified (Craig) or standard."""

    MODIFIED = "modified"
    STANDARD = "standard"


@dataclass(frozen=True)
class DenavitHartenbergRow:
    """One line of a Denavit-Hartenberg table.

    Attributes:
        alpha: Twist [rad]; of the link before the joint (modified) or after it (standard).
        a: Length of that link [m].
        theta: Angle [rad]; of a revolute joint, the offset added to q.
        d: Shift along the joint axis [m]; of a prismatic joint, the offset added to q.
        prismatic: The joint slides by q along its axis instead of turning.
    """

    alpha: float = 0.0
    a: float = 0.0
    theta: float = 0.0
    d: float = 0.0
    prismatic: bool = False

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        if not np.isfinite((self.alpha, self.a, self.theta, self.d)).all():
            raise InvalidModel(f"{self} needs finite numbers.")

    @property
    def link(self) -> Pose:
        """The part that the link fixes: Rx(alpha) Tx(a)."""
        return Pose(rotation_about((1, 0, 0), self.alpha), np.array([self.a, 0.0, 0.0]))

    @property
    def zero(self) -> Pose:
        """The part on the joint axis at q = 0: Rz(theta) Tz(d)."""
        return Pose(rotation_about((0, 0, 1), self.theta), np.array([0.0, 0.0, self.d]))


@dataclass(frozen=True)
class Motor:
    """The drive of a joint as data sheets and published tables have it: at the motor's shaft.

    Joints have their numbers on their own side of the gear. With the ratio G = motor speed / joint
    speed, torques grow by |G| and what is proportional to speed or acceleration by G²:

    - the inertia stays a rotor's, of a joint with that ratio, which feels G² times it;
    - ``damping`` of the joint is G² · viscous;
    - ``friction`` is |G| · coulomb forth, ``backward_friction`` |G| · coulomb back.

    Forth and back are directions of the joint, whichever way its motor turns.

    Attributes:
        inertia: Of the rotor [kg·m²].
        ratio: Motor turns per turn of the joint, or radians per metre of a slide; negative where
            the motor turns the other way.
        viscous: Friction in proportion to the speed, at the shaft [N·m·s/rad].
        coulomb: Dry friction forth and back, at the shaft [N·m]; back may have a minus sign, as
            tables that print torques have it.
    """

    inertia: float = 0.0
    ratio: float = 1.0
    viscous: float = 0.0
    coulomb: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        numbers = (self.inertia, self.ratio, self.viscous, *self.coulomb)
        if not np.isfinite(numbers).all() or self.ratio == 0:
            raise InvalidModel(f"{self} needs finite numbers, and a ratio other than zero.")
        if min(self.inertia, self.viscous, self.coulomb[0]) < 0:
            raise InvalidModel(
                f"{self} has a negative inertia or friction; only the ratio and dry friction of "
                "the way back may have a minus sign."
            )

    @property
    def numbers(self) -> dict[str, Any]:
        """What a joint with this motor is given."""
        forth, back = (abs(self.ratio * torque) for torque in self.coulomb)
        return {
            "rotor_inertia": self.inertia,
            "gear_ratio": self.ratio,
            "damping": self.ratio**2 * self.viscous,
            "friction": forth,
            **({"backward_friction": back} if back != forth else {}),
        }


def from_denavit_hartenberg(
    name: str,
    rows: Sequence[DenavitHartenbergRow],
    bodies: Sequence[Body],
    *,
    convention: Convention | str = Convention.MODIFIED,
    rotor_inertias: Sequence[float] | None = None,
    effort_limits: Sequence[float] | None = None,
    motors: Sequence[Motor] | None = None,
    gravity: Sequence[float] | Array = GRAVITY,
) -> Mechanism:
    """A serial arm on a massless body ``base``, with joints ``joint_1``, ``joint_2``, ….

    Args:
        name: Of the mechanism.
        rows: One per joint, from the base out.
        bodies: One per joint; centres of mass and inertias in the link frames of the convention.
        convention: ``modified`` (Craig) or ``standard``.
        rotor_inertias: Motor inertias as the joints feel them [kg·m² or kg].
        effort_limits: [N·m or N].
        motors: Gear ratios, rotors and friction as tables have them, at the motors' shafts;
            instead of ``rotor_inertias``.
        gravity: Acceleration of free fall in the base frame [m/s²].

    Returns:
        The arm. In the standard convention it has the link frames as ``dh_1``, ``dh_2``, ….
    """
    if convention not in list(Convention):
        raise InvalidInput(
            f"'{convention}' is not a Denavit-Hartenberg convention; use "
            f"{' or '.join(repr(known.value) for known in Convention)}."
        )
    if motors is not None and rotor_inertias is not None:
        raise InvalidInput(
            "motors= and rotor_inertias= both say what rotors are; give inertias with the motors."
        )
    rotors = [0.0] * len(rows) if rotor_inertias is None else rotor_inertias
    drives = [Motor(inertia=inertia) for inertia in rotors] if motors is None else motors
    efforts = [np.inf] * len(rows) if effort_limits is None else effort_limits
    for what, given in (
        ("bodies", bodies),
        ("rotor_inertias" if motors is None else "motors", drives),
        ("effort_limits", efforts),
    ):
        if len(given) != len(rows):
            raise InvalidInput(f"{len(rows)} rows need as many {what}, got {len(given)}.")

    standard = convention == Convention.STANDARD
    parent, parent_link = "base", Pose()
    joints, frames, placed = [], [], []
    for i, (row, body) in enumerate(zip(rows, bodies, strict=True), start=1):
        motion: Motion = Prismatic() if row.prismatic else Revolute()
        joints.append(
            Joint(
                f"joint_{i}",
                parent,
                body.name,
                motion,
                (parent_link if standard else row.link) @ row.zero,
                effort_limit=efforts[i - 1],
                **drives[i - 1].numbers,
            )
        )
        if standard:
            frames.append(Frame(f"dh_{i}", body.name, row.link))
        placed.append(_seen_from_joint(body, row.link) if standard else body)
        parent, parent_link = body.name, row.link
    return Mechanism(name, [Body("base"), *placed], joints, frames, gravity=np.asarray(gravity))


def _seen_from_joint(body: Body, link: Pose) -> Body:
    """A body given in its standard frame, which stands at ``link`` in the frame on the joint."""
    R = link.rotation
    visuals = tuple(
        type(visual)(visual.geometry, link @ visual.pose, visual.colour) for visual in body.visuals
    )
    return Body(
        body.name,
        body.mass,
        R @ body.com + link.translation,
        R @ body.inertia @ R.T,
        visuals,
        body.physical,
    )
