"""Forward-dynamics methods that are compared: those of ``evaluators``, and unrolled code."""

from __future__ import annotations

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import ClassVar, final

import phalanx.dynamics.evaluators
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.choice import SIZES, is_long
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.equations import forward_dynamics
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class UnrolledMethod(Method):
    """Articulated bodies as straight code, a copy of the equations for every body."""

    name: ClassVar[str] = "unrolled"

    def solver(self, bodies: Bodies, threads: int) -> UnrolledSolver:
        """See `Method`.

        Raises:
            InvalidInput: When the machine is so long that `Dynamics` would traverse it.
        """
        if is_long(bodies.mechanism, "quantity"):
            raise InvalidInput(
                f"code unrolled over {len(bodies)} elementary joints takes long to compile; "
                f"expected at most {SIZES['quantity'].traversed_from - 1}."
            )
        return UnrolledSolver(bodies, threads)


@final
class UnrolledSolver(Solver):
    """Forward dynamics in straight code, of a root that rests."""

    def __init__(self, bodies: Bodies, threads: int) -> None:
        self.depth = 3 * len(bodies)
        self._dynamics = Dynamics(
            bodies.mechanism, forward=forward_dynamics.articulated_body, threads=threads
        )

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        assert external is None
        return self._dynamics.forward_dynamics(q, v, tau)


def _found() -> dict[str, Method]:
    found: dict[str, Method] = {}
    for module in pkgutil.walk_packages(
        phalanx.dynamics.evaluators.__path__, "phalanx.dynamics.evaluators."
    ):
        for _, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
            if issubclass(kind, Method) and not inspect.isabstract(kind):
                found[kind.name.replace(" ", "-")] = kind()
    order = ("serial", "automatic", "segments", "scan", "block-tridiagonal", "cyclic-reduction")
    rank = {name: k for k, name in enumerate(order)}
    names = sorted(found, key=lambda name: (rank.get(name, len(order)), name))
    return {name: found[name] for name in names} | {UnrolledMethod.name: UnrolledMethod()}


# all methods by name, each with its usual settings
METHODS = MappingProxyType(_found())
