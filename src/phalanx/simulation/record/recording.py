"""Recording of a run: signals over time, and settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked, checked_but
from phalanx.base.errors import InvalidInput, UnknownName, WriteError
from phalanx.base.files import home_path
from phalanx.simulation.record.energy_balance import EnergyBalance, energy_balance
from phalanx.simulation.record.export import TIME, TIME_UNIT, export_csv, export_parquet
from phalanx.simulation.record.inline import inline_figure
from phalanx.simulation.record.mcap_read import read_mcap
from phalanx.simulation.record.mcap_write import McapFile
from phalanx.simulation.record.named_arrays import dataset, table
from phalanx.simulation.record.plot import Bundle, plot
from phalanx.simulation.record.settings import JSON, plain
from phalanx.simulation.record.signal import Array, Channel, Signal, check_channels, split

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # signals named in one line


@final
class Recording:
    """Signals over a common time; read-only.

    A run has samples at its start, after each ``every`` steps and at its end. As in a
    :class:`RolloutResult`, ``run["q"]`` has the values of any signal, ``run.q``, ``run.v`` and
    ``run.tau`` those of these three, and ``len(run)`` is the number of samples.

    Attributes:
        time: Not decreasing [s], shape (T,).
        signals: By name.
        settings: What the run was made with, as JSON.
    """

    __slots__ = ("settings", "signals", "time")

    time: Array
    signals: Mapping[str, Signal]
    settings: Mapping[str, JSON]

    @checked_but("settings")
    def __init__(
        self,
        time: ArrayLike,
        signals: Mapping[str, Signal] | Iterable[Signal],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Join signals, each with as many samples as there are times.

        Raises:
            InvalidInput: When lengths differ, time runs backwards, a name comes twice, or a
                setting is not JSON.
        """
        t = np.asarray(time, dtype=np.float64).view()
        if t.ndim != 1 or not np.isfinite(t).all() or (np.diff(t) < 0).any():
            raise InvalidInput("time must be one row of finite numbers that do not decrease.")
        t.flags.writeable = False
        given = list(signals.values() if isinstance(signals, Mapping) else signals)
        check_channels([signal.channel for signal in given])
        for signal in given:
            if len(signal.values) != len(t):
                raise InvalidInput(
                    f"signal '{signal.name}' has {len(signal.values)} samples and time {len(t)}; "
                    "expected equally many."
                )
        put = object.__setattr__
        put(self, "time", t)
        put(self, "signals", MappingProxyType({signal.name: signal for signal in given}))
        put(self, "settings", MappingProxyType(plain({} if settings is None else settings)))

    @classmethod
    def from_table(
        cls, channels: Iterable[Channel], table: Array, settings: Mapping[str, Any]
    ) -> Recording:
        """From rows of time and then the numbers of all channels, side by side."""
        return cls(table[:, 0], split(list(channels), table[:, 1:]), settings)

    @classmethod
    @checked
    def read(cls, path: str | PathLike[str], *, salvage: bool = False) -> Recording:
        """The recording in an MCAP file.

        Args:
            path: The file.
            salvage: Take what is sound of a damaged file and warn of what is lost.

        Warns:
            RecordingWarning: When the run that wrote it was cut off; what it had flushed is here.
                When parts are lost, which. When a file has no checksums over names and settings.

        Raises:
            ReadError: When the file is damaged (with the parts that are), or is not a recording.
        """
        return cls.from_table(*read_mcap(home_path(path), salvage=salvage))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Recordings do not change."""
        raise AttributeError(f"a Recording is read-only; '{name}' cannot be set.")

    def __getitem__(self, name: str) -> Array:
        """Values of a signal, shape (T, labels) or (T,)."""
        return self.signal(name).values

    @property
    def q(self) -> Array:
        """Positions, shape (T, nq)."""
        return self["q"]

    @property
    def v(self) -> Array:
        """Velocities, shape (T, nv)."""
        return self["v"]

    @property
    def tau(self) -> Array:
        """Joint forces at each sample, shape (T, nv)."""
        return self["tau"]

    def __contains__(self, name: object) -> bool:
        """Whether there is a signal of that name."""
        return name in self.signals

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        parts = [
            s.name
            + (f" ({len(s.labels)})" if s.labels else "")
            + (f" [{s.unit}]" if s.unit else "")
            for s in self.signals.values()
        ]
        more = f", and {len(parts) - SHOWN} more" if len(parts) > SHOWN else ""
        listed = ", ".join(parts[:SHOWN]) + more
        return f"<Recording: {self.duration:g} s, {len(self)} samples: {listed}>"

    def _repr_html_(self) -> str | None:
        """For notebooks: what there is, and its plots."""
        if not len(self) or not self.signals:
            return None
        picture = inline_figure(self.plot(), f"signals over {self.duration:g} s")
        return f"<p><code>{escape(repr(self))}</code></p>{picture}"

    def __eq__(self, other: object) -> bool:
        """Whether times, signals and settings are the same, to the last digit; NaN is NaN."""
        if self is other or not isinstance(other, Recording):
            return self is other
        return (
            np.array_equal(self.time, other.time)
            and tuple(self.signals.values()) == tuple(other.signals.values())
            and dict(self.settings) == dict(other.settings)
        )

    def __hash__(self) -> int:
        return hash((self.channels, len(self), self.duration))

    def __reduce__(self) -> tuple[Any, ...]:
        """What it is made of."""
        return Recording, (self.time, list(self.signals.values()), dict(self.settings))

    def __copy__(self) -> Recording:
        """Itself: it does not change."""
        return self

    def __deepcopy__(self, memo: Any) -> Recording:
        """Itself: it does not change."""
        return self

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0]) if len(self) else 0.0

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What is recorded, without the numbers."""
        return tuple(signal.channel for signal in self.signals.values())

    @property
    def table(self) -> Array:
        """A new array of all numbers, time first, shape (T, 1 + columns)."""
        return np.column_stack([self.time, *(signal.table for signal in self.signals.values())])

    @checked
    def signal(self, name: str) -> Signal:
        """A signal with its unit and labels.

        Raises:
            UnknownName: When there is none of that name.
        """
        if name not in self.signals:
            raise UnknownName("the recording", "signal", name, self.signals)
        return self.signals[name]

    def between(self, start: float, stop: float) -> Recording:
        """The samples with start <= time <= stop, without a copy."""
        first, last = np.searchsorted(self.time, start), np.searchsorted(self.time, stop, "right")
        return self._samples(slice(int(first), max(int(first), int(last))))

    def every(self, k: int) -> Recording:
        """The first sample and each k-th after it, without a copy.

        Raises:
            InvalidInput: When k is less than one.
        """
        if k < 1:
            raise InvalidInput(f"every({k}): expected a whole number of at least 1.")
        return self._samples(slice(None, None, k))

    def _samples(self, wanted: slice) -> Recording:
        signals = [s.channel.signal(s.values[wanted]) for s in self.signals.values()]
        return Recording(self.time[wanted], signals, self.settings)

    @checked
    def write(self, path: str | PathLike[str]) -> Path:
        """Write an MCAP file; returns its path.

        Raises:
            InvalidInput: When the suffix is not ``.mcap``.
            WriteError: When there is no room for all of it; what is written can be read.
        """
        path = Path(path)
        file = McapFile(path, self.channels, self.settings)
        try:
            file.write_rows(self.table)
            file.close()
        except OSError as error:
            raise WriteError(
                f"{path} holds {file.rows} of {len(self)} samples: {error.strerror or error}.", self
            ) from None
        finally:
            file.release()
        return path

    def energy_balance(self) -> EnergyBalance:
        """Where the energy of a run came from, where it is and where it went, by name [J].

        >>> print(px.simulate(arm, q0, duration=2.0).energy_balance())

        Raises:
            InvalidInput: When it is no recording of a single run, or has no samples.
        """
        return energy_balance(self)

    def plot(
        self,
        signals: str | Sequence[str] | None = None,
        joints: str | Sequence[str] | None = None,
    ) -> Figure:
        """Signals over time as a Matplotlib figure, a row a signal.

        >>> run.plot()
        >>> run.plot("q", joints=["shoulder", "elbow"]).savefig("q.svg")

        Args:
            signals: Which; positions, velocities and joint forces when not given.
            joints: Names of joints, or of other labels; all when not given. Of more than 64
                lines, 8 are drawn.

        Raises:
            UnknownName: When there is no such signal or joint.
            InvalidInput: When there is nothing to draw.
        """
        bundles = {n: Bundle(s.channel, s.table[None]) for n, s in self.signals.items()}
        model = str(self.settings.get("model") or "")
        return plot(self.time, bundles, "the recording", signals, joints, model)

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset``: dimensions ``time`` and ``joint``, units in ``attrs``.

        Signals with other labels than positions have a dimension of their own.

        Raises:
            MissingExtra: When xarray is not installed.
        """
        variables = {n: (s.channel, (TIME,), s.values) for n, s in self.signals.items()}
        return dataset(variables, {TIME: ((TIME,), self.time, TIME_UNIT)}, self.settings)

    def to_pandas(self) -> Any:
        """As a ``pandas.DataFrame``: a row a sample, a column ``q.elbow`` a number, units in attrs.

        Raises:
            MissingExtra: When pandas is not installed.
        """
        columns, units = {}, {TIME: TIME_UNIT}
        for signal in self.signals.values():
            named = zip(signal.channel.columns, signal.channel.column_units, strict=True)
            for k, (name, unit) in enumerate(named):
                columns[name], units[name] = signal.table[:, k], unit
        return table(columns, units, {TIME: self.time}, self.settings)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write a CSV table, a line a sample; returns its path."""
        export_csv(self, Path(path))
        return Path(path)

    def to_parquet(self, path: str | PathLike[str]) -> Path:
        """Write a Parquet table, a column a number, settings in its metadata; returns its path.

        Raises:
            MissingExtra: When pyarrow is not installed.
        """
        export_parquet(self, Path(path))
        return Path(path)
