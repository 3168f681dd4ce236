"""An excavator as a cockpit's machine: which stick moves what, what gauges show, replay."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.ground import Terrain
from phalanx.machines.excavator.control import JOINTS, MODES
from phalanx.machines.excavator.instruments import AXES, MODE_TITLES, excavator_charts
from phalanx.machines.excavator.live import LiveExcavator
from phalanx.machines.excavator.recordings import title_of
from phalanx.machines.excavator.replay import ExcavatorReplay
from phalanx.mechanism import Mechanism
from phalanx.view.cockpit.axes import Axes
from phalanx.view.cockpit.charts import Chart
from phalanx.view.cockpit.machine import Telemetry

Array = NDArray[np.float64]

PSI = 6894.757e-6  # [MPa]
TIMING_PERIOD = 0.5  # [s] between two looks at step times
# left x, left y, right x, right y to swing, boom, stick, bucket, or arc, height, radius, bucket:
# pushing away lowers the boom and reaches out, as on every machine of the pattern of ISO 10968
JOINT_OF_STICK = np.array([[-1, 0, 0, 0], [0, 0, 0, -1], [0, 1, 0, 0], [0, 0, 1, 0]], float)
SPEED_OF_STICK = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]], float)


@final
class ExcavatorMachine:
    """A :class:`LiveExcavator` seen from its cockpit; see :class:`CockpitMachine`."""

    def __init__(self, live: LiveExcavator) -> None:
        """Take a machine that runs in a thread of its own."""
        self.live = live
        self._replay: ExcavatorReplay | None = None
        self._labels = live.excavator.actuation.quantities(live.mechanism)[0].labels
        self._timed = -np.inf
        self._timing = live.timing()
        self._lock = threading.Lock()

    @property
    def mechanism(self) -> Mechanism:
        """What is drawn."""
        return self.live.mechanism

    @property
    def title(self) -> str:
        """What people call it."""
        return self.live.excavator.title

    @property
    def terrain(self) -> Terrain | None:
        """The ground as it is, or as it was in the recording that is shown; None without any."""
        replay = self._replay
        return self.live.terrain if replay is None else replay.terrain

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the operated joints."""
        return tuple(name.removesuffix("_hinge") for name in JOINTS)

    @property
    def modes(self) -> tuple[str, ...]:
        """JOINT and RESOLVED."""
        return tuple(MODES)

    @property
    def mode_titles(self) -> Mapping[str, str]:
        """What people call them."""
        return MODE_TITLES

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Plots to choose from."""
        return excavator_charts(self.live.excavator)

    @property
    def axes(self) -> Mapping[str, Axes]:
        """What the sticks do in each of them."""
        return AXES

    def command(self, sticks: Sequence[float]) -> None:
        """Deflect the sticks; a recording that is shown does not care."""
        if self._replay is None:
            turned = JOINT_OF_STICK if self.live.mode == "JOINT" else SPEED_OF_STICK
            self.live.command(list(turned @ np.asarray(sticks, dtype=float)))

    def centre(self) -> None:
        """Let go of the sticks."""
        self.live.centre()

    def set_mode(self, mode: str) -> None:
        """Understand sticks in another way."""
        self.live.set_mode(mode)

    def start(self) -> None:
        """Let the clock run; back to the machine if a recording is shown."""
        self._replay = None
        self.live.start()

    def pause(self) -> None:
        """Stop the clock."""
        self.live.pause()

    def reset(self) -> None:
        """Go back to the begin."""
        self._replay = None
        self.live.reset()

    def record(self, on: bool) -> str | None:
        """Begin or end a recording."""
        return self.live.record(on)

    def recordings(self) -> list[str]:
        """Names of what can be replayed."""
        return self.live.recordings()

    def recording_title(self, name: str) -> str:
        """When it began."""
        return title_of(name)

    def replay(self, name: str | None) -> str | None:
        """Show a recording from its begin, with the machine paused; None goes back to it."""
        if name is None:
            self._replay = None
            return None
        self._replay = replay = ExcavatorReplay(self.live, name)
        self.live.pause()
        return replay.remark or None

    def play(self, on: bool) -> None:
        """Let the replay go on, or stand still."""
        if self._replay is not None:
            self._replay.play(on)

    def seek(self, time: float) -> None:
        """Show another time of the recording [s]."""
        if self._replay is not None:
            self._replay.seek(time)

    def set_replay_speed(self, speed: float) -> None:
        """Replay so many recorded seconds a second."""
        if self._replay is not None:
            self._replay.set_speed(speed)

    def past(self, span: float, samples: int) -> list[Telemetry]:
        """A replay's last seconds before the time shown, oldest first."""
        replay = self._replay
        if replay is None:
            return []
        end = replay.time
        begin = max(end - span, replay.place.begin)
        times = np.linspace(begin, end, samples) if end > begin else [end]
        return [self._shown(float(at), replay.signals(float(at)), replay) for at in times]

    def telemetry(self) -> Telemetry:
        """The latest state, of the machine or of the recording that is shown."""
        replay = self._replay
        if replay is not None:
            at = replay.time
            return self._shown(at, replay.signals(at), replay)
        instant = self.live.instant
        return self._shown(instant.time, self.live.row(instant), None)

    def _shown(
        self, at: float, signals: dict[str, Array], replay: ExcavatorReplay | None
    ) -> Telemetry:
        live, timing = self.live, self._recent_timing()
        m = self.mechanism
        angles = [m.q_slices[name].start for name in JOINTS]
        rates = [m.v_slices[name].start for name in JOINTS]
        q = np.ascontiguousarray(signals["q"])
        return Telemetry(
            time=at,
            running=not live.loop.paused,
            mode=live.mode,
            recording=live.recording,
            replaying=None if replay is None else replay.name,
            q=q,
            desired=signals["desired"],
            angles=q[angles],
            rates=signals["v"][rates],
            spool=signals["spool"] / live.excavator.control.spool.limit,
            pressures=self._pressures(signals),
            torque=self._torques(signals, rates),
            payload=float(signals["soil_load"][0]) if "soil_load" in signals else float("nan"),
            period=live.excavator.step,
            step_median=timing.step_median,
            step_p99=timing.step_p99,
            missed_share=timing.missed_share,
            late=timing.drift,
            fault=live.fault,
            replay=None if replay is None else replay.place,
        )

    def _pressures(self, signals: dict[str, Array]) -> dict[str, float]:
        """By label [MPa]; the source's actuators have two lines a joint, in psi."""
        if "pressure" in signals:
            values = (signals["pressure"] / 1e6).tolist()
            return dict(zip(self._labels, values, strict=True))
        joints = [label.removesuffix("_hinge") for label in self._labels]
        lines = {"in": signals["pressure_in"], "out": signals["pressure_out"]}
        return {
            f"{joint}.{line}": float(values[k]) * PSI
            for k, joint in enumerate(joints)
            for line, values in lines.items()
        }

    def _torques(self, signals: dict[str, Array], rates: list[int]) -> Any:
        """Of the actuators at the joints they turn.

        The bucket's cylinder pushes the tipping link, whose torque is shown for it.
        """
        tau = signals["tau"][rates].copy()
        link = self.mechanism.v_slices.get("tipping_hinge")
        if link is not None:
            tau[-1] = signals["tau"][link.start]
        return tau

    def _recent_timing(self) -> Any:
        now = time.monotonic()
        with self._lock:
            if now - self._timed > TIMING_PERIOD:
                self._timed, self._timing = now, self.live.timing()
            return self._timing
