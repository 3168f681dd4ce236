"""Cockpit of an excavator: stick mapping, instruments, replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.ground import Terrain
from phalanx.machines.excavator.control import JOINTS
from phalanx.machines.excavator.instruments import excavator_instruments
from phalanx.machines.excavator.live import LiveExcavator
from phalanx.machines.excavator.recordings import title_of
from phalanx.machines.excavator.replay import ExcavatorReplay
from phalanx.view.cockpit.machine import Telemetry
from phalanx.view.replay.playback import Playback

Array = NDArray[np.float64]

PSI = 6894.757e-6  # [MPa]
# left x, left y, right x, right y to swing, boom, stick, bucket, or arc, height, radius, bucket:
# pushing away lowers the boom and reaches out, as on every machine of the pattern of ISO 10968
JOINT_OF_STICK = np.array([[-1, 0, 0, 0], [0, 0, 0, -1], [0, 1, 0, 0], [0, 0, 1, 0]], float)
SPEED_OF_STICK = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]], float)


@final
class ExcavatorMachine:
    """A :class:`LiveExcavator` seen from its cockpit; see :class:`CockpitMachine`."""

    def __init__(self, live: LiveExcavator) -> None:
        """Take a machine that runs in a thread of its own."""
        self.live, self.loop, self.mechanism = live, live.loop, live.mechanism
        self.instruments = excavator_instruments(live.excavator)
        self.centre, self.set_mode = live.centre, live.set_mode
        self.record, self.recordings = live.record, live.recordings
        self.recording_title = title_of
        self._replay: ExcavatorReplay | None = None
        self._labels = live.excavator.actuation.quantities(live.mechanism)[0].labels

    @property
    def terrain(self) -> Terrain | None:
        """The ground as it is, or as it was in the recording that is shown; None without any."""
        replay = self._replay
        return self.live.terrain if replay is None else replay.terrain

    @property
    def playback(self) -> Playback | None:
        """Of the recording that is shown."""
        replay = self._replay
        return None if replay is None else replay.playback

    def command(self, sticks: Sequence[float]) -> None:
        """Deflect the sticks; a recording that is shown does not care."""
        if self._replay is None:
            turned = JOINT_OF_STICK if self.live.mode == "JOINT" else SPEED_OF_STICK
            self.live.command(list(turned @ np.asarray(sticks, dtype=float)))

    def reset(self) -> None:
        """Go back to the begin."""
        self._replay = None
        self.live.reset()

    def replay(self, name: str | None) -> str | None:
        """Show a recording from its begin, with the machine paused; None goes back to it."""
        if name is None:
            self._replay = None
            return None
        self._replay = replay = ExcavatorReplay(self.live, name)
        self.loop.pause()
        return replay.remark or None

    def past(self, span: float, samples: int) -> list[Telemetry]:
        """A replay's last seconds before the time shown, oldest first."""
        replay = self._replay
        if replay is None:
            return []
        end = replay.playback.time
        begin = max(end - span, replay.playback.begin)
        times = np.linspace(begin, end, samples) if end > begin else [end]
        return [self._shown(float(at), replay.signals(float(at)), replay) for at in times]

    def telemetry(self) -> Telemetry:
        """The latest state, of the machine or of the recording that is shown."""
        replay = self._replay
        if replay is not None:
            at = replay.playback.time
            return self._shown(at, replay.signals(at), replay)
        instant = self.live.instant
        return self._shown(instant.time, self.live.row(instant), None)

    def _shown(
        self, at: float, signals: dict[str, Array], replay: ExcavatorReplay | None
    ) -> Telemetry:
        live = self.live
        m = self.mechanism
        angles = [m.q_slices[name].start for name in JOINTS]
        rates = [m.v_slices[name].start for name in JOINTS]
        q = np.ascontiguousarray(signals["q"])
        return Telemetry(
            time=at,
            mode=live.mode,
            recording=live.run.is_recording,
            replaying=None if replay is None else replay.name,
            q=q,
            desired=signals["desired"],
            angles=q[angles],
            rates=signals["v"][rates],
            spool=signals["spool"] / live.excavator.control.spool.limit,
            pressures=self._pressures(signals),
            torque=self._torques(signals, rates),
            payload=float(signals["soil_load"][0]) if "soil_load" in signals else float("nan"),
            fault=live.fault,
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
