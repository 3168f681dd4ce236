"""Replay of a recorded excavator: its signals and terrain at any time."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.ground import Ground, Terrain
from phalanx.ground.terrain_history import TerrainHistory
from phalanx.ground.terrain_snapshot import load_from, terrain_from
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator.live import LiveExcavator
from phalanx.mechanism.pose import Array
from phalanx.view.replay.playback import Playback
from phalanx.view.replay.replay import check_recording, posture_at

LEVEL = "This recording does not tell how the ground was at its begin; it is shown as level."


@final
class ExcavatorReplay:
    """A recording that is shown instead of the machine.

    Attributes:
        recording: What was recorded.
        name: What it is called in its folder.
        playback: Plays, pauses and seeks; knows which time is shown.
        remark: What is to be said about it, if anything.
    """

    def __init__(self, live: LiveExcavator, name: str) -> None:
        """Read it, follow its soil, and play from its begin.

        Raises:
            UnknownName: When there is none of that name.
            ReadError: When its file cannot be read.
            InvalidInput: When it is of another machine, or its ground makes no sense.
        """
        self.recording = live.read(name)
        check_recording(live.mechanism, self.recording)
        lacking = sorted(set(live.row(live.instant)) - set(self.recording.signals))
        if lacking:
            raise InvalidInput(
                f"recording '{name}' lacks {', '.join(lacking)}; it is of another machine than "
                f"{live.excavator.title}. Start the cockpit of that machine to see it."
            )
        self.name, self._mechanism = name, live.mechanism
        self.remark = ""
        self._lock = threading.Lock()  # of the ground
        self._past = self._ground_of(live.excavator.ground)
        begin, end = (float(t) for t in self.recording.time[[0, -1]])
        self.playback = Playback(begin, end)
        self.playback.play()

    def signals(self, at: float) -> dict[str, Array]:
        """All signals at a time [s], by name: of the last sample, and the posture between two."""
        recording = self.recording
        k = max(int(np.searchsorted(recording.time, at, "right")) - 1, 0)
        found = {name: np.atleast_1d(recording[name][k]) for name in recording.signals}
        return found | {"q": posture_at(self._mechanism, recording, at)}

    @property
    def terrain(self) -> Terrain | None:
        """The ground at the time shown; None without any."""
        with self._lock:
            return None if self._past is None else self._past.at(self.playback.time)

    def _ground_of(self, ground: Ground | None) -> TerrainHistory | None:
        """The ground of the recording; drawn only where the machine has ground too."""
        recording = self.recording
        if ground is None or "soil_load" not in recording:
            return None
        kept = recording.settings.get("terrain")
        if kept is None:
            self.remark = LEVEL
            first, carried = DugSurface(ground).site(self._mechanism).terrain, None
        else:
            first, carried = terrain_from(kept), load_from(kept)
        ground = replace(ground, soil=first.soil)
        load = recording["soil_load"][:, 0]
        return TerrainHistory(
            self._mechanism, ground, first, recording.time, recording["q"], load, carried
        )
