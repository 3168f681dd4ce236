"""Trajectory table driven by accelerations: positions follow by integration and cannot jump.

Each acceleration is held for one step, so that the rows are those of an exact motion:

    v[j+1] = v[j] + a[j] h,    q[j+1] = q[j] + v[j] h + a[j] h² / 2

An acceleration that is written moves all later rows, up to the end of the horizon: that is the
price of never having a step in the position; :meth:`IntegratedRegister.edit` returns their number.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import finite_numbers, time
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.rows import Row, Rows
from phalanx.planning.trajectory.table import TrajectoryRegister
from phalanx.planning.trajectory.violations import LimitViolation

Array = NDArray[np.float64]


@final
class IntegratedRegister:
    """A trajectory register whose velocities and positions come by integration.

    >>> register = IntegratedRegister(arm, a, step=1e-3, q=posture, v=np.zeros(6))
    >>> register.edit(20, slower)       # rows 20 to the last have new torques
    """

    def __init__(
        self,
        machine: Mechanism | Dynamics,
        a: ArrayLike,
        step: float,
        *,
        q: ArrayLike,
        v: ArrayLike,
        **options: Any,
    ) -> None:
        """Integrate and compute all torques.

        Args:
            machine: A mechanism, or its dynamics.
            a: Accelerations, each held for a step [rad/s² or m/s²], shape (m, n).
            step: Time between rows [s].
            q: Positions at row 0 [rad or m], shape (n,).
            v: Velocities at row 0 [rad/s or m/s], shape (n,).
            options: ``torque_limits``, ``rate_limits`` and ``frame`` of
                :class:`TrajectoryRegister`.

        Raises:
            InvalidInput: When something has another shape, or is no number.
        """
        dynamics = dynamics_of(machine)
        n = dynamics.mechanism.nv
        held = finite_numbers("a", a)
        if held.ndim != 2 or held.shape[1] != n or not len(held):
            raise InvalidInput(f"a has shape {held.shape}; expected (rows, {n}).")
        start = finite_numbers("q", q, (n,)), finite_numbers("v", v, (n,))
        step = time("step of rows", step)
        rows = Rows(*integrated(*start, held, step), held, step)
        self._register = TrajectoryRegister.of(dynamics, rows, **options)

    def __len__(self) -> int:
        return len(self._register)

    @property
    def rows(self) -> Rows:
        """A copy of all rows."""
        return self._register.rows

    @property
    def torque(self) -> Array:
        """Joint forces [N·m or N], shape (m, n); good until the next shift."""
        return self._register.torque

    @property
    def violations(self) -> tuple[LimitViolation, ...]:
        """As of :class:`TrajectoryRegister`."""
        return self._register.violations

    @property
    def register(self) -> TrajectoryRegister:
        """The register inside, to look at; what is written into it is not integrated."""
        return self._register

    def edit(self, row: int, a: ArrayLike) -> int:
        """Write the accelerations of a row; all later rows follow.

        Returns:
            How many rows have new torques: this one and all after it.

        Raises:
            InvalidInput: When there is no such row, or ``a`` are not n finite numbers.
        """
        inside = self._register
        inside.edit(row, a=a)
        self._integrate_from(int(row))
        return len(self) - int(row)

    def shift(self, a: ArrayLike) -> Row:
        """Let a step pass: row 0 is executed, and a row with new accelerations enters at the end.

        Where it begins follows from the row before it.

        Args:
            a: Its accelerations, shape (n,).
        """
        inside = self._register
        h = inside.step
        q = inside.q[-1] + h * inside.v[-1] + h * h / 2 * inside.a[-1]
        v = inside.v[-1] + h * inside.a[-1]
        return inside.shift((q, v, a))

    def _integrate_from(self, row: int) -> None:
        inside = self._register
        a = inside.a[row:].copy()
        q, v = integrated(inside.q[row], inside.v[row], a, inside.step)
        inside.write(Rows(q, v, a, inside.step), first=row)


def integrated(q: Array, v: Array, a: Array, step: float) -> tuple[Array, Array]:
    """Positions and velocities of all rows from those of the first, each (m, n).

    Args:
        q: Positions at the first row, shape (n,).
        v: Velocities there.
        a: Accelerations, each held for a step, shape (m, n).
        step: [s].
    """
    speeds = np.vstack([v, step * a[:-1]]).cumsum(axis=0)
    ways = step * speeds[:-1] + step * step / 2 * a[:-1]
    return np.vstack([q, ways]).cumsum(axis=0), speeds
