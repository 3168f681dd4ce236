"""Trajectory table: a horizon of rows that flow to the motors, with their torques.

Row 0 is executed next. Who plans ahead writes any row, and the torques of that row are there at
once; at every step row 0 leaves to the motors and a new row enters behind the last. What a joint
cannot do is seen while there is still time to change it.

Reference:
    Lathrop, Parallelism in Manipulator Dynamics (MIT, 1983), ch. VIII, "active memory".
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, finite_numbers
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.rows import Row, Rows, row_times
from phalanx.planning.paths.rows_file import table_text, write_text
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.ring import Ring
from phalanx.planning.trajectory.violations import LimitViolation, beyond, violations

Array = NDArray[np.float64]
INPUTS = ("q", "v", "a")


@final
class TrajectoryTable:
    """A horizon of m rows at a fixed step, and the torques of all of them.

    Arrays of the table are views, in order from the row that is executed next; they are good
    until the next :meth:`shift`. Only :meth:`edit`, :meth:`write` and :meth:`shift` change them.

    >>> table = TrajectoryTable(arm, q, v, a, step=1e-3, torque_limits=80.0)
    >>> table.violations
    >>> table.edit(340, a=slower)
    >>> motors(table.shift((q_next, v_next, a_next)).torque)
    """

    def __init__(
        self,
        machine: Mechanism | Dynamics,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        step: float,
        *,
        torque_limits: Any = None,
        rate_limits: Any = None,
        frame: str | None = None,
    ) -> None:
        """Fill the table and compute its torques.

        Args:
            machine: A mechanism, or its dynamics as they were made.
            q: Positions [rad or m], shape (m, n).
            v: Velocities [rad/s or m/s], shape (m, n).
            a: Accelerations [rad/s² or m/s²], shape (m, n).
            step: Time between rows, the period at which motors get new torques [s].
            torque_limits: One number, or shape (n,), or lower and upper of shape (n, 2) [N·m or N];
                those of the joints when not given.
            rate_limits: Of the change of torques, one number or shape (n,) [N·m/s or N/s].
            frame: A frame whose positions and velocities are further outputs.

        Raises:
            InvalidInput: When something has another shape, or is no number.
            InvalidModel: When the machine has loops, or joints whose positions are no curves.
            UnknownName: When there is no such frame.
        """
        self.dynamics = dynamics_of(machine)
        self.limits = Limits.of(self.mechanism, torque_limits, rate_limits)
        self.frame = None if frame is None else self.mechanism.frame(frame).name
        rows = Rows(q, v, a, step)
        n = self.mechanism.nv
        if np.shape(rows.q)[1] != n:
            raise InvalidInput(
                f"rows of {np.shape(rows.q)[1]} joints; '{self.mechanism.name}' has {n}."
            )
        self.step = rows.step
        self.shifted = 0
        self.executed: Row | None = None
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys((*INPUTS, "torque"), (n,))
        if self.frame is not None:
            shapes |= {"pose": (4, 4), "motion": (6,)}
        self._ring = Ring(len(rows), shapes)
        self._outputs = self._kernels()
        self.write(rows)

    @classmethod
    def of(cls, machine: Mechanism | Dynamics, rows: Rows, **options: Any) -> TrajectoryTable:
        """A table filled with rows; options as those of the class."""
        return cls(machine, *rows.parts, rows.step, **options)

    # -- what is in it ---------------------------------------------------------------------------

    @property
    def mechanism(self) -> Mechanism:
        """The machine."""
        return self.dynamics.mechanism

    def __len__(self) -> int:
        return self._ring.rows

    @property
    def delay(self) -> float:
        """From when a row enters to when it leaves: m steps [s]."""
        return len(self) * self.step

    @property
    def times(self) -> Array:
        """When each row is executed, with the first row of all at zero [s], shape (m,)."""
        return row_times(len(self), self.step, self.shifted)

    @property
    def q(self) -> Array:
        """Positions [rad or m], shape (m, n)."""
        return self._ring.seen("q")

    @property
    def v(self) -> Array:
        """Velocities [rad/s or m/s], shape (m, n)."""
        return self._ring.seen("v")

    @property
    def a(self) -> Array:
        """Accelerations [rad/s² or m/s²], shape (m, n)."""
        return self._ring.seen("a")

    @property
    def torque(self) -> Array:
        """Joint forces [N·m or N], shape (m, n)."""
        return self._ring.seen("torque")

    @property
    def end_positions(self) -> Array:
        """Where the frame is, in the world [m], shape (m, 3)."""
        return self._of_frame("pose")[:, :3, 3]

    @property
    def end_velocities(self) -> Array:
        """Velocity of the frame (linear, angular), in world axes [m/s, rad/s], shape (m, 6)."""
        return self._of_frame("motion")

    @property
    def rows(self) -> Rows:
        """A copy of all rows."""
        return Rows(self.q.copy(), self.v.copy(), self.a.copy(), self.step)

    @property
    def violations(self) -> tuple[LimitViolation, ...]:
        """Where joints are asked for more than they can do, those executed first in front."""
        before = None if self.executed is None else self.executed.torque
        found = beyond(self.limits, self.q, self.v, self.torque, self.step, before)
        return violations(self.limits, found, self.times)

    # -- what changes it -------------------------------------------------------------------------

    def edit(
        self,
        row: int,
        *,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
    ) -> Array:
        """Write a row; its outputs alone are computed anew.

        Args:
            row: Its number, 0 for the one that is executed next.
            q: Positions [rad or m], shape (n,); None leaves them.
            v: Velocities [rad/s or m/s], likewise.
            a: Accelerations [rad/s² or m/s²], likewise.

        Returns:
            The row's joint forces, shape (n,).

        Raises:
            InvalidInput: When there is no such row, or what came are not n finite numbers.
        """
        place = self._ring.place(self._checked_row(row))
        given = [
            (name, self._checked(name, value))
            for name, value in zip(INPUTS, (q, v, a), strict=True)
            if value is not None
        ]
        for name, value in given:
            self._ring.arrays[name][place] = value
            self._ring.repeat(name, place)
        self._evaluate_row(place)
        return self._ring.arrays["torque"][place].copy()

    def write(self, rows: Rows, first: int = 0) -> None:
        """Write rows to the end of the table, from one on; their outputs are computed anew.

        Raises:
            InvalidInput: When they are not as many, not of this machine, or of another step.
        """
        first = self._checked_row(first)
        shape = (len(self) - first, self.mechanism.nv)
        if np.shape(rows.q) != shape or not np.isclose(rows.step, self.step, rtol=1e-9, atol=0.0):
            raise InvalidInput(
                f"rows of shape {np.shape(rows.q)} at {rows.step:g} s; expected {shape} at "
                f"{self.step:g} s."
            )
        for name, part in zip(INPUTS, rows.parts, strict=True):
            self._ring.window(name)[first:] = part
            self._ring.repeat_from(name, first)
        self.evaluate(first)

    def evaluate(self, first: int = 0) -> None:
        """Compute the outputs of all rows from one on, in one batch."""
        for name, kernel, inputs in self._outputs:
            arguments = [self._ring.window(one)[first:] for one in inputs]
            kernel(*arguments, out=self._ring.window(name)[first:])
            self._ring.repeat_from(name, first)

    def shift(self, new_row: Row | tuple[ArrayLike, ArrayLike, ArrayLike]) -> Row:
        """Let a step pass: row 0 goes to the motors, all others move up, and a new one enters.

        Args:
            new_row: Its q, v and a, each (n,); it is executed m steps later.

        Returns:
            The row that is executed now.

        Raises:
            InvalidInput: When the new row is none; then nothing has moved.
        """
        parts = (new_row.q, new_row.v, new_row.a) if isinstance(new_row, Row) else tuple(new_row)
        if len(parts) != len(INPUTS):
            raise InvalidInput(f"a row of {len(parts)} parts; expected q, v and a.")
        given = [self._checked(name, value) for name, value in zip(INPUTS, parts, strict=True)]
        place, arrays = self._ring.place(0), self._ring.arrays
        q, v, a, torque = (arrays[name][place].copy() for name in (*INPUTS, "torque"))
        self.executed = Row(q, v, a, torque, self.shifted * self.step)
        for name, value in zip(INPUTS, given, strict=True):
            arrays[name][place] = value
            self._ring.repeat(name, place)
        self._evaluate_row(place)
        self._ring.turn()
        self.shifted += 1
        return self.executed

    @checked
    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write time, positions, velocities, accelerations and torques; returns its path.

        Raises:
            WriteError: When the file cannot be written.
        """
        write_text(path, self.csv_text())
        return Path(path)

    def csv_text(self) -> str:
        """What :meth:`to_csv` writes."""
        return table_text(self.mechanism, self.times, (self.q, self.v, self.a, self.torque))

    # -- inside ----------------------------------------------------------------------------------

    def _kernels(self) -> list[tuple[str, Callable[..., Any], tuple[str, ...]]]:
        """What is computed of a row: name, function, and what it is computed from."""
        made: list[tuple[str, Callable[..., Any], tuple[str, ...]]] = [
            ("torque", self.dynamics.inverse_dynamics, INPUTS)
        ]
        if self.frame is not None:
            pose = self.dynamics.kernel("forward_kinematics", self.frame).call
            motion = self.dynamics.kernel("frame_velocity", self.frame).call
            made += [("pose", pose, ("q",)), ("motion", motion, ("q", "v"))]
        return made

    def _evaluate_row(self, place: int) -> None:
        arrays = self._ring.arrays
        for name, kernel, inputs in self._outputs:
            kernel(*[arrays[one][place] for one in inputs], out=arrays[name][place])
            self._ring.repeat(name, place)

    def _of_frame(self, name: str) -> Array:
        if self.frame is None:
            raise InvalidInput(
                "this table has no frame whose motion it computes; make it with frame=, one of "
                f"{', '.join(self.mechanism.frame_names[-4:])} …"
            )
        return self._ring.seen(name)

    def _checked_row(self, row: int) -> int:
        whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
        if not whole or not 0 <= row < len(self):
            raise InvalidInput(
                f"there is no row {row!r}; rows are 0, executed next, to {len(self) - 1}."
            )
        return int(row)

    def _checked(self, name: str, value: ArrayLike) -> Array:
        n = self.mechanism.nv
        # the usual case without a detour: an edit takes microseconds
        if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (n,):
            if np.isfinite(value).all():
                return value
        checked: Array = finite_numbers(name, value, (n,))
        return checked
