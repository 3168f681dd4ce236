"""Formulation with states (q, v), for any method that gives accelerations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.expression import identifier
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import position_rate
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation


class Accelerations(Formulation):
    """Integrates (q, v), 2n numbers, with accelerations from a method of forward dynamics."""

    def __init__(self, mechanism: Mechanism, method: Callable[..., SX], **options: Any) -> None:
        """Compile a method: ``loops.penalty``, ``loops.multipliers`` and the like.

        Args:
            mechanism: The machine.
            method: Accelerations ``method(mechanism, q, v, tau, **options)``.
            options: Further keywords of the method.
        """
        model = model_of(mechanism)
        x = SX.sym("x", mechanism.nq + mechanism.nv)
        q, v = x[: mechanism.nq], x[mechanism.nq :]
        tau = SX.sym("tau", mechanism.nv)
        rate = ca.vertcat(position_rate(model, q, v), method(model, q, v, tau, **options))
        name = identifier(f"{mechanism.name}_{method.__name__}_rate")
        self.mechanism = mechanism
        self.kernel = compile(ca.Function(name, [x, tau], ca.cse([rate]), ["x", "tau"], ["dx"]))

    def begin(self, q: Array, v: Array) -> Array:
        return np.concatenate([q, v])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], x[self.mechanism.nq :]

    def rate(self, t: float, x: Array, control: Control) -> Array:
        return self.kernel.call(x, control(t, *self.state(t, x)))

    def rates(self, t: Array, x: Array, control: Control) -> Array:
        """Rates of several states, a row each; every state has a lane of its own."""
        tau = [control(float(s), *self.state(float(s), y)) for s, y in zip(t, x, strict=True)]
        return self.kernel.call(x, np.array(tau))
