"""Alternative trajectories side by side: feasibility, blends, changes from one to another.

All are evaluated in one batch. A blend of two motions with fixed shares is a motion; a change from
one to the other has further terms, without which velocities would not be those of the positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import finite_numbers, time
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.rows import Rows, row_times
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.violations import LimitViolation, beyond, violations

Array = NDArray[np.float64]

SHARES = 65  # that are tried between two alternatives


@final
class Alternatives:
    """Trajectories of one machine, of equal length and step.

    >>> choice = Alternatives(arm, [over, under], torque_limits=80.0)
    >>> choice.feasible
    array([False,  True])
    >>> rows = choice.blend([0.3, 0.7])
    """

    def __init__(
        self,
        machine: Mechanism | Dynamics,
        alternatives: Sequence[Rows],
        *,
        torque_limits: Any = None,
        rate_limits: Any = None,
    ) -> None:
        """Compute the torques of all of them.

        Args:
            machine: A mechanism, or its dynamics.
            alternatives: Motions of equal length and step.
            torque_limits: As of :class:`TrajectoryTable`.
            rate_limits: As of :class:`TrajectoryTable`.

        Raises:
            InvalidInput: When there is none, or one differs from the first in shape or step.
        """
        self.dynamics = dynamics_of(machine)
        self.limits = Limits.of(self.dynamics.mechanism, torque_limits, rate_limits)
        given = list(alternatives)
        if not given or not all(isinstance(one, Rows) for one in given):
            raise InvalidInput("alternatives are a list of one or more Rows.")
        shape = (len(given[0]), self.dynamics.mechanism.nv)
        for k, one in enumerate(given):
            if np.shape(one.q) != shape or one.step != given[0].step:
                raise InvalidInput(
                    f"alternative {k} has rows of shape {np.shape(one.q)} at {one.step:g} s; "
                    f"expected {shape} at {given[0].step:g} s, as of the first."
                )
        self.step = given[0].step
        self.q, self.v, self.a = (
            np.stack(part) for part in zip(*(one.parts for one in given), strict=True)
        )
        self.torque: Array = np.asarray(self.dynamics.inverse_dynamics(self.q, self.v, self.a))

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, number: int) -> Rows:
        """The rows of one."""
        return Rows(self.q[number], self.v[number], self.a[number], self.step)

    @property
    def violations(self) -> tuple[tuple[LimitViolation, ...], ...]:
        """Of each alternative."""
        times = row_times(self.q.shape[1], self.step)
        return tuple(
            violations(self.limits, beyond(self.limits, q, v, torque, self.step), times)
            for q, v, torque in zip(self.q, self.v, self.torque, strict=True)
        )

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Which of them keep all limits, shape (k,)."""
        return _feasible(self.limits, self.q, self.v, self.torque, self.step)

    def blend(self, shares: ArrayLike) -> Rows:
        """The motion between them: each alternative's rows times its share.

        Args:
            shares: One for each alternative, not negative, with a sum of 1.

        Raises:
            InvalidInput: When they are not.
        """
        w = finite_numbers("shares", shares, (len(self),))
        if (w < 0).any() or abs(w.sum() - 1) > 1e-9:
            raise InvalidInput(
                f"shares {w.tolist()} have the sum {w.sum():g}; expected none below 0, and 1 in "
                "all."
            )
        q, v, a = (np.tensordot(w, part, 1) for part in (self.q, self.v, self.a))
        return Rows(q, v, a, self.step)

    def change(self, first: int, second: int, start: float, duration: float) -> Rows:
        """The motion that leaves one alternative for another, smoothly.

        With s(t) from 0 to 1, q = (1-s) q₁ + s q₂; velocities and accelerations are its rates, so
        that there is no step in any of them.

        Args:
            first: The one that is left.
            second: The one that is taken.
            start: When [s].
            duration: How long the change takes [s].
        """
        from phalanx.planning.motions import quintic

        time("duration of the change", duration)
        since = np.maximum(row_times(self.q.shape[1], self.step) - start, 0.0)
        s, ds, dds = (np.asarray(part).reshape(-1, 1) for part in quintic(duration, since))
        q, v, a = (part[self._number(second)] - part[self._number(first)] for part in self._parts)
        return Rows(
            self.q[first] + s * q,
            self.v[first] + s * v + ds * q,
            self.a[first] + s * a + 2 * ds * v + dds * q,
            self.step,
        )

    def feasible_share(self, safe: int, wanted: int) -> float:
        """The largest share of one alternative, beside a safe one, that keeps all limits.

        Shares are tried in one batch, on the way from the safe alternative until the first that
        fails.

        Raises:
            InvalidInput: When the safe one does not keep the limits either.
        """
        safe, wanted = self._number(safe), self._number(wanted)
        shares = np.linspace(0.0, 1.0, SHARES)[:, None, None]
        q, v, a = (part[safe] + shares * (part[wanted] - part[safe]) for part in self._parts)
        torque = np.asarray(self.dynamics.inverse_dynamics(q, v, a))
        keeps = _feasible(self.limits, q, v, torque, self.step)
        if not keeps[0]:
            raise InvalidInput(
                f"alternative {safe} is not safe: {self.violations[safe][0]}. Name one that keeps "
                "all limits."
            )
        first_that_fails = int(np.argmin(keeps)) if not keeps.all() else SHARES
        return (first_that_fails - 1) / (SHARES - 1)

    @property
    def _parts(self) -> tuple[Array, Array, Array]:
        return self.q, self.v, self.a

    def _number(self, number: int) -> int:
        if not 0 <= number < len(self):
            raise InvalidInput(f"there is no alternative {number}; they are 0 to {len(self) - 1}.")
        return number


def _feasible(limits: Limits, q: Array, v: Array, torque: Array, step: float) -> NDArray[np.bool_]:
    found = beyond(limits, q, v, torque, step)
    return ~np.any([by.any(axis=(-2, -1)) for _, by in found.values()], axis=0)
