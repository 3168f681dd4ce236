"""Terrain history: the terrain of a recording at any of its times.

A recording has the load of the bucket and where the bucket was, and so every move of soil; from the
terrain at its begin all later ones follow. They are followed once, and some are kept on the way, so
that going back is as quick as going on.
"""

from __future__ import annotations

from copy import deepcopy
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.ground.dig_site import DigSite
from phalanx.ground.ground import Ground
from phalanx.ground.terrain import Terrain
from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]

PERIOD = 2e-2  # [s] between two moves of soil, as a live machine does it
KEPT = 64  # terrains on the way


@final
class TerrainHistory:
    """Gives the ground as it was; for one thread."""

    def __init__(
        self,
        mechanism: Mechanism,
        ground: Ground,
        terrain: Terrain,
        time: Array,
        q: Array,
        load: Array,
        carried: float | None = None,
    ) -> None:
        """Follow the soil from begin to end.

        Args:
            mechanism: The machine.
            ground: What it dug in.
            terrain: As it was at the first sample; it is not changed.
            time: Of samples [s], shape (samples,), growing.
            q: Positions, shape (samples, nq).
            load: In the bucket [kg], shape (samples,).
            carried: Load when soil was last moved in that terrain [kg]; that of the first sample
                when not given.

        Raises:
            InvalidInput: When there are no samples, or one is no number.
        """
        if not len(time) or not np.isfinite(load).all() or not np.isfinite(q).all():
            raise InvalidInput(
                f"{len(time)} samples of a digging machine; expected one or more, all of finite "
                "numbers."
            )
        first = float(load[0]) if carried is None else carried
        chosen = _chosen(time, load, first)
        self._time, self._q, self._load = time[chosen], q[chosen], load[chosen]
        start = deepcopy(terrain)
        self._site = DigSite(mechanism, ground, start, first)
        self._done = 0  # moves of soil in the terrain shown
        self._kept = [(0, deepcopy(start), first)]
        every = max(1, -(-len(chosen) // KEPT))
        for stop in range(every, len(chosen) + 1, every):
            self._go_on(stop)
            self._kept.append((stop, deepcopy(self._site.terrain), float(self._load[stop - 1])))

    def at(self, time: float) -> Terrain:
        """The terrain at a time [s]; the same object for as long as time goes on."""
        wanted = int(np.searchsorted(self._time, time, "right"))
        done, terrain, load = self._kept_until(wanted)[-1]
        if wanted < self._done or done > self._done:
            self._site = self._site.elsewhere(deepcopy(terrain), load)
            self._done = done
        self._go_on(wanted)
        return self._site.terrain

    def _kept_until(self, wanted: int) -> list[tuple[int, Terrain, float]]:
        return [kept for kept in self._kept if kept[0] <= wanted]

    def _go_on(self, wanted: int) -> None:
        for k in range(self._done, wanted):
            self._site.update(self._q[k], float(self._load[k]))
        self._done = max(self._done, wanted)


def _chosen(time: Array, load: Array, first: float) -> NDArray[np.int64]:
    """Samples at which soil has moved, one a period at most: the last of it."""
    periods = np.floor((time - time[0]) / PERIOD + 1e-6)
    ends = np.flatnonzero(np.append(np.diff(periods) > 0, True))
    before = np.append(first, load[ends][:-1])
    return ends[load[ends] != before]
