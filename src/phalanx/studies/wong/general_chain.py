"""General chain of the source's polynomials: no zeros or ones that fold away."""

from __future__ import annotations

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Joint, Mechanism, Revolute
from phalanx.mechanism.pose import Pose, rotation_about


def general_chain(joints: int) -> Mechanism:
    """Hinges with Denavit-Hartenberg twists that are no right angles, bodies with full inertias.

    The first twist is zero, as gravity lies along the first axis in the source's count.

    Args:
        joints: How many.

    Raises:
        InvalidInput: When there are none.
    """
    if joints < 1:
        raise InvalidInput(f"a chain has at least one joint, got joints={joints}.")
    bodies, chain = [Body("base")], []
    for i in range(1, joints + 1):
        wave = np.sin(i + np.arange(9.0))  # different from link to link, and never zero
        twist = 0.0 if i == 1 else 0.4 + 0.3 * wave[0]
        # shifts as rows of a table allow them: a along x, d along the turned z
        turn = rotation_about((1, 0, 0), twist)
        place = np.array([0.3 + 0.1 * wave[1], 0, 0]) + turn @ [0, 0, 0.2 + 0.1 * wave[2]]
        chain.append(
            Joint(f"joint_{i}", bodies[-1].name, f"link_{i}", Revolute(), Pose(turn, place))
        )
        moments = np.diag(0.3 + 0.05 * wave[3:6]) + 0.02 * (np.ones((3, 3)) - np.eye(3))
        bodies.append(Body(f"link_{i}", 1.0 + 5.0 / i, 0.1 + 0.05 * wave[6:], moments))
    return Mechanism(f"general_chain_{joints}", bodies, chain)
