"""One run of one machine by the clock, in one call."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from phalanx.mechanism import Mechanism
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.realtime.timing import Timing
from phalanx.simulation.setup import Setup


def simulate_realtime(
    mechanism: Mechanism | Setup,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    **options: Any,
) -> Timing:
    """Let a machine run in real time, in this thread; see :class:`LiveRun` for the options.

    Returns:
        How well time was kept.
    """
    return LiveRun(mechanism, q0, v0, **options).run()
