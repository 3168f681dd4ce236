"""The vector forms as numbers: the same text that tasks and symbols run, over NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import axis_chain
from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, JointLoad
from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.equations.model_of import model_in_given_frames, model_of
from phalanx.mechanism import Mechanism

NumberChain = AxisChain[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Arrays:
    """Vector operators over arrays of one precision."""

    dtype: Any = np.float64

    @property
    def two(self) -> np.ndarray:
        return np.asarray(2, self.dtype)

    @property
    def zero(self) -> np.ndarray:
        return np.zeros(3, self.dtype)

    @property
    def unit(self) -> np.ndarray:
        return np.eye(3, dtype=self.dtype)

    def at(self, direction: PassDirection, level: int, first: int, last: int) -> Arrays:
        return self

    def sum(self, role: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + y

    def scaled(self, role: str, s: np.ndarray, x: np.ndarray) -> np.ndarray:
        return s * x

    def cross(self, role: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return cross(x, y)

    def dot(self, role: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x @ y

    def added(self, role: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + y

    def turned(self, role: str, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        return A @ x

    def turned_back(self, role: str, A: np.ndarray, x: np.ndarray) -> np.ndarray:
        return A.T @ x

    def product(self, role: str, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return A @ B


def cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """NumPy's own takes ten times as long for two vectors."""
    return np.stack(
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    )


def number_chain(
    mechanism: Mechanism,
    state: tuple[np.ndarray, ...],
    *,
    dtype: Any = np.float64,
    **options: Any,
) -> NumberChain:
    """A chain at a state; options are those of ``axis_chain``."""
    with quick_operators():
        model = model_in_given_frames(mechanism)
        chain = axis_chain(model, *(SX(ca.DM(x)) for x in state), **options)

    def numbers(x: SX) -> np.ndarray:
        return np.array(ca.DM(ca.densify(x)), dtype=dtype)

    def vector(x: SX) -> np.ndarray:
        return numbers(x)[:, 0]

    return chain.each(vector, numbers, lambda x: numbers(x)[0, 0])


def torques(chain: NumberChain, loads: list[JointLoad[np.ndarray]]) -> np.ndarray:
    """The part of every load along its joint; what the ground carries, if there, is left out."""
    loads = loads[len(loads) - len(chain.links) :]
    return np.array(
        [
            link.axis @ (load.n if link.turns else load.f)
            for link, load in zip(chain.links, loads, strict=True)
        ]
    )


def values(
    equation: Callable[..., Any],
    mechanism: Mechanism,
    state: tuple[np.ndarray, ...],
    **options: Any,
) -> np.ndarray:
    """An equation at a state, without a function of its own."""
    with quick_operators():
        result = equation(model_of(mechanism), *(SX(ca.DM(x)) for x in state), **options)
    return np.array(ca.DM(ca.densify(result))).ravel()


def off(actual: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference against the largest entry."""
    return float(np.abs(actual - wanted).max() / np.abs(wanted).max())


def wide(*parts: np.ndarray) -> SX:
    """Force and moment, or linear and angular part, as symbols."""
    return SX(ca.DM(np.concatenate(parts)))
