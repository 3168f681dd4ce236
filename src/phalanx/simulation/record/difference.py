"""Comparison of two recordings: signal by signal, at common times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.facts import Facts, Part, Styled, TextTable, finite
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.settings import JSON
from phalanx.simulation.record.signal import Array, Signal

SHOWN = 60  # characters of a setting
# of the time; spans that agree to this are the same
ROUNDING = 1e-9


@dataclass(frozen=True)
class SignalDifference:
    """One signal of two recordings.

    Attributes:
        name: Of the signal.
        unit: Of the signal, in the first recording.
        largest: Largest absolute difference; infinite where one has a NaN and the other has not.
        time: Where it is [s].
        column: In which column, such as ``q.elbow``.
        rms: Root of the mean square difference, over samples and columns.
        relative: The largest difference over the first recording's largest value.
    """

    name: str
    unit: str
    largest: float
    time: float
    column: str
    rms: float
    relative: float

    def values(self, tolerance: float) -> dict[str, Any]:
        """For programs."""
        return {
            "unit": self.unit,
            "within": self.largest <= tolerance,
            "time": self.time,
            "column": self.column,
            **{name: finite(getattr(self, name)) for name in ("largest", "rms", "relative")},
        }


@dataclass(frozen=True)
class Difference:
    """Two recordings beside each other.

    Attributes:
        signals: What both have, at the times both have.
        only_a: Columns that only the first has.
        only_b: Columns that only the second has.
        settings: Settings that differ, with both values; absent is ``None``.
        notes: How times were matched, and what was left out.
        same_span: Whether both begin and end at the same time.
    """

    signals: tuple[SignalDifference, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    settings: dict[str, tuple[JSON, JSON]]
    notes: tuple[str, ...]
    same_span: bool

    def within(self, tolerance: float) -> bool:
        """Whether both have the same signals over the same time, up to absolute differences.

        Settings do not count: a run on another machine may well have the same numbers.
        """
        same_columns = not self.only_a and not self.only_b
        return self.same_span and same_columns and all(s.largest <= tolerance for s in self.signals)

    def facts(self, tolerance: float) -> Facts:
        """Return differences of signals and settings, and the verdict; null for an infinity."""
        same = self.within(tolerance)
        parts: list[Part] = [self._signals(tolerance)] if self.signals else []
        for owner, columns in (("A", self.only_a), ("B", self.only_b)):
            if columns:
                parts.append(Styled(f"only in {owner}: {', '.join(columns)}", "red"))
        if self.settings:
            parts += ["", self._settings()]
        parts += [Styled(f"note: {note}", "yellow") for note in self.notes]
        verdict = Styled("equal", "green") if same else Styled("different", "bold red")
        return Facts(
            [*parts, (verdict, f" within {tolerance:g}")],
            {
                "equal": same,
                "tolerance": tolerance,
                "same_span": self.same_span,
                "signals": {s.name: s.values(tolerance) for s in self.signals},
                "only_in_a": self.only_a,
                "only_in_b": self.only_b,
                "settings": {name: {"a": x, "b": y} for name, (x, y) in self.settings.items()},
                "notes": self.notes,
            },
        )

    def _signals(self, tolerance: float) -> TextTable:
        """One row a signal."""
        rows = []
        for s in self.signals:
            name = f"{s.name} [{s.unit}]" if s.unit else s.name
            numbers = (f"{s.largest:.3g}", f"{s.time:g}", s.column, f"{s.rms:.3g}")
            style = "" if s.largest <= tolerance else "red"
            rows.append([Styled(text, style) for text in (name, *numbers, f"{s.relative:.2g}")])
        heads = ["largest", "at [s]", "in", "rms", "relative"]
        return TextTable("differences", ["signal"], heads, rows)

    def _settings(self) -> TextTable:
        """Settings that differ; on a narrow terminal values go on in the next line."""
        rows = [[name, *map(_short, pair)] for name, pair in self.settings.items()]
        return TextTable("settings that differ", ["setting"], [], rows, wrapped=["A", "B"])


def difference(a: Recording, b: Recording, signals: Sequence[str] | None = None) -> Difference:
    """Compare two recordings.

    Where their times differ, the second is interpolated linearly at the first's times, over the
    time that both cover.

    Args:
        a: The reference.
        b: The other.
        signals: Names to compare; all when not given.

    Raises:
        UnknownName: When a named signal is in neither.
        InvalidInput: When the recordings have no time in common.
    """
    known = list(dict.fromkeys([*a.signals, *b.signals]))
    for name in signals or ():
        if name not in known:
            raise UnknownName("this pair of recordings", "signal", name, known)
    wanted = known if signals is None else list(dict.fromkeys(signals))
    columns_a = {c: name for name in wanted if name in a for c in a.signal(name).channel.columns}
    columns_b = {c: name for name in wanted if name in b for c in b.signal(name).channel.columns}
    common = _Common(a, b)
    compared = []
    for name in wanted:
        columns = [c for c, owner in columns_a.items() if owner == name and c in columns_b]
        if columns:
            compared.append(_compare(name, columns, common))
    return Difference(
        signals=tuple(compared),
        only_a=tuple(c for c in columns_a if c not in columns_b),
        only_b=tuple(c for c in columns_b if c not in columns_a),
        settings=dict(_settings(a, b)),
        notes=tuple(common.notes),
        same_span=common.same_span,
    )


class _Common:
    """The times at which both recordings are compared, and their values there."""

    def __init__(self, a: Recording, b: Recording) -> None:
        self.notes: list[str] = []
        self._whole_b = b
        self._b = b
        if not len(a) or not len(b):
            if len(a) or len(b):
                raise InvalidInput("one of the recordings has no samples.")
            self.a, self.same_span, self._interpolated = a, True, False
            return
        start, stop = max(a.time[0], b.time[0]), min(a.time[-1], b.time[-1])
        slack = ROUNDING * max(1.0, abs(a.time[0]), abs(a.time[-1]))
        self.same_span = bool(
            abs(a.time[0] - b.time[0]) <= slack and abs(a.time[-1] - b.time[-1]) <= slack
        )
        self.a, self._b = (
            a.between(start - slack, stop + slack),
            b.between(start - slack, stop + slack),
        )
        if not len(self.a) or not len(self._b):
            raise InvalidInput(f"the recordings have no time in common: {_span(a)} and {_span(b)}.")
        if not self.same_span:
            self.notes.append(
                f"compared from {start:g} to {stop:g} s: A covers {_span(a)}, B {_span(b)}"
            )
        self._interpolated = not (
            len(self.a) == len(self._b) and np.allclose(self.a.time, self._b.time, 0.0, slack)
        )
        if self._interpolated:
            self.notes.append(
                f"times differ: B ({len(self._b)} samples) was interpolated linearly at A's "
                f"({len(self.a)})"
            )

    def values(self, name: str, columns: list[str]) -> tuple[Array, Array]:
        """Both values at the times of the first, shape (T, columns)."""
        x = _table(self.a.signal(name), columns)
        if not self._interpolated:
            return x, _table(self._b.signal(name), columns)
        whole = _table(self._whole_b.signal(name), columns)
        time = self._whole_b.time
        y = [np.interp(self.a.time, time, whole[:, k]) for k in range(len(columns))]
        return x, np.stack(y, axis=1)


def _table(signal: Signal, columns: list[str]) -> Array:
    return signal.table[:, [signal.channel.columns.index(column) for column in columns]]


def _compare(name: str, columns: list[str], common: _Common) -> SignalDifference:
    x, y = common.values(name, columns)
    unit = common.a.signal(name).unit
    if not len(x):
        return SignalDifference(name, unit, 0.0, 0.0, columns[0], 0.0, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(x - y)
        # the same infinity, or no number in both, is no difference; no number in one is
        gap[(x == y) | (np.isnan(x) & np.isnan(y))] = 0.0
        gap[np.isnan(gap)] = np.inf
        row, column = np.unravel_index(int(gap.argmax()), gap.shape)
        largest = float(gap[row, column])
        finite = np.abs(x[np.isfinite(x)])
        scale = float(finite.max()) if finite.size else 0.0
        return SignalDifference(
            name=name,
            unit=unit,
            largest=largest,
            time=float(common.a.time[row]),
            column=columns[column],
            rms=float(np.sqrt(np.mean(gap**2))),
            relative=largest / scale if scale else (0.0 if largest == 0.0 else float("inf")),
        )


def _settings(a: Recording, b: Recording) -> Iterator[tuple[str, tuple[JSON, JSON]]]:
    for name in dict.fromkeys([*a.settings, *b.settings]):
        pair = a.settings.get(name), b.settings.get(name)
        if pair[0] != pair[1]:
            yield name, pair


def _span(recording: Recording) -> str:
    return f"{recording.time[0]:g} to {recording.time[-1]:g} s"


def _short(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
