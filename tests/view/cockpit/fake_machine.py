"""A machine without physics: joints turn as the sticks say, and what was asked is written down."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import phalanx as px
from phalanx.machines.excavator.instruments import AXES
from phalanx.simulation.realtime.controls import Controls
from phalanx.simulation.realtime.timing import LoopTiming
from phalanx.view.cockpit import Instruments, Telemetry
from phalanx.view.replay.playback import Playback

# which stick axis turns which joint: swing, boom, stick, bucket
AXIS_OF_JOINT = (0, 3, 1, 2)
SIGNS = np.array([-1.0, -1.0, 1.0, 1.0])
START = np.array([0.3, 0.55, -1.5, -0.6])


class FakeLoop(Controls):
    """A clock that is paused and resumed; nothing else is asked of it."""

    period, policy, speed, paused = 1e-3, px.CatchUp(), 1.0, False

    def __init__(self, asked) -> None:
        self._asked = asked

    def pause(self) -> None:
        self._asked("pause")
        self.paused = True

    def resume(self) -> None:
        self._asked("resume")
        self.paused = False

    def recent_timing(self, steps: int) -> LoopTiming:
        return LoopTiming(
            steps=1000,
            elapsed=1.0,
            step_median=1.1e-4,
            step_p99=3.2e-4,
            step_max=4e-4,
            missed=2,
            drift=0.0,
        )

    def run(self, duration=None, until=None):
        raise NotImplementedError

    single_step = set_speed = stop = run


class FakeMachine:
    instruments = Instruments(
        ("cab", "boom", "stick", "bucket"), {"JOINT": "JOINT", "RESOLVED": "RESOLVED"}, axes=AXES
    )

    def __init__(self) -> None:
        self.mechanism = px.library.cat215b()
        self.sticks: tuple[float, ...] = (0.0,) * 4
        self.commands: list[tuple[float, ...]] = []
        self.asked: list[str] = []
        self.loop = FakeLoop(self._do)
        self.mode, self.recording = "JOINT", False
        self.replaying: str | None = None
        self.playback: Playback | None = None
        self.kept = ["dig_001", "dig_002"]
        self.fault: Exception | None = None
        self.slow = threading.Event()  # while set, what is asked takes its time
        self._angles, self._time, self._seen = START.copy(), 0.0, time.monotonic()

    def command(self, sticks: Sequence[float]) -> None:
        self.sticks = tuple(sticks)
        self.commands.append(self.sticks)

    def centre(self) -> None:
        self.sticks = (0.0,) * 4
        self.asked.append("centre")

    def set_mode(self, mode: str) -> None:
        self._do(f"mode {mode}")
        self.mode = mode

    def reset(self) -> None:
        self._do("reset")
        self._angles, self._time = START.copy(), 0.0

    def record(self, on: bool) -> str | None:
        self._do(f"record {on}")
        ended, self.recording = self.recording and not on, on
        if not ended:
            return None
        self.kept.append(f"dig_{len(self.kept) + 1:03d}")
        return self.kept[-1]

    def recordings(self) -> list[str]:
        return list(self.kept)

    def replay(self, name: str | None) -> None:
        self._do(f"replay {name}")
        self.replaying = name
        self.playback = None if name is None else Playback(2.0, 12.0)
        if self.playback is not None:
            self.playback.play()

    def past(self, span: float, samples: int) -> list[Telemetry]:
        now = self.telemetry()
        return [replace(now, time=t) for t in np.linspace(now.time - span, now.time, samples)]

    def telemetry(self) -> Telemetry:
        if self.fault is not None:
            raise self.fault
        now, playback = time.monotonic(), self.playback
        passed, self._seen = (now - self._seen) * (not self.loop.paused), now
        rates = 0.5 * SIGNS * np.array(self.sticks)[list(AXIS_OF_JOINT)]
        self._angles = self._angles + passed * rates
        self._time += passed
        t, wave = self._time, np.sin(self._time + np.arange(4))
        spool = 0.9 * rates + 0.02 * wave
        heads = ("cab.a", "cab.b", "boom.head", "boom.rod", "stick.head", "bucket.head")
        pressures = {h: 8 + 3 * math.sin(0.7 * t + k) for k, h in enumerate(heads)}
        return Telemetry(
            time=t if playback is None else playback.time,
            mode=self.mode,
            recording=self.recording,
            replaying=self.replaying,
            q=self._angles,
            desired=self._angles + 0.03 * wave,
            angles=self._angles,
            rates=rates,
            spool=spool,
            pressures=pressures,
            torque=np.array([5e3, 1.2e5, 1.8e4, 4e3]) * (1 + 0.1 * wave),
            payload=640.0 + 20 * wave[0],
        )

    def _do(self, what: str) -> None:
        while self.slow.is_set():
            time.sleep(0.005)
        self.asked.append(what)
