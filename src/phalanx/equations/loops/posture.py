"""Postures in which loops close, by Newton's method, damped and with a line search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.equations.build import model_of
from phalanx.equations.configuration import integrate, normalized, position_rate
from phalanx.equations.loops.mismatch import loops_of_mismatch, mismatch
from phalanx.mechanism import Cylindrical, Floating, Mechanism, Planar, Prismatic
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


@dataclass(frozen=True)
class Attempt:
    """Where the search for a closed posture ended."""

    q: Array
    residual: float
    steps: int

    @property
    def closes(self) -> bool:
        """Whether all loops are closed."""
        return self.residual <= CLOSED


@dataclass(frozen=True)
class _Functions:
    open: ca.Function
    derivative: ca.Function
    move: ca.Function
    unit: ca.Function
    loops: tuple[str, ...]  # to whom each number of ``open`` belongs
    scales: Array  # what counts as one of each velocity: a radian, or the size of the machine


@lru_cache(maxsize=64)
def _functions(mechanism: Mechanism) -> _Functions:
    model = model_of(mechanism)
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    opening = mismatch(model, q)
    along = ca.jacobian(opening, q) @ ca.jacobian(position_rate(model, q, v), v)
    return _Functions(
        ca.Function("open", [q], [ca.densify(opening)]),
        ca.Function("derivative", [q], [ca.densify(along)]),
        ca.Function("move", [q, v], [integrate(model, q, v)]),
        ca.Function("unit", [q], [normalized(model, q)]),
        tuple(loops_of_mismatch(model)),
        _scales(mechanism),
    )


def _scales(mechanism: Mechanism) -> Array:
    """One radian, and for shifts the largest distance between places on a body [m]."""
    places = [joint.pose for joint in mechanism.joints] + [x.pose for x in mechanism.frames]
    size = max((float(np.linalg.norm(pose.translation)) for pose in places), default=0.0)
    scales = np.ones(mechanism.nv)
    for joint in mechanism.moving_joints:
        shifts = np.zeros(joint.motion.nv, dtype=bool)
        match joint.motion:
            case Prismatic():
                shifts[:] = True
            case Cylindrical():
                shifts[1] = True
            case Planar():
                shifts[:2] = True
            case Floating():
                shifts[:3] = True
        scales[mechanism.v_slices[joint.name]] = np.where(shifts, size or 1.0, 1.0)
    return scales


def openings(mechanism: Mechanism, q: Array) -> Array:
    """What keeps loops from being closed [m or rad], as :func:`mismatch` counts it."""
    return np.asarray(_functions(mechanism).open(q)).ravel()


def owners_of_openings(mechanism: Mechanism) -> tuple[str, ...]:
    """For each of the openings the name of its loop."""
    return _functions(mechanism).loops


def moved(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Positions reached from q by displacements along the velocities, shape (nq,)."""
    return np.asarray(_functions(mechanism).move(q, v)).ravel()


def with_unit_quaternions(mechanism: Mechanism, q: Array) -> Array:
    """Positions with every quaternion of length one; NaN where it has none."""
    return np.asarray(_functions(mechanism).unit(q)).ravel()


def close_loops(mechanism: Mechanism, guess: Array, held: BoolArray | None = None) -> Attempt:
    """The closed posture that Newton's method reaches from a guess.

    Every step is the shortest that closes the linearised loops, so redundant equations do no harm.
    It is damped while loops are wide open (Levenberg and Marquardt, with the opening as damping:
    quadratic convergence also where equations depend on each other), and halved until the loops
    are less open than before.

    Args:
        mechanism: A machine with loops.
        guess: Positions to start from, shape (nq,).
        held: Which velocities are not to be used, shape (nv,), true for held.

    Reference:
        Yamashita and Fukushima, On the rate of convergence of the Levenberg-Marquardt method
        (2001).
    """
    f = _functions(mechanism)
    q = np.array(guess, dtype=np.float64)
    c = np.asarray(f.open(q)).ravel()
    free = np.ones(mechanism.nv, dtype=bool) if held is None else ~np.asarray(held, dtype=bool)
    steps = 0
    while np.abs(c).max(initial=0.0) > _NOTHING_LEFT and steps < _STEPS and free.any():
        A = np.asarray(f.derivative(q))[:, free] * f.scales[free]
        step = np.zeros(mechanism.nv)
        step[free] = -_damped(A, c, float(np.linalg.norm(c)))
        step *= f.scales * min(1.0, _LONGEST_STEP / max(np.abs(step).max(initial=0.0), 1e-300))
        for _ in range(_HALVINGS):
            trial = np.asarray(f.move(q, step)).ravel()
            opened = np.asarray(f.open(trial)).ravel()
            if np.linalg.norm(opened) < np.linalg.norm(c):
                break
            step = step / 2
        else:
            break  # nothing nearer: a minimum, or rounding
        q, c, steps = trial, opened, steps + 1
    return Attempt(q, float(np.abs(c).max(initial=0.0)), steps)


def nearest_posture(
    mechanism: Mechanism, guess: Array, held: BoolArray, *, anywhere: bool = False
) -> Attempt:
    """A closed posture from a guess, from guesses next to it, or from any; the best of them.

    Newton's method stops where no direction helps, as a stretched arm cannot start to shorten
    itself. A small kick helps it out of there.

    Args:
        mechanism: A machine with loops.
        guess: Positions to start from, shape (nq,).
        held: Which velocities are not to be used, shape (nv,).
        anywhere: Whether to try random postures when nothing near the guess closes.
    """
    rng = np.random.default_rng(0)
    kicks = [0.0, *_KICKS, *([_FAR] * _RANDOM_POSTURES if anywhere else [])]
    best: Attempt | None = None
    for size in kicks:
        kick = size * rng.standard_normal(mechanism.nv) * _functions(mechanism).scales
        kick[held] = 0.0
        attempt = close_loops(mechanism, moved(mechanism, guess, kick) if size else guess, held)
        best = attempt if best is None or attempt.residual < best.residual else best
        if best.closes:
            break
    assert best is not None  # the guess itself was tried
    return best


def _damped(A: Array, c: Array, damping: float) -> Array:
    """The x that makes |A x - c|² + damping² |x|² smallest."""
    U, values, Vt = np.linalg.svd(A, full_matrices=False)
    return Vt.T @ (values / np.maximum(values**2 + damping**2, 1e-300) * (U.T @ c))


def closed_postures(mechanism: Mechanism) -> Iterator[Array]:
    """Some postures in general position in which all loops close, if they can be found."""
    nothing_held = np.zeros(mechanism.nv, dtype=bool)
    first = nearest_posture(mechanism, mechanism.neutral(), nothing_held, anywhere=True)
    if not first.closes:
        return
    yield first.q
    rng = np.random.default_rng(1)
    for _ in range(_SAMPLES - 1):
        kick = 0.2 * rng.standard_normal(mechanism.nv) * _functions(mechanism).scales
        guess = moved(mechanism, first.q, kick)
        other = close_loops(mechanism, guess)
        if other.closes:
            yield other.q
