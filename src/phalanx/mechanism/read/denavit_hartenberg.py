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

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.mechanism.body import Body
from phalanx.mechanism.frame import Frame
from phalanx.mechanism.joint import Joint, Motion, Prismatic, Revolute
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose, rotation_about


class Convention(StrEnum):
    """Where the frame of a link stands."""

    MODIFIED = "modified"
    STANDARD = "standard"


@dataclass(frozen=True)
class Row:
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

    @property
    def link(self) -> Pose:
        """The part that the link fixes: Rx(alpha) Tx(a)."""
        return Pose(rotation_about((1, 0, 0), self.alpha), np.array([self.a, 0.0, 0.0]))

    @property
    def zero(self) -> Pose:
        """The part on the joint axis at q = 0: Rz(theta) Tz(d)."""
        return Pose(rotation_about((0, 0, 1), self.theta), np.array([0.0, 0.0, self.d]))


def from_denavit_hartenberg(
    name: str,
    rows: Sequence[Row],
    bodies: Sequence[Body],
    *,
    convention: Convention | str = Convention.MODIFIED,
    rotor_inertias: Sequence[float] | None = None,
    effort_limits: Sequence[float] | None = None,
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
        gravity: Acceleration of free fall in the base frame [m/s²].

    Returns:
        The arm. In the standard convention it has the link frames as ``dh_1``, ``dh_2``, ….
    """
    if convention not in list(Convention):
        raise InvalidInput(
            f"'{convention}' is not a Denavit-Hartenberg convention; use "
            f"{' or '.join(repr(known.value) for known in Convention)}."
        )
    rotors = [0.0] * len(rows) if rotor_inertias is None else rotor_inertias
    efforts = [np.inf] * len(rows) if effort_limits is None else effort_limits
    for what, given in (
        ("bodies", bodies),
        ("rotor_inertias", rotors),
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
                rotor_inertia=rotors[i - 1],
                effort_limit=efforts[i - 1],
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
