"""Result of an identification, and how well it predicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.facts import Facts, TextTable
from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics
from phalanx.identification.base import BaseParameters
from phalanx.identification.measurements import measured_of
from phalanx.identification.parameters import columns, known_torques
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import joint_names

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Fit:
    """How near predicted torques are to measured ones.

    Attributes:
        joints: Names.
        rms: Root of the mean square of the difference [N·m or N], shape (n,).
        relative: The same as a share of the measured torques' own, shape (n,).
    """

    joints: tuple[str, ...]
    rms: Array
    relative: Array

    def __str__(self) -> str:
        """A line a joint."""
        rows = zip(self.joints, self.rms, self.relative, strict=True)
        return "\n".join(f"{name}: {rms:.4g} N·m or N, {share:.2%}" for name, rms, share in rows)


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Identification:
    """Parameters of a machine, estimated.

    Attributes:
        base: The combinations that torques depend on.
        values: Of each combination, SI units, shape (p,).
        standard_errors: Of the values, shape (p,).
        covariance: Of the values, shape (p, p).
        noise: Standard deviation of each joint's torque about the model [N·m or N], shape (n,).
        condition: Condition number of the data.
        mechanism: The machine with parameters that bodies can have, whose base parameters are as
            near to ``values`` as their errors say.
        consistent: Base parameters of that machine, shape (p,).
    """

    base: BaseParameters
    values: Array
    standard_errors: Array
    covariance: Array
    noise: Array
    condition: float
    mechanism: Mechanism
    consistent: Array
    _model: Dynamics = field(repr=False)
    _terms: tuple[str, ...] = field(repr=False)

    def torques(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Torques that the estimate predicts [N·m or N], (..., n)."""
        q, v, a = (np.asarray(part, dtype=np.float64) for part in (q, v, a))
        W = columns(self._model, q, v, a, self._terms)[..., self.base.independent]
        return np.asarray(W @ self.values + known_torques(self._model, v, a, self._terms))

    def check(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> Fit:
        """How well it predicts torques of a motion, best of one that was not used.

        Args:
            q: Positions [rad or m], shape (..., n).
            v: Velocities [rad/s or m/s], shape (..., n).
            a: Accelerations [rad/s² or m/s²], shape (..., n).
            tau: Measured torques [N·m or N], shape (..., n).
        """
        m = self._model.mechanism
        data = measured_of(m, q, v, a, tau)
        off = self.torques(data.q, data.v, data.a) - data.tau
        rms, own = (np.sqrt(np.mean(part**2, axis=0)) for part in (off, data.tau))
        return Fit(joint_names(m), rms, rms / np.maximum(own, 1e-300))

    def facts(self, fit: Fit, data: str = "these data") -> Facts:
        """Return parameters with their standard errors, and errors of predicted torques.

        Args:
            fit: Errors of predicted torques.
            data: Name of the measurements.
        """
        numbers = ("value", "standard_error", "consistent")
        parameters = TextTable(
            f"{len(self.base)} base parameters, condition number {self.condition:.3g}",
            ["parameter"],
            ["value", "std error", "consistent"],
            [[r["parameter"], *(f"{r[name]:.4g}" for name in numbers)] for r in self.table()],
            values={
                "parameters": self.table(),
                "condition": self.condition,
                "noise": self.noise.tolist(),
            },
        )
        lines = [f"  {line}" for line in str(fit).splitlines()]
        rows = zip(fit.joints, fit.rms.tolist(), fit.relative.tolist(), strict=True)
        fits = {name: {"rms": rms, "relative": share} for name, rms, share in rows}
        return Facts(
            [parameters, "", f"Error of the torques predicted for {data}:", *lines], {"fit": fits}
        )

    def table(self) -> list[dict[str, Any]]:
        """Rows of name, expression, value, standard error and the consistent value."""
        columns_ = (self.base.leaders, self.base.expressions, self.values, self.standard_errors)
        rows = zip(*columns_, self.consistent, strict=True)
        names = ("parameter", "expression", "value", "standard_error", "consistent")
        return [
            dict(zip(names, (a, b, float(c), float(d), float(e)), strict=True))
            for a, b, c, d, e in rows
        ]
