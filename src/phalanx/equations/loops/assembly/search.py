"""Search for closed postures: damped Newton's method with a line search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.equations.loops.assembly.loop_sizes import velocity_scales
from phalanx.equations.loops.closure.opening import Opening, Slack
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import positions_after, positions_rate, unit_positions
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

BoolArray = NDArray[np.bool_]

CLOSED = 1e-12  # [m or rad]
_NOTHING_LEFT = 1e-15  # at a singular posture, an opening is the square of the error in q
_STEPS = 200
_HALVINGS = 30
# [rad, or of the machine's size] in any coordinate, so that Newton does not jump to another branch
_LONGEST_STEP = 0.5
_KICKS = (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2)  # [rad, or of the machine's size]
_FAR, _RANDOM_POSTURES = 1.5, 20
_SAMPLES = 5
_AS_GOOD = 1.001
_TURN = 9  # numbers by which two whole frames are compared
# of the opening before a step: no progress to speak of, and so little that many make none
_HARDLY_ON, _CREEPING, _PATIENCE = 0.9, 0.999, 10


@dataclass(frozen=True)
class Attempt:
    """Result of a search for a closed posture."""

    q: Array
    residual: float
    steps: int

    @property
    def closes(self) -> bool:
        """Whether all loops are closed."""
        return self.residual <= CLOSED


@dataclass(frozen=True, eq=False)
class Search:
    """Newton's method on the loops of a model.

    Attributes:
        model: The node tree.
        slack: Which equations need not close exactly; all do when not given.
        rounding: Below which openings [m or rad] a search ends that hardly gets on: where equations
            depend on each other but for rounding, it would creep along what they leave free.
    """

    model: Model
    slack: Slack | None = None
    rounding: Array | float = 0.0

    @property
    def mechanism(self) -> Mechanism:
        """Whose loops they are."""
        return self.model.mechanism

    @cached_property
    def _q(self) -> SX:
        return SX.sym("q", self.mechanism.nq)

    @cached_property
    def _v(self) -> SX:
        return SX.sym("v", self.mechanism.nv)

    @cached_property
    def opening(self) -> Opening:
        """What keeps loops from being closed, over symbols."""
        return Opening(self.model, self.slack)

    @cached_property
    def _opening(self) -> SX:
        return self.opening(self._q)

    @cached_property
    def _open(self) -> ca.Function:
        return ca.Function("open", [self._q], [ca.densify(self._opening)])

    @cached_property
    def _derivative(self) -> ca.Function:
        rate = positions_rate(self.model, self._q, self._v)
        along = ca.jacobian(self._opening, self._q) @ ca.jacobian(rate, self._v)
        return ca.Function("derivative", [self._q], [ca.densify(along)])

    @cached_property
    def _move(self) -> ca.Function:
        return ca.Function(
            "move", [self._q, self._v], [positions_after(self.model, self._q, self._v)]
        )

    @cached_property
    def _unit(self) -> ca.Function:
        return ca.Function("unit", [self._q], [unit_positions(self.model, self._q)])

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """For each of the openings the name of its loop."""
        return tuple(name for name, _ in self.opening.owners)

    @cached_property
    def scales(self) -> Array:
        """What counts as one of each velocity: a radian, or the size of the machine [m]."""
        return velocity_scales(self.mechanism)

    def openings(self, q: Array) -> Array:
        """What keeps loops from being closed [m or rad]."""
        return np.asarray(self._open(q)).ravel()

    def by_loop(self, q: Array, tolerance: float = CLOSED) -> dict[str, float]:
        """Loops with an opening beyond a tolerance, and how far they are open [m or rad].

        A distance or an angle, whichever is the larger number.
        """
        values, owners = self.openings(q), self.opening.owners
        found: dict[str, float] = {}
        for name in dict.fromkeys(self.owners):
            parts = [
                values[[own == (name, is_length) for own in owners]] for is_length in (True, False)
            ]
            if max(np.abs(part).max(initial=0.0) for part in parts) > tolerance:
                found[name] = max(_size(part) for part in parts)
        return found

    def moved(self, q: Array, v: Array) -> Array:
        """Positions reached from q by displacements along the velocities, shape (nq,)."""
        return np.asarray(self._move(q, v)).ravel()

    def with_unit_quaternions(self, q: Array) -> Array:
        """Positions with every quaternion of length one; NaN where it has none."""
        return np.asarray(self._unit(q)).ravel()

    def close(self, guess: Array, held: BoolArray | None = None) -> Attempt:
        """The closed posture that Newton's method reaches from a guess.

        Every step is the shortest that closes the linearised loops, so redundant equations do no
        harm. It is damped while loops are wide open (Levenberg and Marquardt, with the opening as
        damping: quadratic convergence also where equations depend on each other), and halved until
        the loops are less open than before.

        Args:
            guess: Positions to start from, shape (nq,).
            held: Which velocities are not to be used, shape (nv,), true for held.

        Reference:
            Yamashita and Fukushima, On the rate of convergence of the Levenberg-Marquardt method
            (2001).
        """
        nv = self.mechanism.nv
        q = np.array(guess, dtype=np.float64)
        c = self.openings(q)
        free = np.ones(nv, dtype=bool) if held is None else ~np.asarray(held, dtype=bool)
        steps = creeping = 0
        while np.abs(c).max(initial=0.0) > _NOTHING_LEFT and steps < _STEPS and free.any():
            A = np.asarray(self._derivative(q))[:, free] * self.scales[free]
            step = np.zeros(nv)
            step[free] = -_damped(A, c, float(np.linalg.norm(c)))
            longest = max(np.abs(step).max(initial=0.0), 1e-300)
            step *= self.scales * min(1.0, _LONGEST_STEP / longest)
            for _ in range(_HALVINGS):
                trial = self.moved(q, step)
                opened = self.openings(trial)
                if np.linalg.norm(opened) < np.linalg.norm(c):
                    break
                step = step / 2
            else:
                break  # nothing nearer: a minimum, or rounding
            left = np.linalg.norm(opened) / np.linalg.norm(c)
            q, c, steps = trial, opened, steps + 1
            creeping = creeping + 1 if left > _CREEPING else 0
            at_the_end = left > _HARDLY_ON and (np.abs(c) <= self.rounding).all()
            if np.abs(c).max() > CLOSED and (at_the_end or creeping >= _PATIENCE):
                break
        return Attempt(q, float(np.abs(c).max(initial=0.0)), steps)

    def nearest(
        self,
        guess: Array,
        held: BoolArray | None = None,
        *,
        anywhere: bool = False,
        enough: Array | float = CLOSED,
    ) -> Attempt:
        """A closed posture from a guess, from guesses next to it, or from any; the best of them.

        Newton's method stops where no direction helps, as a stretched arm cannot start to shorten
        itself. A small kick helps it out of there.

        Args:
            guess: Positions to start from, shape (nq,).
            held: Which velocities are not to be used, shape (nv,).
            anywhere: Whether to try random postures when nothing near the guess closes.
            enough: How far each of the openings may be left for a posture near the guess to be
                taken, if none next to it closes [m or rad].
        """
        rng = np.random.default_rng(0)
        tried: list[Attempt] = []
        for size in (0.0, *_KICKS, *([_FAR] * _RANDOM_POSTURES if anywhere else [])):
            if size == _FAR and self._is_enough(_least_open(tried), enough):
                break
            kick = size * rng.standard_normal(self.mechanism.nv) * self.scales
            if held is not None:
                kick[held] = 0.0
            tried.append(self.close(self.moved(guess, kick) if size else guess, held))
            if tried[-1].closes:
                return tried[-1]
        best = _least_open(tried)
        if self._is_enough(best, enough):
            # of those that are as good but for rounding, the one nearest to the guess
            best = next(x for x in tried if x.residual <= _AS_GOOD * best.residual)
        return best

    def _is_enough(self, attempt: Attempt, enough: Array | float) -> bool:
        return bool((np.abs(self.openings(attempt.q)) <= enough).all())

    def samples(self, first: Attempt) -> Iterator[Attempt]:
        """A closed posture, and where the search ends that starts somewhere around it."""
        yield first
        rng = np.random.default_rng(1)
        for _ in range(_SAMPLES - 1):
            kick = 0.2 * rng.standard_normal(self.mechanism.nv) * self.scales
            yield self.close(self.moved(first.q, kick))


def _size(part: Array) -> float:
    """Of lengths or angles: nine numbers of a turned frame have √2 times its angle."""
    return float(np.linalg.norm(part)) / (np.sqrt(2.0) if len(part) == _TURN else 1.0)


def _least_open(tried: list[Attempt]) -> Attempt:
    return min(tried, key=lambda attempt: attempt.residual)


def _damped(A: Array, c: Array, damping: float) -> Array:
    """The x that makes |A x - c|² + damping² |x|² smallest."""
    U, values, Vt = np.linalg.svd(A, full_matrices=False)
    return Vt.T @ (values / np.maximum(values**2 + damping**2, 1e-300) * (U.T @ c))
