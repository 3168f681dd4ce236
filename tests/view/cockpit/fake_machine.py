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
from phalanx.view.cockpit import Telemetry
from phalanx.view.cockpit.machine import Replayed
from phalanx.view.cockpit.replay import Playback

# which stick axis turns which joint: swing, boom, stick, bucket
AXIS_OF_JOINT = (0, 3, 1, 2)
SIGNS = np.array([-1.0, -1.0, 1.0, 1.0])
START = np.array([0.3, 0.55, -1.5, -0.6])


class FakeMachine:
    joints = ("cab", "boom", "stick", "bucket")
    modes = ("JOINT", "RESOLVED")
    axes = AXES

    def __init__(self) -> None:
        self.mechanism = px.library.cat215b()
        self.sticks: tuple[float, ...] = (0.0,) * 4
        self.commands: list[tuple[float, ...]] = []
        self.asked: list[str] = []
        self.mode, self.running, self.recording = "JOINT", True, False
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

    def start(self) -> None:
        self._do("start")
        self.running = True

    def pause(self) -> None:
        self._do("pause")
        self.running = False

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
        self.playback = None if name is None else Playback.of(name, 2.0, 12.0, time.monotonic())

    def play(self, on: bool) -> None:
        self.playback = self.playback.played(on, time.monotonic())

    def seek(self, at: float) -> None:
        self.playback = self.playback.sought(at, time.monotonic())

    def set_replay_speed(self, speed: float) -> None:
        self.playback = self.playback.at_speed(speed, time.monotonic())

    def past(self, span: float, samples: int) -> list[Telemetry]:
        now = self.telemetry()
        return [replace(now, time=t) for t in np.linspace(now.time - span, now.time, samples)]

    def telemetry(self) -> Telemetry:
        if self.fault is not None:
            raise self.fault
        now = time.monotonic()
        passed, self._seen = (now - self._seen) * self.running, now
        rates = 0.5 * SIGNS * np.array(self.sticks)[list(AXIS_OF_JOINT)]
        self._angles = self._angles + passed * rates
        self._time += passed
        t, wave = self._time, np.sin(self._time + np.arange(4))
        spool = 0.9 * rates + 0.02 * wave
        heads = ("cab.a", "cab.b", "boom.head", "boom.rod", "stick.head", "bucket.head")
        pressures = {h: 8 + 3 * math.sin(0.7 * t + k) for k, h in enumerate(heads)}
        replay = self.playback and Replayed(
            2.0, 12.0, self.playback.is_playing(now), self.playback.speed
        )
        return Telemetry(
            time=t if replay is None else self.playback.time(now),
            running=self.running,
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
            period=1e-3,
            step_median=1.1e-4,
            step_p99=3.2e-4,
            missed_share=0.002,
            late=0.0,
            replay=replay,
        )

    def _do(self, what: str) -> None:
        while self.slow.is_set():
            time.sleep(0.005)
        self.asked.append(what)
