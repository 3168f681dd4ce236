"""Reductions of signals over time: the end, a statistic, or the whole signal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.errors import UnknownName
from phalanx.distribute.sweeps.chunk import Array, Axis, Variable
from phalanx.simulation.record.named_arrays import dimensions
from phalanx.simulation.record.signal import Channel

Reduce = Callable[[Array], Array]

# over time, which is the second axis of an array of cases
STATISTICS: dict[str, Reduce] = {
    "min": lambda x: x.min(axis=1),
    "max": lambda x: x.max(axis=1),
    "mean": lambda x: x.mean(axis=1),
    "rms": lambda x: np.asarray(np.sqrt((x * x).mean(axis=1))),
    "peak": lambda x: np.abs(x).max(axis=1),
}
WORDS = {
    "min": "least",
    "max": "largest",
    "mean": "mean",
    "rms": "root mean square",
    "peak": "largest magnitude",
}


@final
@dataclass(frozen=True)
class Signals:
    """Signals of a run, by name.

    Attributes:
        owner: What has them, for messages.
        channels: Names, units and labels.
        samples: Times at which they are recorded.
        dtype: Of their numbers.
    """

    owner: str
    channels: Mapping[str, Channel]
    samples: int
    dtype: np.dtype[Any]

    def known(self) -> list[str]:
        """All that can be kept of them."""
        whole = list(self.channels)
        return [*(f"{k}_end" for k in whole), *whole, *(f"{k}.{s}" for k in whole for s in WORDS)]

    def signal(self, name: str) -> tuple[str, str]:
        """The signal that something kept is about, and what of it: "", "end" or a statistic.

        Raises:
            UnknownName: When there is no such thing.
        """
        if name in self.channels:
            return name, ""
        base, _, statistic = name.rpartition(".")
        if base in self.channels and statistic in STATISTICS:
            return base, statistic
        if name.endswith("_end") and name.removesuffix("_end") in self.channels:
            return name.removesuffix("_end"), "end"
        raise UnknownName(self.owner, "result", name, self.known())

    def variable(self, name: str) -> Variable:
        """What a kept thing is."""
        base, what = self.signal(name)
        channel = self.channels[base]
        dims, shape = self._labels(base)
        about = {"": f"{base} over time", "end": f"{base} at the end"}.get(
            what, f"{WORDS.get(what)} of {base} over time"
        )
        if not what:
            dims, shape = ("time", *dims), (self.samples, *shape)
        return Variable(dims, shape, self.dtype, channel.unit, about)

    def axes(self, keep: Sequence[str], time: Array) -> dict[str, Axis]:
        """Labels of the signals that are kept, and the recorded times [s]."""
        found: dict[str, Axis] = {}
        for name in keep:
            base, what = self.signal(name)
            dims, _ = self._labels(base)
            found |= {dim: Axis(self.channels[base].labels) for dim in dims}
            if not what:
                found["time"] = Axis(time.tolist(), "s")
        return found

    def _labels(self, base: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Signals with equal labels share a dimension: that of the first of them."""
        labels = self.channels[base].labels
        return dimensions(self.channels)[base], (len(labels),) if labels else ()
