"""Independent constraint equations of loops.

A planar four-bar closed by a hinge has five equations, of which three hold by themselves; a table
on four legs has one leg too many. Which ones are redundant is found from the rank of their
derivative at postures that close, not from a count of joints.
"""

from __future__ import annotations

import numpy as np

from phalanx.base.errors import InvalidModel
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.mechanism import Mechanism


def independent_rows(mechanism: Mechanism) -> tuple[int, ...]:
    """Numbers of the equations that determine all others, in order.

    Raises:
        OpenLoop: The loops do not close.
        InvalidModel: Which equations follow from others cannot be decided, or only to first order.
    """
    if not mechanism.loops:
        return ()
    closed = closed_loops(mechanism)
    if closed.opening_of_redundant > 1:
        where = np.array2string(closed.rank.q, precision=4, separator=", ", threshold=12)
        raise InvalidModel(
            f"the loops of mechanism '{mechanism.name}' close in singular postures only, such as "
            f"q = {where}: {closed.rank.redundant} of their {len(closed.rank.A)} equations follow "
            "from the others there to first order, but not along the motion that those leave free. "
            "Forces in such loops are not determined. Change a length, or lock a joint."
        )
    return closed.rank.rows
