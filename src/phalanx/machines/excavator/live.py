"""Live excavator: a real-time run with joystick commands.

A live run that has sticks and modes, soil that moves, and recordings in a folder. One thread steps
the machine (``run.run``), in native code that no other can hold up. Everything else may be called
from any thread and returns at once, or waits for one step at most; nothing it is given can end that
thread.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.ground import DigSite, Terrain
from phalanx.ground.terrain_snapshot import site_facts
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator.control import MODES
from phalanx.machines.excavator.excavator import Excavator, mode_number
from phalanx.machines.excavator.recordings import unused_file, whole_recordings
from phalanx.simulation.realtime.driver import NativeDriver
from phalanx.simulation.realtime.latest import Instant
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.realtime.pacing import Pacing
from phalanx.simulation.record.recording import Recording

Array = NDArray[np.float64]

RECORD_PERIOD = 1e-2  # [s]


@final
class LiveExcavator:
    """A machine that runs by the clock and does what its sticks say.

    >>> live = LiveExcavator(cylinder_excavator())
    >>> threading.Thread(target=live.run.run).start()
    >>> live.loop.resume()

    Attributes:
        excavator: The machine.
        mechanism: Its mechanism.
        run: The live run: a thread lets it run, or it advances without a clock.
        loop: Pauses, resumes, changes speed, stops; knows the timing.
        folder: Where recordings go.
        mode: What the sticks mean.
    """

    def __init__(self, excavator: Excavator, *, folder: Path | None = None) -> None:
        """Compile everything; the clock does not run yet, and the machine is paused.

        Args:
            excavator: The machine.
            folder: Where recordings go; the current one when not given.
        """
        self.excavator = excavator
        self.mechanism = excavator.mechanism
        self.folder = Path() if folder is None else folder
        self.mode: str = excavator.control.mode
        self._sticks = np.zeros(4)
        self.run = LiveRun(
            excavator.setup,
            excavator.q0,
            step=excavator.step,
            rates=True,
            every=max(1, round(RECORD_PERIOD / excavator.step)),
            pacing=Pacing(first=True, stays=True),
        )
        assert isinstance(self.run.driver, NativeDriver)
        self._driver = self.run.driver
        self.loop = self._driver.loop
        self.loop.pause()
        self._first = self.instant.state
        self._lock = threading.RLock()  # of recordings and the site
        self._site: DigSite | None = None
        self.run.look_often(self._dig)
        self._begin()

    # -- the operator ----------------------------------------------------------------------------

    def command(self, sticks: Sequence[float]) -> None:
        """Move the sticks: deflections of -1 to 1 in the order of the joints (or of the speeds).

        What lies outside is taken for -1 or 1.

        Raises:
            InvalidInput: When they are not four finite numbers; the sticks stay where they were.
        """
        given = np.asarray(sticks, dtype=np.float64)
        if given.shape != (4,) or not np.isfinite(given).all():
            raise InvalidInput(f"sticks are {sticks!r}; expected four finite numbers of -1 to 1.")
        self._sticks = np.clip(given, -1.0, 1.0)
        self._tell()

    def centre(self) -> None:
        """Let the sticks go: spools return to the middle."""
        self._sticks = np.zeros(4)
        self._tell()

    def set_mode(self, mode: str) -> None:
        """Choose what the sticks mean; they are let go.

        Raises:
            InvalidInput: When there is no such mode.
        """
        mode_number(mode)
        self.mode = mode
        self.centre()

    def reset(self) -> None:
        """Put the machine where it began, empty, on fresh ground; the sticks are let go.

        Raises:
            WriteError: As :meth:`record` does; the machine is where it began all the same.
        """
        self.centre()
        self._begin()

    # -- recordings ------------------------------------------------------------------------------

    def record(self, on: bool) -> str | None:
        """Begin a recording or end it; the name of the one that ended, if any.

        Raises:
            WriteError: When there is no room for it. What was recorded is kept and written as soon
                as a client records, resets or ends, and there is room.
        """
        with self._lock:
            ended = self.run.recording_path
            try:
                self.run.end_recording()
            finally:
                if on:
                    self._begin_recording()
            return ended.stem if ended else None

    def recordings(self) -> list[str]:
        """Names of recordings of such machines in the folder that are whole, the latest last."""
        return whole_recordings(self.folder, self.run.unfinished)

    def read(self, name: str) -> Recording:
        """A recording by its name.

        Raises:
            UnknownName: When there is none.
            ReadError: When its file cannot be read.
        """
        if name not in self.recordings():
            raise UnknownName(f"folder '{self.folder}'", "recording", name, self.recordings())
        return Recording.read(self.folder / f"{name}.mcap")

    # -- what others see -------------------------------------------------------------------------

    @property
    def instant(self) -> Instant:
        """The machine now."""
        return self._driver.instant

    @property
    def fault(self) -> str:
        """Why it stands still without being paused; empty when all is well."""
        if not self.loop.fault:
            return ""
        return f"the state left finite numbers at {self.instant.time:.3f} s; reset the machine."

    def row(self, instant: Instant) -> dict[str, Array]:
        """All signals of an instant, by name, as a recording would have them."""
        return self._driver.row(instant)

    @property
    def terrain(self) -> Terrain | None:
        """The ground as it is now; None without any."""
        return self._site.terrain if self._site else None

    # -- inside ----------------------------------------------------------------------------------

    def _dig(self) -> None:
        with self._lock:
            if self._site:
                signals = self.row(self.instant)
                surface = self._site.update(signals["q"], float(signals["soil_load"][0]))
                self.run.set_inputs({"surface": [surface]})

    def _tell(self) -> None:
        operator = self.excavator.commands(self._sticks, self.mode)
        self.run.set_inputs({"operator": operator, "mode": [MODES[self.mode]]})

    def _begin(self) -> None:
        """Everything as it was at first."""
        with self._lock:
            try:
                self.run.end_recording()
            finally:
                self.loop.restart(self._first)
                ground = self.excavator.ground
                if ground:
                    self._site = DugSurface(ground).site(self.mechanism)
                    self.run.set_inputs({"surface": [self._site.surface(self.excavator.q0)]})

    def _begin_recording(self) -> None:
        path = unused_file(self.folder)
        # the soil that was moved before is in no signal
        kept = {"terrain": site_facts(self._site)} if self._site else {}
        self.run.begin_recording(path, kept)
