"""Putting a machine with loops together: a posture and velocities that its closures allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.equations.build import model_of
from phalanx.equations.loops.closure import rows_of_loops
from phalanx.equations.loops.independent import derivative_function, independent_rows
from phalanx.equations.loops.pivoting import RANK, spanning_columns
from phalanx.equations.loops.posture import CLOSED, Attempt, close_loops, openings
from phalanx.errors import InvalidInput, PhalanxError
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

_TRIES = 20
ROUGHLY_CLOSED = 1e-6  # [m or rad]: a step brings it back to zero


class OpenLoop(PhalanxError):
    """Loops that could not be closed, with the nearest posture that was found.

    Attributes:
        q: That posture, shape (nq,).
        residual: How far it is from closing [m or rad].
        loops: The loops that are open, with how far.
    """

    def __init__(
        self, mechanism: Mechanism, q: Array, residual: float, loops: dict[str, float]
    ) -> None:
        """Say which loop fails, by how much and where."""
        self.q, self.residual, self.loops = q, residual, loops
        worst = ", ".join(f"'{name}' by {by:.3g}" for name, by in loops.items())
        where = np.array2string(q, precision=4, separator=", ", threshold=12)
        super().__init__(
            f"the loops of mechanism '{mechanism.name}' do not close: the smallest opening found "
            f"is {residual:.3g} m or rad ({worst} still open) at q = {where}. Start from a guess "
            "nearer to a posture that exists, or check the lengths."
        )


@dataclass(frozen=True)
class Assembly:
    """A machine whose loops are closed.

    Attributes:
        q: Positions, shape (nq,).
        v: Velocities that keep the loops closed, shape (nv,).
        residual: How far the loops are open [m or rad].
        mobility: Degrees of freedom that the loops leave at this posture.
        redundant: How many closure equations follow from others.
        independent: Numbers of velocities that determine all others, chosen by pivoting.
        is_singular: Whether the machine has more freedom here than in general.
        condition: Ratio of the largest to the smallest singular value of the equations that count;
            large near a singular posture.
    """

    q: Array
    v: Array
    residual: float
    mobility: int
    redundant: int
    independent: tuple[int, ...]
    is_singular: bool
    condition: float


def assemble(
    mechanism: Mechanism,
    guess: Any = None,
    velocity: Any = None,
    *,
    held: Sequence[str] = (),
) -> Assembly:
    """A posture that closes all loops, near a guess, and velocities that keep them closed.

    Args:
        mechanism: A machine with loops.
        guess: Positions to start from, shape (nq,); all joints at zero when not given. Where no
            guess is given, random ones are tried as well.
        velocity: Velocities to start from, shape (nv,); the nearest consistent ones are taken.
        held: Joints that keep the position of the guess.

    Raises:
        OpenLoop: No posture was found in which all loops close.
        InvalidInput: The guess has the wrong shape or is not finite.
    """
    start = mechanism.neutral() if guess is None else _vector(guess, mechanism.nq, "a guess")
    rates = (
        np.zeros(mechanism.nv) if velocity is None else _vector(velocity, mechanism.nv, "velocity")
    )
    fixed = np.zeros(mechanism.nv, dtype=bool)
    for name in held:
        mechanism.joint(name)
        fixed[mechanism.v_slices[name]] = True
    reached = close_loops(mechanism, start, fixed)
    if guess is None and not reached.closes:
        reached = min((reached, *_random_attempts(mechanism)), key=lambda a: a.residual)
    if not reached.closes:
        raise OpenLoop(mechanism, reached.q, reached.residual, open_loops(mechanism, reached.q))
    return _described(mechanism, reached, rates)


def check_closed(mechanism: Mechanism, q: Array, v: Array) -> None:
    """InvalidInput unless a state is closed, stays closed, and is in no singular posture."""
    opened = open_loops(mechanism, q, ROUGHLY_CLOSED)
    hint = "phalanx.assemble(mechanism, q, v) finds the nearest state that does"
    if opened:
        name, by = max(opened.items(), key=lambda item: item[1])
        raise InvalidInput(
            f"the initial positions of '{mechanism.name}' leave loop '{name}' open by {by:.3g} "
            f"m or rad; {hint}."
        )
    A = np.asarray(derivative_function(model_of(mechanism))(q))
    values = np.linalg.svd(A, compute_uv=False)
    if (values > RANK * values.max(initial=1e-300)).sum() < len(independent_rows(mechanism)):
        raise InvalidInput(
            f"the initial positions of '{mechanism.name}' are singular: its loops leave it more "
            "freedom there than elsewhere, and forces in them are not determined. Start next to it."
        )
    rate = np.abs(A @ v).max(initial=0.0)
    if rate > ROUGHLY_CLOSED * max(1.0, np.abs(v).max(initial=0.0)):
        raise InvalidInput(
            f"the initial velocities of '{mechanism.name}' open its loops at {rate:.3g} m/s or "
            f"rad/s; {hint}."
        )


def open_loops(mechanism: Mechanism, q: Array, tolerance: float = CLOSED) -> dict[str, float]:
    """Loops that are open at a posture, with their largest opening [m or rad]."""
    found: dict[str, float] = {}
    for name, by in zip(rows_of_loops(model_of(mechanism)), openings(mechanism, q), strict=True):
        if abs(by) > tolerance:
            found[name] = max(found.get(name, 0.0), abs(float(by)))
    return found


def _described(mechanism: Mechanism, reached: Attempt, rates: Array) -> Assembly:
    A = np.asarray(derivative_function(model_of(mechanism))(reached.q))
    values = np.linalg.svd(A, compute_uv=False)
    largest = values.max(initial=0.0)
    rank = int((values > RANK * max(largest, 1e-300)).sum())
    usual = len(independent_rows(mechanism))
    v = rates - np.linalg.lstsq(A, A @ rates, rcond=RANK)[0] if rank else rates
    dependent = spanning_columns(A)
    independent = tuple(k for k in range(mechanism.nv) if k not in dependent)
    counted = values[min(usual, len(values)) - 1] if usual else 1.0
    return Assembly(
        reached.q,
        v,
        reached.residual,
        mechanism.nv - rank,
        len(A) - usual,
        independent,
        rank < usual,
        float(largest / counted) if counted else np.inf,
    )


def _random_attempts(mechanism: Mechanism) -> list[Attempt]:
    attempts = []
    for seed in range(_TRIES):
        attempts.append(close_loops(mechanism, mechanism.random_positions(seed=seed)))
        if attempts[-1].closes:
            break
    return attempts


def _vector(values: Any, size: int, what: str) -> Array:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (size,) or not np.isfinite(numbers).all():
        raise InvalidInput(
            f"{what} has shape {numbers.shape} or is not finite; expected ({size},)."
        )
    return numbers
