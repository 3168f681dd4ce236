"""An excavator in real time, with a person at the sticks.

One thread steps the machine (:meth:`LiveExcavator.run`). Everything else may be called from any
thread and returns at once, or waits for one step at most; nothing it is given can end that thread.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidInput, UnknownName
from phalanx.simulate.channels import run_channels
from phalanx.simulate.excavator.control import MODES
from phalanx.simulate.excavator.excavator import Excavator, mode_number
from phalanx.simulate.ground import Site, Terrain
from phalanx.simulate.realtime.latest import Latest
from phalanx.simulate.realtime.loop import RealTimeLoop
from phalanx.simulate.realtime.pacing import Clock
from phalanx.simulate.realtime.priority import raised_priority
from phalanx.simulate.realtime.timing import Timing
from phalanx.simulate.record.recorder import Recorder
from phalanx.simulate.record.recording import Recording
from phalanx.simulate.run import Run

Array = NDArray[np.float64]

RECORD_PERIOD = 1e-2  # [s]
DIG_PERIOD = 2e-2  # [s] between two looks at what became of the soil
RECENT = 5000  # steps whose times are shown


@final
@dataclass(frozen=True, eq=False)
class Instant:
    """The machine at one time; its numbers are not to be written to."""

    time: float
    state: Array
    outside: Sequence[Array]


@final
class LiveExcavator:
    """A machine that runs by the clock and does what its sticks say."""

    def __init__(
        self,
        excavator: Excavator,
        *,
        folder: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Compile everything; the clock does not run yet, and the machine is paused.

        Args:
            excavator: The machine.
            folder: Where recordings go; the current one when not given.
            clock: What time it is; the clock on the wall by default.
        """
        self.excavator = excavator
        self.mechanism = excavator.mechanism
        self.folder = Path() if folder is None else folder
        self.mode: str = excavator.control.mode
        self.fault = ""
        self._sticks = np.zeros(4)
        self._surface = np.zeros(1)
        inputs: dict[str, Any] = {
            "operator": lambda t: self._operator,
            "mode": lambda t: self._mode,
        }
        if excavator.ground:
            inputs["surface"] = lambda t: self._surface
        self._tell()
        self._run = Run(
            excavator.mechanism,
            steps=math.inf,
            step=excavator.step,
            control=excavator.control,
            actuation=excavator.actuation,
            surroundings=excavator.ground,
            inputs=inputs,
        )
        self._advance_by = self._run.stretches[0][2]
        self._channels = run_channels(excavator.mechanism, self._run.plant)
        self._first = self._run.initial(excavator.q0, None)
        self._lock = threading.Lock()  # held for a step, and by whoever changes the state
        self._recorder: Recorder | None = None
        self._path: Path | None = None
        self._every = max(1, round(RECORD_PERIOD / excavator.step))
        self.priority = "normal"
        self.latest: Latest[Instant] = Latest()
        self.loop = RealTimeLoop(self._step, excavator.step, clock=clock)
        self._begin()
        # the first calls load code; the clock need not wait for them
        self._advance_by.advance(self._x, excavator.step, self._run.outside(0.0, self._x))
        self.row(self.instant)
        self.loop.pause()

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

    def start(self) -> None:
        """Let the clock run."""
        self.fault = ""
        self.loop.resume()

    def pause(self) -> None:
        """Stop the clock."""
        self.loop.pause()

    def reset(self) -> None:
        """Put the machine where it began, empty, on fresh ground; the sticks are let go."""
        self.centre()
        with self._lock:
            self.fault = ""
            self._begin()

    # -- recordings ------------------------------------------------------------------------------

    def record(self, on: bool) -> str | None:
        """Begin a recording or end it; the name of the one that ended, if any."""
        with self._lock:
            ended = self._end_recording()
            if on:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._path = _unused(self.folder)
                facts = {"model": self.mechanism.name, "step": self.excavator.step}
                self._recorder = Recorder(self._channels, facts, self._path)
        return ended

    @property
    def recording(self) -> bool:
        """Whether it is being recorded."""
        return self._recorder is not None

    def recordings(self) -> list[str]:
        """Names of recordings of such machines in the folder, the latest last."""
        return sorted(path.stem for path in self.folder.glob("excavator-*.mcap"))

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
        latest = self.latest.value
        assert latest is not None
        return latest

    def row(self, instant: Instant) -> dict[str, Array]:
        """All signals of an instant, by name, as a recording would have them."""
        row = self._advance_by.observe(instant.state, *instant.outside)
        signals, start = {}, 1
        for channel in self._channels:
            signals[channel.name] = row[start : start + channel.width]
            start += channel.width
        return signals

    def timing(self) -> Timing:
        """How well the clock is kept; step times are those of the last seconds."""
        return self.loop.timing_of_late(RECENT)

    @property
    def terrain(self) -> Terrain | None:
        """The ground as it is now; None without any."""
        return self._site.terrain if self._site else None

    def run(self, until: threading.Event | None = None) -> Timing:
        """Step the machine in this thread until it is told to end.

        The thread asks to go first. What becomes of the soil is worked out beside it, by another.
        """
        done = threading.Event()
        digger = threading.Thread(target=self._keep_digging, args=(done,), daemon=True)
        digger.start()
        try:
            with raised_priority(first=True) as self.priority:
                return self.loop.run(until=until)
        finally:
            done.set()
            digger.join()
            with self._lock:
                self._end_recording()

    def stop(self) -> None:
        """End :meth:`run`."""
        self.loop.stop()

    # -- the machine -----------------------------------------------------------------------------

    def _tell(self) -> None:
        self._operator = self.excavator.commands(self._sticks, self.mode)
        self._mode = np.array([MODES[self.mode]])

    def _begin(self) -> None:
        """Everything as it was at first."""
        self._k, self._x = 0, self._first
        self._site: Site | None = None
        ground = self.excavator.ground
        if ground:
            terrain = Terrain.flat(ground.surface, soil=ground.soil)
            self._site = Site(self.mechanism, ground, terrain)
            self._surface = np.array([self._site.surface(self.excavator.q0)])
        self._end_recording()
        self._publish(self._run.outside(0.0, self._x))

    def _step(self) -> None:
        with self._lock:
            t = self._k * self.excavator.step
            outside = self._run.outside(t, self._x)
            if self._recorder is not None and self._k % self._every == 0:
                self._keep(self._recorder, t, outside)
            x = self._advance_by.advance(self._x, self.excavator.step, outside)
            if not np.isfinite(x).all():
                # the machine stays where it last was; a person decides what to do
                self.fault = f"the state left finite numbers at {t:.3f} s; reset the machine."
                self.loop.pause()
                return
            self._x = x
            self._k += 1
            self._publish(outside)

    def dig(self) -> None:
        """Take out of the terrain what the bucket took since, or put back what it dumped."""
        site, x = self._site, self._x
        if site:
            # the load is the last state beside: ground comes after control and hydraulics
            load = float(x[-4])
            self._surface = np.array([site.update(x[: self.mechanism.nq], load)])

    def _keep_digging(self, done: threading.Event) -> None:
        with raised_priority(first=False):
            while self._site and not done.wait(DIG_PERIOD):
                self.dig()

    def _publish(self, outside: Sequence[Array]) -> None:
        self.latest.put(Instant(self._k * self.excavator.step, self._x, outside))

    def _keep(self, recorder: Recorder, t: float, outside: Sequence[Array]) -> None:
        row = self._advance_by.observe(self._x, *outside)
        row[0] = t
        recorder.append_row(row)

    def _end_recording(self) -> str | None:
        if self._recorder is None or self._path is None:
            return None
        self._recorder.close()
        name = self._path.stem
        self._recorder = self._path = None
        return name


def _unused(folder: Path) -> Path:
    """A file for a new recording, named by the time."""
    stem = f"excavator-{datetime.now():%Y%m%d-%H%M%S}"
    candidates = (folder / f"{stem}{end}.mcap" for end in ("", *(f"-{k}" for k in range(2, 1000))))
    return next(path for path in candidates if not path.exists())
