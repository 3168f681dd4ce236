"""An excavator in real time, with a person at the sticks.

One thread steps the machine (:meth:`LiveExcavator.run`), in native code that no other can hold up.
Everything else may be called from any thread and returns at once, or waits for one step at most;
nothing it is given can end that thread.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidInput, UnknownName, WriteError
from phalanx.excavator.control import MODES
from phalanx.excavator.excavator import Excavator, mode_number
from phalanx.ground import Site, Terrain
from phalanx.ground.dug import DugSurface
from phalanx.kernel.loops import emit_paced as words
from phalanx.kernel.loops.paced import NANO, PacedLoop
from phalanx.simulation.advance import FixedAdvance
from phalanx.simulation.channels import run_channels
from phalanx.simulation.realtime.priority import raised_priority
from phalanx.simulation.realtime.timing import Timing
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run import Run

Array = NDArray[np.float64]

RECORD_PERIOD = 1e-2  # [s]
LOOK_PERIOD = 2e-2  # [s] between two looks at the soil, and at what was recorded
RECENT = 5000  # steps whose times are shown


@final
@dataclass(frozen=True, eq=False)
class Instant:
    """The machine at one time, and what it was told."""

    time: float
    state: Array
    outside: Sequence[Array]


@final
class LiveExcavator:
    """A machine that runs by the clock and does what its sticks say."""

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
        self.priority = "normal"
        self._sticks = np.zeros(4)
        run = Run(excavator.setup, steps=math.inf, step=excavator.step, rates=True)
        self._channels = run_channels(excavator.mechanism, run.plant, run.rates)
        self._first = run.initial(excavator.q0, None)
        advance = run.stretches[0][2]
        assert isinstance(advance, FixedAdvance)
        self._observe = advance.observe
        self._beside = run.plant.beside
        told = run.outside(0.0, self._first)
        self.loop = PacedLoop(
            advance.loop((False,) * len(told)),
            self._first,
            told,
            excavator.step,
            every=max(1, round(RECORD_PERIOD / excavator.step)),
        )
        self._told = dict(zip(run.told, self.loop.inputs, strict=True))
        self._lock = threading.Lock()  # of recordings and the site
        self._recorder: Recorder | None = None
        self._path: Path | None = None
        self._unfinished: dict[Path, Recorder] = {}  # begun, and not yet written to the end
        self._site: Site | None = None
        # the first step loads code; the clock need not wait for it
        self.advance(excavator.step)
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

    def start(self) -> None:
        """Let the clock run."""
        self.loop.resume()

    def pause(self) -> None:
        """Stop the clock."""
        self.loop.pause()

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
                as somebody records, resets or ends, and there is room.
        """
        with self._lock:
            try:
                return self._end_recording()
            finally:
                if on:
                    self._begin_recording()

    @property
    def recording(self) -> bool:
        """Whether it is being recorded."""
        return self._recorder is not None

    def recordings(self) -> list[str]:
        """Names of recordings of such machines in the folder that are whole, the latest last."""
        unfinished = self._unfinished.copy()  # before looking: one that ends meanwhile is left out
        return sorted(
            path.stem for path in self.folder.glob("excavator-*.mcap") if path not in unfinished
        )

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
        count, x = self.loop.state()
        told = [value.copy() for value in self.loop.inputs]
        return Instant(count * self.excavator.step, x, told)

    @property
    def fault(self) -> str:
        """Why it stands still though nobody paused it; empty when all is well."""
        if not self.loop.fault:
            return ""
        return f"the state left finite numbers at {self.instant.time:.3f} s; reset the machine."

    def row(self, instant: Instant) -> dict[str, Array]:
        """All signals of an instant, by name, as a recording would have them."""
        row = self._observe(instant.state, *instant.outside)
        signals, start = {}, 1
        for channel in self._channels:
            signals[channel.name] = row[start : start + channel.width]
            start += channel.width
        return signals

    def timing(self) -> Timing:
        """How well the clock is kept since the begin; step times are those of the last seconds."""
        word, recent = self.loop.word, self.loop.durations(RECENT)
        median, p99 = np.quantile(recent, (0.5, 0.99)).tolist() if recent.size else (math.nan,) * 2
        return Timing(
            word(words.COUNT),
            word(words.ELAPSED) / NANO,
            median,
            p99,
            word(words.LONGEST) / NANO,
            word(words.MISSED),
            (word(words.GIVEN_UP) + word(words.LATE)) / NANO,
        )

    @property
    def terrain(self) -> Terrain | None:
        """The ground as it is now; None without any."""
        return self._site.terrain if self._site else None

    # -- the machine -----------------------------------------------------------------------------

    def run(self, until: threading.Event | None = None) -> Timing:
        """Step the machine in this thread until it is told to end.

        The thread asks to go first. Soil is moved and recordings are written beside it, by another.
        """
        done = threading.Event()
        keeper = threading.Thread(target=self._keep_looking, args=(done, until), daemon=True)
        keeper.start()
        try:
            with raised_priority(first=True) as self.priority:
                self.loop.run()
        finally:
            done.set()
            keeper.join()
            with self._lock:
                self._end_recording()
        return self.timing()

    def stop(self) -> None:
        """End :meth:`run`."""
        self.loop.stop()

    def advance(self, duration: float) -> None:
        """Let so much machine time pass at once, without a clock; not while :meth:`run` does."""
        self.loop.resume()
        self.loop.run(round(duration / self.excavator.step), free=True)
        self.loop.pause()
        self.look()

    def look(self) -> None:
        """Move soil as the bucket's load says, and write down what was recorded."""
        with self._lock:
            self._write()
            if self._site:
                m, x = self.mechanism, self.loop.state()[1]
                start = m.nq + m.nv
                states = self._beside.split(x[start : start + self._beside.size])
                load = float(states["soil_load"][0])
                self._told["surface"][0] = self._site.update(x[: m.nq], load)

    def _keep_looking(self, done: threading.Event, until: threading.Event | None) -> None:
        with raised_priority(first=False):
            while not done.wait(LOOK_PERIOD):
                self.look()
                if until is not None and until.is_set():
                    self.loop.stop()

    def _tell(self) -> None:
        self._told["operator"][:] = self.excavator.commands(self._sticks, self.mode)
        self._told["mode"][0] = MODES[self.mode]

    def _begin(self) -> None:
        """Everything as it was at first."""
        with self._lock:
            try:
                self._end_recording()
            finally:
                self.loop.restart(self._first)
                ground = self.excavator.ground
                if ground:
                    self._site = DugSurface(ground).site(self.mechanism)
                    self._told["surface"][0] = self._site.surface(self.excavator.q0)

    def _write(self) -> None:
        """Take what the loop kept into the recording."""
        rows = self.loop.rows()
        if self._recorder is not None:
            h = self.excavator.step
            rows[:, 0] = h * np.rint(rows[:, 0] / h)  # not the sum of as many steps
            self._recorder.append_rows(rows)

    def _begin_recording(self) -> None:
        self.loop.rows()  # what is left of earlier ones
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"recordings cannot go to {self.folder}: {error.strerror or error}."
            ) from None
        path = _unused(self.folder)
        facts = {"model": self.mechanism.name, "step": self.excavator.step}
        self._recorder = self._unfinished[path] = Recorder(self._channels, facts, path)
        self._path = path
        self.loop.keep_rows(True)

    def _end_recording(self) -> str | None:
        """Finish a recording, and those that found no room before."""
        name = None
        if self._recorder is not None and self._path is not None:
            self.loop.keep_rows(False)
            self._write()
            name = self._path.stem
            self._recorder = self._path = None
        for path, recorder in list(self._unfinished.items()):
            recorder.close()
            del self._unfinished[path]
        return name


def _unused(folder: Path) -> Path:
    """A file for a new recording, named by the time."""
    stem = f"excavator-{datetime.now():%Y%m%d-%H%M%S}"
    candidates = (folder / f"{stem}{end}.mcap" for end in ("", *(f"-{k}" for k in range(2, 1000))))
    return next(path for path in candidates if not path.exists())
