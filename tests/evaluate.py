"""Equations as numbers through CasADi's interpreter: no compiler between a test and the formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

import phalanx as px
from phalanx import equations as eq
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

SCALARS = ("T", "U", "E")
MATRICES = (
    *("M", "M_inverse", "C", "J", "dJ", "X", "Y", "M_free", "W"),
    *("dtau_dq", "dtau_dv", "dtau_da", "da_dq", "da_dv", "da_dtau"),
)


class Numbers:
    """The quantities of one mechanism, each traced once."""

    def __init__(self, mechanism: Mechanism | Model, parameters: tuple[str, ...] = ()) -> None:
        self.model = model_of(mechanism, parameters)
        self.mechanism = self.model.mechanism
        self._functions: dict[Any, ca.Function] = {}

    def function(self, equation: Callable[..., Any], **options: Any) -> ca.Function:
        key = (equation, *((k, str(value)) for k, value in sorted(options.items())))
        if key not in self._functions:
            self._functions[key] = px.expression(equation, self.model, **options)
        return self._functions[key]

    def __call__(self, equation: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Value at one state: columns as vectors, one number as a float, several as a tuple."""
        function = self.function(equation, **options)
        results = function.call([ca.DM(x) for x in arguments])
        arrays = tuple(
            _plain(np.array(x), name) for x, name in zip(results, function.name_out(), strict=True)
        )
        return arrays if len(arrays) > 1 else arrays[0]

    # the quantities that most laws speak of

    def inverse(self, q: Any, v: Any, a: Any) -> np.ndarray:
        return self(px.inverse_dynamics.recursive, q, v, a)

    def forward(self, q: Any, v: Any, tau: Any) -> np.ndarray:
        return self(px.forward_dynamics.factorized, q, v, tau)

    def mass_matrix(self, q: Any) -> np.ndarray:
        return self(px.mass_matrix.composite_body, q)

    def move(self, q: Any, d: Any) -> np.ndarray:
        return self(eq.integrate, q, d)

    def along(self, f: Callable[[np.ndarray], Any], q: Any, d: Any, h: float = 1e-4) -> np.ndarray:
        """Rate of ``f(q)`` when q moves along the velocities d: central differences.

        Of fourth order, so that with h = 1e-4 both truncation (h⁴ = 1e-16) and rounding
        (1e-16 / h = 1e-12) stay far below the tolerances of the laws.
        """
        d = np.asarray(d)

        def at(step: float) -> np.ndarray:
            return np.asarray(f(self.move(q, step * d)))

        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def _plain(x: np.ndarray, name: str) -> Any:
    if name in SCALARS:
        return float(x[0, 0])
    return x if name in MATRICES else x[:, 0]


def batch(function: ca.Function, *columns: np.ndarray) -> list[np.ndarray]:
    """Outputs of a function for rows of samples, (samples, rows, columns) each."""
    n = len(columns[0])
    results = function.map(n).call([ca.DM(x.T) for x in columns])
    return [
        np.array(r).reshape(function.size1_out(k), n, function.size2_out(k)).transpose(1, 0, 2)
        for k, r in enumerate(results)
    ]


def close(actual: Any, wanted: Any, tolerance: float, what: str = "") -> None:
    """Equal up to ``tolerance`` times the largest entry: entries of one result mix units, cancel,
    and are exact only against the largest term that went into them."""
    actual, wanted = np.asarray(actual, dtype=float), np.asarray(wanted, dtype=float)
    assert actual.shape == wanted.shape, f"{what} {actual.shape} against {wanted.shape}"
    if not actual.size:
        return
    scale = max(float(np.abs(wanted).max()), 1.0)
    error = float(np.abs(actual - wanted).max())
    assert error <= tolerance * scale, (
        f"{what} differs by {error:.3g}, allowed {tolerance:.1g} of {scale:.3g}\n"
        f"got {actual}\nwanted {wanted}"
    )
