"""A run of a chain in plain numbers and names: what ranks are handed that are started for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.programs.chains.forward import Solving
from phalanx.distribute.programs.chains.plan import ChainPlan, Stepping
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.jacobi import Jacobi
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.dynamics.evaluators.warm_starts import Polynomial
from phalanx.mechanism import Mechanism, library
from phalanx.mechanism.read import load

ITERATIONS: dict[str, type[ThreeTerm]] = {
    "jacobi": Jacobi,
    "chebyshev": ChebyshevJacobi,
    "conjugate-gradient": ConjugateGradientJacobi,
}
CHAIN_METHODS = tuple(ITERATIONS)
CHAIN = "chain"  # the machine of the library that has as many bodies as one wants


@final
@dataclass(frozen=True)
class ChainJob:
    """What is to be run, in plain numbers and names.

    Attributes:
        model: A file, or a machine of the library.
        bodies: Of the library's chain, how many; joint: of which type.
        joint: See above.
        method: ``jacobi``, ``chebyshev`` or ``conjugate-gradient``.
        tolerance: For change and residual of an iteration.
        most: Largest number of steps of an iteration; as many as the method finds right when not
            given.
        duration: [s].
        step: [s].
        stepping: ``runge-kutta`` or ``semi-implicit``.
        order: Of the polynomial through forces before, where an iteration begins; -1: at zero.
        bend: How far every freedom is from the neutral posture at first [rad or m].
        every: Every so many steps a row is recorded.
        record: An ``.mcap`` file, or none.
        timeout: How long ranks wait for each other [s].
    """

    model: str = CHAIN
    bodies: int | None = None
    joint: str = "revolute"
    method: str = "conjugate-gradient"
    tolerance: float = 1e-8
    most: int | None = None
    duration: float = 1.0
    step: float = 1e-3
    stepping: str = "runge-kutta"
    order: int = 3
    bend: float = 0.1
    every: int = 1
    record: str | None = None
    timeout: float = 10.0

    def plan(self, nodes: int, mechanism: Mechanism | None = None) -> ChainPlan:
        """The run on so many nodes; the machine is found by its name unless it is given.

        Raises:
            UnknownName: There is no such machine or method.
            InvalidInput: Numbers do not fit.
            InvalidModel: The machine closes on itself.
        """
        if self.method not in ITERATIONS:
            raise UnknownName("a chain on ranks", "method", self.method, ITERATIONS)
        if self.stepping not in list(Stepping):
            raise UnknownName("a chain on ranks", "way of stepping", self.stepping, list(Stepping))
        if not np.isfinite(self.bend):
            raise InvalidInput(f"bend={self.bend}; expected an angle or a way.")
        m = mechanism or self.mechanism()
        stopping = Stopping(self.tolerance, self.tolerance, self.most)
        bent = Positions(bodies_of(m)).after(m.neutral()[None], np.full((1, m.nv), self.bend))[0]
        return ChainPlan(
            m,
            nodes,
            Solving(ITERATIONS[self.method](), stopping),
            self.duration,
            self.step,
            Stepping(self.stepping),
            None if self.order < 0 else Polynomial(self.order),
            self.every,
            q=bent,
        )

    def mechanism(self) -> Mechanism:
        """The machine.

        Raises:
            InvalidInput: ``bodies`` is given for another one than the library's chain.
        """
        if self.bodies is not None:
            if self.model != CHAIN:
                raise InvalidInput(
                    f"bodies={self.bodies} is for the library's '{CHAIN}', not for '{self.model}'."
                )
            return library.chain(self.bodies, self.joint)
        return load(self.model)
