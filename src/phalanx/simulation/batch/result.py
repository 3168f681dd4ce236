"""Result of a batch of runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.facts import Facts, TextTable
from phalanx.mechanism import Mechanism
from phalanx.simulation.record.export import TIME, TIME_UNIT
from phalanx.simulation.record.inline import inline_figure
from phalanx.simulation.record.named_arrays import dataset, table
from phalanx.simulation.record.plot import Bundle, plot
from phalanx.simulation.record.signal import Channel
from phalanx.simulation.run.divergence import Cause, Divergence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class RolloutResult:
    """Result of a batch of runs.

    Samples are after each ``every`` steps: the start was given, and the end is ``final_q`` and
    ``final_v``. As in a :class:`Recording`, ``runs["q"]`` has the values of any signal, and
    ``len(runs)`` is the number of samples of a run.

    Attributes:
        time: Of the recorded states [s], shape (T,).
        q: Recorded positions, shape (..., T, nq); None if not asked for.
        v: Recorded velocities, shape (..., T, nv).
        tau: Joint forces applied in the step before each record, shape (..., T, nv).
        final_q: Positions after the last step, shape (..., nq).
        final_v: Velocities after the last step, shape (..., nv).
        cost: The objective of each run, shape (...); None without one.
        states: Recorded states of subsystems by name, shape (..., T, n).
        final_states: The same after the last step, shape (..., n); where the next call may begin.
        divergence: Runs that ended early, in which step and why. Numbers of such a run from that
            step on mean nothing; they are NaN or infinite where its state is.
        channels: What is recorded: names, units and joints.
        model: The machine's name.
    """

    time: Array
    q: Array | None
    v: Array | None
    tau: Array | None
    final_q: Array
    final_v: Array
    cost: Array | None
    states: Mapping[str, Array] = field(default_factory=dict)
    final_states: Mapping[str, Array] = field(default_factory=dict)
    divergence: Divergence = field(default_factory=Divergence.none)
    channels: Sequence[Channel] = ()
    model: str = ""

    def __getitem__(self, name: str) -> Array:
        """Values of a signal, shape (..., T, n).

        Raises:
            UnknownName: When none of that name was recorded.
        """
        if name not in self.signals:
            raise UnknownName("the rollout", "signal", name, self.signals)
        return self.signals[name]

    def __contains__(self, name: object) -> bool:
        """Whether a signal of that name was recorded."""
        return name in self.signals

    def __len__(self) -> int:
        """Number of samples of a run."""
        return int(self.time.shape[-1])

    def __bool__(self) -> bool:
        """A result, also where nothing of the way was recorded."""
        return True

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Whether each run ended early, shape (...)."""
        return self.divergence.runs

    @property
    def singular(self) -> NDArray[np.bool_]:
        """Which of them did at a singular posture that leaves their motion open, shape (...)."""
        return np.asarray(self.divergence.cause == Cause.SINGULAR_POSTURE)

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Which runs ended with finite numbers, shape (...)."""
        return np.asarray(np.isfinite(self.final_q).all(-1) & np.isfinite(self.final_v).all(-1))

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch: () for one run."""
        return self.final_q.shape[:-1]

    @property
    def signals(self) -> dict[str, Array]:
        """What was recorded of the way, by name; each of shape (..., T, n)."""
        found = {"q": self.q, "v": self.v, "tau": self.tau} | dict(self.states)
        return {name: values for name, values in found.items() if values is not None}

    def plot(
        self,
        signals: str | Sequence[str] | None = None,
        joints: str | Sequence[str] | None = None,
        runs: int | Sequence[int] | None = None,
    ) -> Figure:
        """Signals over time as a Matplotlib figure, a row a signal.

        Up to ten runs are a line each; of more, the median is drawn, with a band that holds nine
        tenths of them.

        Args:
            signals: Which; positions, velocities and joint forces when not given.
            joints: Names of joints, or of other labels; all when not given.
            runs: Numbers of runs, counted through the whole batch; all when not given.

        Raises:
            UnknownName: When there is no such signal or joint.
            InvalidInput: When nothing was recorded, or there is no such run.
        """
        count = self._count
        chosen = np.atleast_1d(np.arange(count) if runs is None else np.asarray(runs))
        if chosen.dtype.kind not in "iu" or not ((chosen >= 0) & (chosen < count)).all():
            raise InvalidInput(f"runs={runs}; expected numbers of runs, 0 to {count - 1}.")
        bundles = {
            name: Bundle(self._channel(name), x.reshape(count, *x.shape[-2:])[chosen])
            for name, x in self.signals.items()
            if x.shape[-2]
        }
        return plot(self._moments[0], bundles, "the rollout", signals, joints, self.model)

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset``: dimensions ``run``, ``time``, ``joint``; units in ``attrs``.

        A batch with several axes has ``run_0``, ``run_1``, …. Final states are ``final_q`` and
        ``final_v``, beside ``cost`` and ``diverged``. Where runs begin at different times,
        ``time`` is since the first record of each, which is its ``begin``.

        Raises:
            MissingExtra: When xarray is not installed.
        """
        moments, begin = self._moments
        variables: dict[str, Any] = {
            name: (self._channel(name), (*self._dims, TIME), x) for name, x in self.signals.items()
        }
        variables |= {
            name: (channel, self._dims, x) for name, (channel, x) in self._of_runs.items()
        }
        coordinates: dict[str, Any] = {TIME: ((TIME,), moments, TIME_UNIT)}
        if begin is not None:
            coordinates["begin"] = (self._dims, begin, TIME_UNIT)
        return dataset(variables, coordinates, {"model": self.model} if self.model else {})

    def to_pandas(self) -> Any:
        """As a ``pandas.DataFrame``: a row a run and moment, a column ``q.elbow`` a number.

        Without records there is a row a run, with its final state, cost and whether it diverged.

        Raises:
            MissingExtra: When pandas is not installed.
        """
        settings = {"model": self.model} if self.model else {}
        numbers = np.unravel_index(np.arange(self._count), self.batch) if self.batch else ()
        of_runs = dict(zip(self._dims, numbers, strict=True))
        if not self.signals:
            held = {n: (c, x.reshape(-1, c.width)) for n, (c, x) in self._of_runs.items()}
            return table(*_flat(held), of_runs or {"run": np.zeros(1, dtype=int)}, settings)
        times = np.broadcast_to(self.time, (*self.batch, self.time.shape[-1]))
        index = {name: np.repeat(k, times.shape[-1]) for name, k in of_runs.items()}
        signals = {
            name: (self._channel(name), x.reshape(-1, x.shape[-1]))
            for name, x in self.signals.items()
        }
        return table(*_flat(signals), index | {TIME: times.ravel()}, settings)

    def facts(self, mechanism: Mechanism) -> Facts:
        """Where the runs ended: mean and spread of each position, of those that are finite."""
        final = self.final_q[self.finite]
        rows = []
        for joint in mechanism.moving_joints if len(final) else ():
            part = final[:, mechanism.q_slices[joint.name]]
            for k, column in enumerate(part.T):
                label = joint.name if part.shape[1] == 1 else f"{joint.name}[{k}]"
                numbers = (column.mean(), column.std(), column.min(), column.max())
                rows.append([label, *(f" {x:.4g}" for x in numbers)])
        heads = ["mean", "std", "min", "max"]
        return Facts([TextTable("final positions", ["joint"], heads, rows)] if rows else [])

    def __eq__(self, other: object) -> bool:
        """Whether all numbers and names are the same; NaN is NaN."""
        if self is other or not isinstance(other, RolloutResult):
            return self is other
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]  # its arrays can be written to

    def __repr__(self) -> str:
        runs = f"{self._count:,} run{'s' if self._count != 1 else ''}"
        parts = [f"{name} ({x.shape[-1]})" for name, x in self.signals.items()] or ["the end alone"]
        cost = ", cost" if self.cost is not None else ""
        early = int(self.diverged.sum())
        return (
            f"<RolloutResult{f' of {self.model!r}' if self.model else ''}: {runs}, "
            f"{self.time.shape[-1]:,} moments: {', '.join(parts)}{cost}; {early:,} diverged>"
        )

    def _repr_html_(self) -> str | None:
        """For notebooks: what there is, and its plots."""
        if not any(x.size for x in self.signals.values()):
            return None
        return f"<p><code>{escape(repr(self))}</code></p>{inline_figure(self.plot(), 'runs')}"

    @property
    def _count(self) -> int:
        return math.prod(self.batch)

    @property
    def _dims(self) -> tuple[str, ...]:
        axes = len(self.batch)
        return ("run",) if axes == 1 else tuple(f"run_{k}" for k in range(axes))

    @property
    def _moments(self) -> tuple[Array, Array | None]:
        """Times (T,) for all runs; where these differ, since the first record, and when that is."""
        if self.time.ndim == 1 or not self.time.size:
            return self.time.ravel()[: self.time.shape[-1]], None
        row = self.time.reshape(-1, self.time.shape[-1])[0]
        return row - row[0], np.broadcast_to(self.time[..., 0], self.batch)

    @property
    def _of_runs(self) -> dict[str, tuple[Channel, Array]]:
        """What there is one of a run: the end, the objective, whether it ended early."""
        held: dict[str, tuple[Channel, Any]] = {}
        for name, x in (("q", self.final_q), ("v", self.final_v), *self.final_states.items()):
            own = self._channel(name, x.shape[-1])
            held[f"final_{name}"] = (replace(own, name=f"final_{name}"), x)
        if self.cost is not None:
            held["cost"] = (Channel("cost"), self.cost)
        held["diverged"] = (Channel("diverged"), np.broadcast_to(self.diverged, self.batch))
        return held

    def _channel(self, name: str, width: int | None = None) -> Channel:
        found = next((channel for channel in self.channels if channel.name == name), None)
        if found is not None:
            return found
        width = self.signals[name].shape[-1] if width is None else width
        return Channel(name, "", tuple(map(str, range(width))))


def _flat(
    held: Mapping[str, tuple[Channel, Array]],
) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns (rows,) and their units, of numbers (rows, width)."""
    columns, units = {}, {}
    for channel, numbers in held.values():
        for k, name in enumerate(channel.columns):
            columns[name], units[name] = numbers[:, k], channel.unit
    return columns, units


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if type(a) is not type(b):
            return False
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(_same(a[name], b[name]) for name in a)
    if isinstance(a, Divergence) and isinstance(b, Divergence):
        return _same(a.step, b.step) and _same(a.cause, b.cause)
    return bool(a == b)
