"""Summary figures of a recorded excavator: sag, lag, reach, load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.machines.excavator.arm import ExcavatorArm
from phalanx.machines.excavator.control import JOINTS
from phalanx.mechanism import Mechanism, library
from phalanx.simulation.record.recording import Recording

Array = NDArray[np.float64]

MACHINES = {"cat215b": library.cat215b, "cat215b_cylinders": library.cat215b_cylinders}
NAMES = ("cab", "boom", "stick", "bucket")


def is_excavator(recording: Recording) -> bool:
    """Whether a recording is of an excavator of the library, with its control."""
    return (
        recording.settings.get("model") in MACHINES
        and {"q", "desired", "voltage", "spool"} <= set(recording.signals)
        and set(JOINTS) <= set(recording.signal("q").labels)
        and len(recording) > 0
    )


@short_repr
@final
@dataclass(frozen=True)
class ExcavatorSummary:
    """Summary of a recorded excavator: actual against commanded motion.

    Wanted are the angles that control aims at: the sum of the operator's commands. Positions are
    those of the stick's end.

    Attributes:
        recording: With ``q``, ``desired`` and what else control keeps.
    """

    recording: Recording

    def __post_init__(self) -> None:
        """Check that it is one."""
        if not is_excavator(self.recording):
            raise InvalidInput(
                f"{self.recording!r} is not of an excavator; expected model cat215b or "
                "cat215b_cylinders with the signals of a SpoolControl."
            )

    @cached_property
    def mechanism(self) -> Mechanism:
        """The machine, with a body for a load where it digs."""
        make = MACHINES[str(self.recording.settings["model"])]
        return make(payload="soil_load" in self.recording)

    @cached_property
    def angles(self) -> Array:
        """Of swing, boom, stick and bucket [rad], shape (T, 4)."""
        q = self.recording.signal("q")
        return np.stack([q.column(name) for name in JOINTS], axis=1)

    @property
    def desired(self) -> Array:
        """The wanted angles [rad], shape (T, 4)."""
        return self.recording["desired"]

    @property
    def error(self) -> Array:
        """Wanted less actual angles [rad], shape (T, 4)."""
        return self.desired - self.angles

    @cached_property
    def tip(self) -> Array:
        """Radius and height of the stick's end [m], shape (T, 2)."""
        return _tips(ExcavatorArm.of(self.mechanism), self.angles)

    @cached_property
    def wanted_tip(self) -> Array:
        """The same at the wanted angles."""
        return _tips(ExcavatorArm.of(self.mechanism), self.desired)

    @cached_property
    def motion(self) -> tuple[int, int] | None:
        """First and last sample at which wanted angles are new; None when they never are."""
        changed = np.flatnonzero(np.any(np.diff(self.desired, axis=0), axis=1)) + 1
        return (int(changed[0]), int(changed[-1])) if len(changed) else None

    def described(self) -> dict[str, str]:
        """Return the figures as text with units, by name."""
        time, end = self.recording.time, self.recording.time[-1]
        begin = self.motion[0] if self.motion else len(time) - 1
        held = self.error[: max(1, begin)]
        worst = held[np.abs(held).argmax(axis=0), range(4)]
        height = 100 * (self.tip - self.wanted_tip)[:, 1]
        low, high = int(height.argmin()), int(height.argmax())
        figures = {
            f"sag until {time[begin]:g} s (desired - actual)": _each(np.degrees(worst), "deg"),
            f"lag at {end:g} s (desired - actual)": _each(np.degrees(self.error[-1]), "deg"),
            "radius of the stick's end": (
                f"{self.tip[0, 0]:.2f} m at the start, {self.tip[-1, 0]:.2f} m at the end "
                f"(desired {self.wanted_tip[-1, 0]:.2f} m)"
            ),
            "height of the stick's end (actual - desired)": (
                f"{height[low]:+.1f} cm at {time[low]:g} s, {height[high]:+.1f} cm at "
                f"{time[high]:g} s, {height[-1]:+.1f} cm at the end"
            ),
            "largest spool opening": _each(
                np.abs(self.recording["spool"]).max(axis=0), self.recording.signal("spool").unit
            ),
        }
        if "soil_load" in self.recording:
            load = self.recording["soil_load"][:, 0]
            full = int(load.argmax())
            figures["soil in the bucket"] = (
                f"{load[full]:.0f} kg at most, at {time[full]:g} s; {load[-1]:.0f} kg at the end"
            )
        return figures


def _tips(arm: ExcavatorArm, angles: Array) -> Array:
    return np.stack([np.asarray(part, float).ravel() for part in arm.tip(angles.T)], axis=1)


def _each(values: Array, unit: str) -> str:
    text = ", ".join(f"{name} {value:.3g}" for name, value in zip(NAMES, values, strict=True))
    return f"{text} {unit}".strip()
