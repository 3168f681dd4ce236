"""Error for loops that cannot be closed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


class OpenLoop(PhalanxError):
    """Loops that could not be closed, with the nearest posture that was found.

    Attributes:
        q: That posture, shape (nq,).
        residual: How far it is from closing [m or rad].
        loops: The loops that are open, with how far.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        q: Array,
        residual: float,
        loops: dict[str, float],
        held: Sequence[str] = (),
        advice: str = "",
    ) -> None:
        """Say which loop fails, by how much and where."""
        self.q, self.residual, self.loops = q, residual, loops
        worst = ", ".join(f"'{name}' by {by:.3g}" for name, by in loops.items())
        where = np.array2string(q, precision=4, separator=", ", threshold=12)
        nearer = (
            "Start from a guess nearer to a posture that exists, "
            f"{'hold fewer joints, ' if held else ''}or check the lengths."
        )
        super().__init__(
            f"the loops of mechanism '{mechanism.name}' do not close: the smallest opening found "
            f"is {residual:.3g} m or rad ({worst} still open) at q = {where}. {advice or nearer}"
        )
