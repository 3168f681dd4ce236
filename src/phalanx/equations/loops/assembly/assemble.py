"""Assembly of a machine with loops: a posture and velocities that its closures allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from phalanx.base.arguments import checked, numbers
from phalanx.base.errors import InvalidInput, shown
from phalanx.base.short_repr import short_repr
from phalanx.equations.loops.assembly.checks import ROUGHLY_CLOSED
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.numeric_jacobian import numeric_jacobian
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.assembly.pivoting import RANK, spanning_columns
from phalanx.equations.loops.assembly.search import Attempt, BoolArray
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.pose import Array


@short_repr
@dataclass(frozen=True)
class Assembly:
    """A machine whose loops are closed.

    Attributes:
        q: Positions, shape (nq,).
        v: Velocities that keep the loops closed, shape (nv,).
        residual: How far the loops are open [m or rad].
        mobility: Degrees of freedom that the loops leave at this posture, to first order: a shaky
            structure counts the directions in which it is soft.
        redundant: How many closure equations follow from others.
        independent: Numbers of velocities that determine all others, chosen by pivoting.
        is_singular: Whether the machine has more freedom here than in general.
        condition: Ratio of the largest to the smallest singular value of the equations that count;
            large near a singular posture.
        a: Accelerations that keep the loops closed, shape (nv,); None where none were asked for.
    """

    q: Array
    v: Array
    residual: float
    mobility: int
    redundant: int
    independent: tuple[int, ...]
    is_singular: bool
    condition: float
    a: Array | None = None


@checked
def assemble(
    mechanism: Mechanism,
    guess: Any = None,
    velocity: Any = None,
    acceleration: Any = None,
    *,
    held: Sequence[str] | str = (),
) -> Assembly:
    """A posture that closes all loops, near a guess, and velocities that keep them closed.

    Limits of joints are not looked at. A mechanism without loops is closed as it is.

    Args:
        mechanism: A machine with loops.
        guess: Positions to start from, shape (nq,); all joints at zero when not given. From a
            guess that leads nowhere, such as a singular one, others next to it are tried; where
            none is given, any.
        velocity: Velocities to start from, shape (nv,); the nearest consistent ones are taken.
        acceleration: Accelerations to start from, shape (nv,); the nearest that keep the loops
            closed at these velocities are taken.
        held: Joints that keep the position of the guess, their velocity and acceleration.

    Raises:
        OpenLoop: No posture was found in which all loops close.
        InvalidModel: Which equations of the loops follow from others cannot be decided.
        InvalidInput: The guess has the wrong shape, is not finite, or is no position; a held joint
            has no coordinate of its own; no velocities or accelerations fit those of the held
            joints.
        UnknownName: A held joint does not exist.
    """
    start = mechanism.neutral() if guess is None else _positions(mechanism, guess)
    rates = (
        np.zeros(mechanism.nv) if velocity is None else _vector(velocity, mechanism.nv, "velocity")
    )
    fixed = _held(mechanism, held)
    reached = closed_loops(mechanism).search.nearest(start, fixed, anywhere=guess is None)
    if not reached.closes:
        opened = closed_loops(mechanism).open_loops(reached.q)
        raise OpenLoop(mechanism, reached.q, max(opened.values()), opened, held)
    found = _described(mechanism, reached, rates, fixed)
    if acceleration is None:
        return found
    wanted = _vector(acceleration, mechanism.nv, "acceleration")
    return replace(found, a=_accelerations(mechanism, found.q, found.v, wanted, fixed))


def closed_start(mechanism: Mechanism) -> Array:
    """Default start of a machine: all joints at zero, its loops closed, (nq,).

    Raises:
        OpenLoop: No posture was found in which all loops close.
    """
    start = mechanism.neutral()
    if not mechanism.loops or not closed_loops(mechanism).open_loops(start, ROUGHLY_CLOSED):
        return start
    return assemble(mechanism).q


def _described(mechanism: Mechanism, reached: Attempt, rates: Array, held: BoolArray) -> Assembly:
    A = numeric_jacobian(mechanism, reached.q)
    values = np.linalg.svd(A, compute_uv=False)
    largest = values.max(initial=0.0)
    rank = int((values > RANK * max(largest, 1e-300)).sum())
    in_general = closed_loops(mechanism).rank
    usual = max(rank, len(in_general.rows))
    dependent = spanning_columns(A)
    independent = tuple(k for k in range(mechanism.nv) if k not in dependent)
    counted = values[usual - 1] if usual else 1.0
    return Assembly(
        reached.q,
        _consistent(mechanism, A, rates, held),
        reached.residual,
        mechanism.nv - rank,
        len(in_general.A) - usual,
        independent,
        rank < usual,
        float(largest / counted) if usual and counted else (np.inf if usual else 1.0),
    )


def _consistent(mechanism: Mechanism, A: Array, rates: Array, held: BoolArray) -> Array:
    """The velocities nearest to given ones that keep the loops closed, held joints as they are."""
    v = rates.copy()
    if len(A) and not held.all():
        v[~held] -= np.linalg.lstsq(A[:, ~held], A @ rates, rcond=RANK)[0]
    opening = np.abs(A @ v).max(initial=0.0)
    if opening > RANK * max(1.0, np.abs(rates).max(initial=0.0)):
        names = ", ".join(j.name for j in mechanism.moving_joints if held[_place(mechanism, j)])
        raise InvalidInput(
            f"no velocities of '{mechanism.name}' keep its loops closed while its held joints "
            f"({names}) move as given: the loops would open at {opening:.3g} m/s or rad/s. Hold "
            "fewer joints."
        )
    return v


def _accelerations(
    mechanism: Mechanism, q: Array, v: Array, wanted: Array, held: BoolArray
) -> Array:
    """The accelerations nearest to given ones that keep the loops closed, held joints as given."""
    A, b = (np.asarray(x) for x in _equations_function(mechanism)(q, v))
    b = b.ravel()
    a = wanted.copy()
    if len(A) and not held.all():
        a[~held] -= np.linalg.lstsq(A[:, ~held], A @ wanted + b, rcond=RANK)[0]
    opening = np.abs(A @ a + b).max(initial=0.0)
    if opening > RANK * max(1.0, np.abs(wanted).max(initial=0.0), np.abs(b).max(initial=0.0)):
        names = ", ".join(j.name for j in mechanism.moving_joints if held[_place(mechanism, j)])
        why = (
            f"while its held joints ({names}) accelerate as given"
            if held.any()
            else "at these velocities, which lead out of a singular posture"
        )
        cure = "Hold fewer joints." if held.any() else "Take other velocities."
        raise InvalidInput(
            f"no accelerations of '{mechanism.name}' keep its loops closed {why}: the loops would "
            f"open at {opening:.3g} m/s² or rad/s². {cure}"
        )
    return a


@lru_cache(maxsize=64)
def _equations_function(mechanism: Mechanism) -> ca.Function:
    """``(q, v) -> (A, b)`` of the equations that count: accelerations obey A a + b = 0."""
    q, v = ca.SX.sym("q", mechanism.nq), ca.SX.sym("v", mechanism.nv)
    equations = constraint(model_of(mechanism), q, v, closed_loops(mechanism).exact_rows)
    return ca.Function("equations", [q, v], [ca.densify(equations.A), ca.densify(equations.b)])


def _held(mechanism: Mechanism, names: Sequence[str]) -> BoolArray:
    held = np.zeros(mechanism.nv, dtype=bool)
    for name in [names] if isinstance(names, str) else names:
        joint = mechanism.joint(name)
        if joint.name not in mechanism.v_slices:
            raise InvalidInput(
                f"joint '{name}' of '{mechanism.name}' cannot be held: it has no coordinate of its "
                "own, being fixed or following another."
            )
        held[mechanism.v_slices[name]] = True
    return held


def _place(mechanism: Mechanism, joint: Joint) -> int:
    return mechanism.v_slices[joint.name].start


def _positions(mechanism: Mechanism, guess: Any) -> Array:
    q = closed_loops(mechanism).plain.with_unit_quaternions(_vector(guess, mechanism.nq, "a guess"))
    if not np.isfinite(q).all():
        raise InvalidInput(
            f"a guess for '{mechanism.name}' holds a quaternion of length zero; "
            "mechanism.neutral() has unit ones."
        )
    return q


def _vector(values: Any, size: int, what: str) -> Array:
    try:
        found = numbers(what, values)
    except InvalidInput:
        raise InvalidInput(f"{what} must be {size} numbers, got {shown(values)}.") from None
    if found.shape != (size,):
        raise InvalidInput(f"{what} has shape {found.shape}; expected ({size},).")
    if not np.isfinite(found).all():
        raise InvalidInput(f"{what} holds a NaN or an infinity: {found.tolist()}.")
    return found
