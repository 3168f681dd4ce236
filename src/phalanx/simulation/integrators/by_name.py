"""Integrators by the names that scenarios and commands give them."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.simulation.integrators.integrators import (
    Cvodes,
    DormandPrince,
    FixedStep,
    Integrator,
    Rosenbrock2,
    RungeKutta4,
    RungeKuttaGill,
    SemiImplicitEuler,
)

INTEGRATORS: dict[str, Callable[..., Integrator]] = {
    "rk4": RungeKutta4,
    "gill": RungeKuttaGill,
    "euler": SemiImplicitEuler,
    "dormand-prince": DormandPrince,
    "cvodes": Cvodes,
    "rosenbrock": Rosenbrock2,
}
# those that take steps of one length, which batches need
FIXED_STEP = {
    name: one
    for name, one in INTEGRATORS.items()
    if isinstance(one, type) and issubclass(one, FixedStep)
}
