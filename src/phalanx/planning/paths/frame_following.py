"""Joint paths that lead a frame along a path in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, finite_numbers, positive
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.continuation import Chase, Posture
from phalanx.planning.paths.machine import dynamics_of, joint_names
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import Polynomials, between
from phalanx.planning.paths.pose_paths import PosePath

Array = NDArray[np.float64]

FIRST, LONGEST, SHORTEST = 1 / 16, 1 / 4, 1e-5  # of the path: steps
WITHIN = np.array([0.2, 0.4, 0.5, 0.6, 0.8])  # of a step: where it is compared
NUDGE, NUDGES = 0.1, 8  # [rad or m] around a posture from which one looks further
AHEAD = 1e-3  # of the path: how far behind a place where it ends one looks for a posture


class UnreachablePath(InvalidInput):
    """A path of a frame that a machine cannot follow all along.

    Attributes:
        share: How far along the path it can, from 0 to 1.
        time: When that is [s].
        off: How close the frame gets just behind that place [m and rad].
    """

    def __init__(self, message: str, share: float, time: float, off: float) -> None:
        super().__init__(message)
        self.share, self.time, self.off = share, time, off


@checked
def follow_frame(
    machine: Mechanism | Dynamics,
    path: PosePath,
    start: ArrayLike,
    *,
    frame: str,
    point: bool = False,
    tolerance: float = 1e-6,
    beyond_range: bool = False,
) -> Path:
    """The joint path that leads a frame along a path in space.

    The curve of the joints is a chain of quintics through postures at which the frame is exactly
    where it should be, with exact rates; there are as many as keep the frame within the tolerance
    between them. The timing is that of the path.

    Args:
        machine: A mechanism, or its dynamics.
        path: Where the frame is to be.
        start: The posture at the begin, or one near it [rad or m], shape (n,).
        frame: Name of a frame or body.
        point: Whether only the frame's origin counts, and not how it is turned.
        tolerance: How far the frame may be off between postures [m and rad].
        beyond_range: Whether joints may leave their range.

    Raises:
        UnreachablePath: When the path leaves what the machine can reach, passes a singular posture
            or a joint's range ends; with the place along the path.
        InvalidModel: When the machine's positions are no curves over time.
    """
    dynamics = dynamics_of(machine)
    q = np.asarray(finite_numbers("start", start, (dynamics.mechanism.nv,)))
    near = positive("tolerance", tolerance)
    dynamics.mechanism.frame(frame)
    march = _March(dynamics, path, frame, point, None if beyond_range else near)
    knots, postures = march.all_along(q, near)
    h = np.diff(knots)[:, None]
    q, dq, ddq = (np.array([getattr(p, name) for p in postures]) for name in ("q", "dq", "ddq"))
    c = between(h, (q[:-1], dq[:-1], ddq[:-1]), (q[1:], dq[1:], ddq[1:]))
    return Path.of(Polynomials(knots, c)).timed(path.timing)


class _March:
    """Steps along a path, as long as the tolerance allows."""

    def __init__(
        self, dynamics: Dynamics, path: PosePath, frame: str, point: bool, slack: float | None
    ) -> None:
        self._chase, self._path, self._frame = Chase(dynamics, frame, point), path, frame
        self._machine, self._slack = dynamics.mechanism, slack
        self._lower = dynamics.mechanism.per_freedom("lower")
        self._upper = dynamics.mechanism.per_freedom("upper")

    def all_along(self, q: Array, tolerance: float) -> tuple[Array, list[Posture]]:
        """Shares from 0 to 1, and the posture at each."""
        near, off = self._chase.nearest(q, self._path.at(0.0)[0])
        exact = self._chase.corrected(near, self._path.at(0.0)[0])
        if exact is None:
            raise self._unreachable(0.0, off, "is not reached")
        knots, postures, step = [0.0], [self._posture(0.0, exact)], FIRST
        self._check_range(0.0, exact)
        while knots[-1] < 1:
            s = knots[-1]
            step = min(step, LONGEST)
            until = 1.0 if s + step > 1 - SHORTEST else s + step
            found = self._stepped(s, postures[-1].q, until)
            inside = [] if found is None else self._inside(s, postures[-1], until, found)
            off = max((self._off(*one) for one in inside), default=np.inf)
            if found is None or off > tolerance:
                step = (until - s) * (0.5 if found is None else _factor(off, tolerance))
                if step < SHORTEST:
                    raise self._end(s, postures[-1].q)
                continue
            for share, between_knots in [*inside, (until, found.q)]:
                self._check_range(share, between_knots)
            knots.append(until)
            postures.append(found)
            step = (until - s) * _factor(off, tolerance)
        return np.array(knots), postures

    def _posture(self, s: float, q: Array) -> Posture:
        _, V, A = self._path.at(s)
        return self._chase.posture(q, V, A)

    def _stepped(self, s: float, q: Array, until: float) -> Posture | None:
        """The posture one step on: Runge-Kutta on rates, then Newton's method."""
        h = until - s
        V = self._path.at(np.array([s, s + h / 2, until]))[1]
        k1 = self._chase.rates(q, V[0])
        k2 = self._chase.rates(q + h / 2 * k1, V[1])
        k3 = self._chase.rates(q + h / 2 * k2, V[1])
        k4 = self._chase.rates(q + h * k3, V[2])
        ahead = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        exact = self._chase.corrected(ahead, self._path.at(until)[0])
        # far from where rates lead lies another branch of postures
        if exact is None or np.abs(exact - ahead).max() > 0.1 * (1e-6 + np.abs(ahead - q).max()):
            return None
        if self._chase.is_singular(exact, V[2]):
            return None
        return self._posture(until, exact)

    def _inside(
        self, s: float, first: Posture, until: float, last: Posture
    ) -> list[tuple[float, Array]]:
        """Shares within a step, and the joints there."""
        h = until - s
        c = between(np.full((1, 1), h), (first.q, first.dq, first.ddq), (last.q, last.dq, last.ddq))
        inside = Polynomials(np.array([0.0, h]), c.reshape(1, *c.shape[-2:]))
        return list(zip((s + h * WITHIN).tolist(), inside.motion(h * WITHIN)[0], strict=True))

    def _off(self, s: float, q: Array) -> float:
        """How far the frame is off with the joints at ``q`` [m and rad]."""
        return float(np.abs(self._chase.miss(q, self._path.at(s)[0])).max())

    def _check_range(self, s: float, q: Array) -> None:
        if self._slack is None:
            return
        beyond = np.maximum(q - self._upper, self._lower - q)
        joint = int(np.argmax(beyond))
        if beyond[joint] > self._slack:
            name = joint_names(self._machine)[joint]
            raise self._unreachable(
                s,
                float(beyond[joint]),
                f"needs joint '{name}' at {q[joint]:.4g}, outside of its range "
                f"{self._lower[joint]:.4g} to {self._upper[joint]:.4g}",
            )

    def _end(self, s: float, q: Array) -> UnreachablePath:
        """Why it does not go on from here."""
        X = self._path.at(min(1.0, s + AHEAD))[0]
        # from a singular posture itself no step leads sideways
        nudges = np.random.default_rng(0).uniform(-NUDGE, NUDGE, (NUDGES, len(q)))
        off = min(self._chase.nearest(q + nudge, X)[1] for nudge in nudges)
        if off > 1e-9:
            what = (
                f"is out of reach from here on: just behind, the frame stays {off:.3g} m or rad off"
            )
            return self._unreachable(s, off, what)
        return self._unreachable(
            s, off, "passes a singular posture, where joints would have to be infinitely fast"
        )

    def _unreachable(self, s: float, off: float, what: str) -> UnreachablePath:
        x, y, z = self._path.at(s)[0][:3, 3]
        when = self._when(s)
        if s == 0:
            what += (
                ", coming from the posture given. px.InverseKinematics finds a posture with the "
                "frame where the path begins"
            )
        return UnreachablePath(
            f"frame '{self._frame}' of '{self._machine.name}' cannot follow the path: at "
            f"{100 * s:.4g} % of it ({when:.4g} s), at ({x:.4g}, {y:.4g}, {z:.4g}) m, it {what}.",
            s,
            when,
            off,
        )

    def _when(self, s: float) -> float:
        times = np.linspace(0.0, self._path.duration, 1001)
        return float(np.interp(s, self._path.timing(times)[0][:, 0], times))


def _factor(off: float, tolerance: float) -> float:
    """How much longer or shorter the next step is: errors grow with its sixth power."""
    return float(np.clip(0.8 * (tolerance / max(off, 1e-300)) ** (1 / 6), 0.2, 2.0))
