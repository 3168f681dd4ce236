"""Selection of recorded signals: some joints, poses of some bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.mechanism.quaternions import quaternions_of
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.rows import TakesRows
from phalanx.simulation.record.signal import Channel

# positions (T, nq) and velocities (T, nv) to rotations (T, bodies, 3, 3), origins (T, bodies, 3)
# and their velocities (T, bodies, 3), in root axes
Places = Callable[[Array, Array], tuple[Array, Array, Array]]
Indices = NDArray[np.intp]
# signals with a column for each coordinate
OF_JOINTS = ("q", "v", "tau", "a")


@final
class Selection:
    """Which joints are recorded, and which bodies.

    Attributes:
        channels: What is recorded.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        channels: Sequence[Channel],
        joints: Sequence[str] | None,
        bodies: Sequence[str] | None,
        places: Callable[[tuple[str, ...]], Places],
    ) -> None:
        """Choose.

        Args:
            mechanism: The machine, as it is recorded.
            channels: All that a run has.
            joints: Names of joints; all when None, and none at all when empty.
            bodies: Names of bodies or frames; none when None.
            places: Compiles what computes poses of bodies.

        Raises:
            UnknownName: When there is no such joint or body.
            InvalidInput: When one is named twice, or a joint does not move.
        """
        self.mechanism = mechanism
        self.bodies = _names(bodies or (), "bodies")
        for body in self.bodies:
            mechanism.frame(body)
        kept: list[Channel] = []
        columns: list[Indices] = [np.zeros(1, np.intp)]  # time
        start = 1
        for channel in channels:
            within = _columns(mechanism, channel, joints)
            if within.size:
                kept.append(channel.columns_at(within.tolist()))
            columns.append(start + within)
            start += channel.width
        self._columns = np.concatenate(columns)
        self._places = places(self.bodies) if self.bodies else None
        self.channels = (*kept, *_body_channels(self.bodies))

    def rows(self, table: Array) -> Array:
        """What is recorded of rows of everything, shape (T, ...)."""
        chosen = table[:, self._columns]
        if self._places is None:
            return chosen
        m = self.mechanism
        q = np.ascontiguousarray(table[:, 1 : 1 + m.nq])
        v = np.ascontiguousarray(table[:, 1 + m.nq : 1 + m.nq + m.nv])
        R, p, u = self._places(q, v)
        parts = (p, quaternions_of(R), u)
        return np.hstack([chosen, *(part.reshape(len(table), -1) for part in parts)])


@final
class Selecting:
    """Takes whole rows and hands on what is chosen of them."""

    def __init__(self, recorder: TakesRows, selection: Selection) -> None:
        self._recorder, self._selection = recorder, selection

    @property
    def runs(self) -> bool:
        """Whether rows are wanted."""
        return self._recorder.runs

    def append_row(self, row: Array) -> None:
        """Take one sample."""
        self._recorder.append_row(self._selection.rows(row[None])[0])

    def append_rows(self, table: Array) -> None:
        """Take many at once."""
        if len(table):
            self._recorder.append_rows(np.ascontiguousarray(self._selection.rows(table)))

    def recording(self) -> Recording:
        """Everything so far."""
        return self._recorder.recording()


def _names(names: Sequence[str], what: str) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InvalidInput(f"{what}= names '{twice}' twice.")
    return tuple(names)


def _columns(mechanism: Mechanism, channel: Channel, joints: Sequence[str] | None) -> Indices:
    """Which columns of a channel are kept."""
    if channel.name not in OF_JOINTS or joints is None:
        return np.arange(channel.width, dtype=np.intp)
    slices = mechanism.q_slices if channel.name == "q" else mechanism.v_slices
    for name in _names(joints, "joints"):
        if name not in slices:
            raise UnknownName(f"mechanism '{mechanism.name}'", "moving joint", name, slices)
    parts = [np.arange(slices[name].start, slices[name].stop) for name in joints]
    return np.concatenate([np.zeros(0, np.intp), *parts])


def _body_channels(bodies: tuple[str, ...]) -> tuple[Channel, ...]:
    if not bodies:
        return ()

    def labels(parts: str) -> tuple[str, ...]:
        return tuple(f"{body}.{part}" for body in bodies for part in parts.split())

    return (
        Channel("position", "m", labels("x y z")),
        Channel("orientation", "", labels("qx qy qz qw")),
        Channel("velocity", "m/s", labels("vx vy vz")),
    )
