"""Trees of hinged links as Wong's thesis tabulates them.

Wong, PhD thesis on parallel multibody dynamics, University of British Columbia (1991). A link is
given about its centre of gravity: k points from there to its own hinge, l to the hinge of a child.
Body frames stand on the hinge here, so the centre of mass is at -k and a child's hinge at l - k.
The axes turn from parent to link by Rx(alpha) Rz(theta), and every hinge turns about z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians

import numpy as np

from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.joint import Joint, Revolute
from phalanx.mechanism.library.stick_figures import with_stick_figure
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Pose, rotation_about

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class HingedLink:
    """A row of Wong's tables.

    Attributes:
        name: Of the body.
        alpha: Twist against the parent [deg].
        mass: [kg].
        k: From the centre of gravity to the link's own hinge [m].
        moments: Diagonal of the inertia about the centre of gravity [kg·m²].
        hinge: The parent's l: from the parent's centre of gravity to this hinge [m].
        parent: Name of the parent; the row above when it is not given.
    """

    name: str
    alpha: float
    mass: float
    k: Vector
    moments: Vector
    hinge: Vector = (0.0, 0.0, 0.0)
    parent: str | None = None


def hinged(name: str, links: Sequence[HingedLink], frames: Sequence[Frame] = ()) -> Mechanism:
    """The tree on a massless ``base`` whose frame is that of the first hinge (Wong's frame 0)."""
    bodies, joints = [Body("base")], []
    k_of = {"base": np.zeros(3)}
    above = "base"
    for link in links:
        parent = link.parent or above
        place = np.array(link.hinge) - k_of[parent]
        turn = rotation_about((1, 0, 0), radians(link.alpha))
        joints.append(Joint(f"{link.name}_hinge", parent, link.name, Revolute(), Pose(turn, place)))
        k_of[link.name] = np.array(link.k)
        bodies.append(Body(link.name, link.mass, -k_of[link.name], np.diag(link.moments)))
        above = link.name
    return with_stick_figure(Mechanism(name, bodies, joints, frames, gravity=np.array(GRAVITY)))
