"""One run of one machine by the clock, in one call."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.keywords import spelled_out
from phalanx.mechanism import Mechanism
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.live import LiveKeywords, LiveRun
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.realtime.snapshot import Snapshot
from phalanx.simulation.realtime.timing import Timing
from phalanx.simulation.setup.setup import Setup


@checked
@spelled_out
def simulate_realtime(
    mechanism: Mechanism | Setup,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    duration: float | None = None,
    latest: Latest[Snapshot] | None = None,
    record: bool = False,
    pacing: Pacing | None = None,
    **options: Unpack[LiveKeywords],
) -> Timing:
    """Let a machine run in real time, in this thread; see :class:`LiveRun` for the options.

    Returns:
        How well time was kept.
    """
    live = LiveRun(
        mechanism,
        q0,
        v0,
        duration=duration,
        latest=latest,
        record=record,
        pacing=pacing,
        **options,
    )
    return live.run()
