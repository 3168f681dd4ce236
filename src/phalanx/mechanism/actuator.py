"""Actuators of a model file, as data: transmission to joints, gain, bias and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.base.short_repr import short_repr
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.pose import Array, frozen_array

ENDLESS = (-np.inf, np.inf)


def _endless() -> Array:
    return np.array(ENDLESS)


@short_repr
@dataclass(frozen=True, eq=False)
class Actuator(Frozen):
    """A drive without a state of its own: a command makes a force along a sum of joints.

    With the length l = Σ gears · q of its joints, and the command u kept within ``control_range``,
    its force is

        f = (g₀ + g₁ l + g₂ dl/dt) u + b₀ + b₁ l + b₂ dl/dt,

    kept within ``force_range``, and every joint feels its gear times f. Actuators act in a run with
    ``actuation=px.ModelActuators()``.

    Attributes:
        name: Of the actuator and of its command.
        joints: Joints with one degree of freedom.
        gears: One a joint.
        gain: g₀, g₁, g₂.
        bias: b₀, b₁, b₂.
        control_range: Least and greatest command.
        force_range: Least and greatest force [N or N·m].
    """

    name: str
    joints: Sequence[str]
    gears: Array
    gain: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    bias: Array = field(default_factory=lambda: np.zeros(3))
    control_range: Array = field(default_factory=_endless)
    force_range: Array = field(default_factory=_endless)

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)
        who = f"actuator '{self.name}'"
        object.__setattr__(self, "joints", tuple(self.joints))
        if not self.joints or len(set(self.joints)) != len(self.joints):
            raise InvalidModel(
                f"{who} acts on the joints {list(self.joints)}; expected one or more, each once."
            )
        sizes = {"gears": len(self.joints), "gain": 3, "bias": 3}
        for name, size in sizes.items():
            held = frozen_array(getattr(self, name), (size,), f"the {name} of {who}")
            object.__setattr__(self, name, held)
        for name in ("control_range", "force_range"):
            words = f"the {name.replace('_', ' ')} of {who}"
            object.__setattr__(self, name, _range(getattr(self, name), words))

    @classmethod
    def motor(cls, name: str, joint: str, gear: float = 1.0) -> Actuator:
        """A motor whose command is its force, before the gear."""
        return cls(name, (joint,), np.array([gear]))

    @classmethod
    def position(cls, name: str, joint: str, kp: float, kv: float = 0.0) -> Actuator:
        """A servo towards a position, kp (u - q) - kv dq/dt."""
        gain, bias = np.array([kp, 0.0, 0.0]), np.array([0.0, -kp, -kv])
        return cls(name, (joint,), np.ones(1), gain, bias)

    @classmethod
    def velocity(cls, name: str, joint: str, kv: float) -> Actuator:
        """A servo towards a velocity, kv (u - dq/dt)."""
        return cls(name, (joint,), np.ones(1), np.array([kv, 0, 0]), np.array([0.0, 0.0, -kv]))

    def without(self, joint: str, position: float) -> Actuator | None:
        """The same with one of its joints held at a position; None where it has no other."""
        if joint not in self.joints:
            return self
        k = self.joints.index(joint)
        if len(self.joints) == 1:
            return None
        held = self.gears[k] * position * np.array([1.0, 0.0, 0.0])  # part of its length
        return replace(
            self,
            joints=[name for name in self.joints if name != joint],
            gears=np.delete(self.gears, k),
            gain=self.gain + self.gain[1] * held,
            bias=self.bias + self.bias[1] * held,
        )


def _range(given: ArrayLike, words: str) -> Array:
    """Two ends, which may be infinite, read-only."""
    ends = np.array(given, dtype=np.float64)
    if ends.shape != (2,) or np.isnan(ends).any() or not ends[0] <= ends[1]:
        raise InvalidModel(f"{words} is {ends.tolist()}; expected its least and greatest number.")
    ends.flags.writeable = False
    return ends
