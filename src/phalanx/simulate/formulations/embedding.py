"""States of all positions and the velocities along free directions.

With a held basis the state is (q, z), z = Nᵀ v, 2n - m numbers; when N comes near to failing,
another is chosen and the integrator begins anew. With a fresh basis there is nothing behind z that
could be integrated, since the basis turns: velocities of the joints are integrated, and projected
at every evaluation. Open loops close like exp(-decay t) in either case: dc/dt = -decay c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.build import model_of
from phalanx.equations.configuration import position_rate
from phalanx.equations.expression import identifier
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.bases import (
    Basis,
    FreshBasis,
    Gaussian,
    HeldBasis,
    condition,
    held,
    jump,
    selector,
)
from phalanx.equations.loops.closure import constraint
from phalanx.equations.loops.independent import independent_rows
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.errors import InvalidInput
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulate.formulations.formulation import Array, Control, Formulation, Notes, Restart

WORST_CONDITION = 100.0
SINGULAR = 1e10  # rounding errors of the state then decide where it goes
JUMP = 0.5  # of a unit vector between two steps; a smooth basis turns by the posture's change


class Terms:
    """The terms of a machine's equations, compiled once for all bases."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Compile."""
        model = model_of(mechanism)
        rows = independent_rows(mechanism)
        q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
        equations = constraint(model, q, v, rows)
        name = identifier(mechanism.name)
        place = [ca.densify(composite_body(model, q)), equations.c, ca.densify(equations.A)]
        motion = [
            recursive(model, q, v, SX(mechanism.nv, 1)),
            equations.b,
            position_rate(model, q, v),
        ]
        self.place = compile(
            ca.Function(f"{name}_place", [q], ca.cse(place), ["q"], ["M", "c", "A"])
        ).call
        self.motion = compile(
            ca.Function(f"{name}_motion", [q, v], ca.cse(motion), ["q", "v"], ["bias", "b", "dq"])
        ).call


@lru_cache(maxsize=32)
def terms_of(mechanism: Mechanism) -> Terms:
    """The terms of a machine, compiled once."""
    return Terms(mechanism)


@dataclass(frozen=True)
class Evaluated:
    """Rates of a machine: of positions, and of velocities along and across its basis."""

    dq: Array
    v: Array
    along: Array
    across: Array


class _Projected(Formulation):
    """What embeddings share: terms, decay, and the acceleration for a given basis."""

    def __init__(self, mechanism: Mechanism, decay: float) -> None:
        self.mechanism, self.decay = mechanism, decay
        self.terms = terms_of(mechanism)

    def evaluate(self, t: float, q: Array, z: Array, basis: Basis, control: Control) -> Evaluated:
        """Rates of q, and d/dt of the velocities along S.

        Reference:
            Khan (2002), eqs. 2.16-2.19, with the acceleration across S that belongs to R.
        """
        M, c, A = self.terms.place(q)
        v = basis.S @ z - self.decay * (basis.R @ c)
        bias, b, dq = self.terms.motion(q, v)
        across = -basis.R @ (b + self.decay * (A @ v))
        force = control(t, q, v) - bias - M @ across
        along = np.linalg.solve(basis.S.T @ M @ basis.S, basis.S.T @ force)
        return Evaluated(dq, v, along, across)

    def derivative(self, q: Array) -> Array:
        """A at a posture."""
        return self.terms.place(q)[2]


class Embedding(_Projected):
    """Integrates (q, Nᵀ v) with a held basis; changes N and begins anew before it fails."""

    def __init__(
        self,
        mechanism: Mechanism,
        basis: HeldBasis | None = None,
        *,
        decay: float = 0.0,
        worst_condition: float = WORST_CONDITION,
    ) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            basis: How N is chosen; by elimination with total pivoting when not given.
            decay: Rate at which open loops close [1/s].
            worst_condition: Condition number of [A; Nᵀ] at which another N is chosen.
        """
        super().__init__(mechanism, decay)
        self.basis = Gaussian() if basis is None else basis
        self.worst_condition = worst_condition
        self.N = np.zeros((mechanism.nv, 0))

    def begin(self, q: Array, v: Array) -> Array:
        """See :class:`Formulation`."""
        given = self.basis.independent if isinstance(self.basis, Gaussian) else None
        A = self.derivative(q)
        self.N = self.basis.select(A) if given is None else selector(A.shape[1], given)
        found = condition(A, self.N)
        if not found < SINGULAR:
            what = "its loops are" if given is None else "the partition by independent joints is"
            raise InvalidInput(
                f"'{self.mechanism.name}' cannot start here: {what} singular at the first "
                f"posture (condition {found:.2g}). Start a little further on, or choose others."
            )
        return np.concatenate([q, self.N.T @ v])

    def state(self, x: Array) -> tuple[Array, Array]:
        """See :class:`Formulation`."""
        q, z = self._parts(x)
        _, c, A = self.terms.place(q)
        basis = held(A, self.N)
        return q, basis.S @ z - self.decay * (basis.R @ c)

    def rate(self, t: float, x: Array, control: Control) -> Array:
        """See :class:`Formulation`."""
        q, z = self._parts(x)
        found = self.evaluate(t, q, z, held(self.derivative(q), self.N), control)
        return np.concatenate([found.dq, found.along])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Choose another N where the present one comes near to failing."""
        q, _ = self._parts(x)
        A = self.derivative(q)
        now = condition(A, self.N)
        if now <= self.worst_condition:
            return None
        better = self.basis.select(A)
        if condition(A, better) >= now:
            return None
        _, v = self.state(x)
        notes.restarts.append(Restart(t, now))
        self.N = better
        return np.concatenate([q, better.T @ v])

    def _parts(self, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], x[self.mechanism.nq :]


class FreshProjection(_Projected):
    """Integrates (q, v) with a basis that is decomposed at every evaluation.

    Attributes:
        as_printed: Whether velocities along the basis are integrated instead, as if it stood
            still. It does not, and jumps where it turns by itself; those are noted.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        basis: FreshBasis,
        *,
        decay: float = 0.0,
        as_printed: bool = False,
    ) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            basis: How A is decomposed.
            decay: Rate at which open loops close [1/s].
            as_printed: Whether velocities along the basis are integrated, as Yun and Sarkar do.
        """
        super().__init__(mechanism, decay)
        self.basis, self.as_printed = basis, as_printed
        self._before: Basis | None = None

    def begin(self, q: Array, v: Array) -> Array:
        """See :class:`Formulation`."""
        self._before = self.basis.of(self.derivative(q))
        return np.concatenate([q, self._before.S.T @ v if self.as_printed else v])

    def state(self, x: Array) -> tuple[Array, Array]:
        """See :class:`Formulation`."""
        q = x[: self.mechanism.nq]
        _, c, A = self.terms.place(q)
        basis = self.basis.of(A)
        return q, basis.S @ self._along(x, basis) - self.decay * (basis.R @ c)

    def rate(self, t: float, x: Array, control: Control) -> Array:
        """See :class:`Formulation`."""
        q = x[: self.mechanism.nq]
        basis = self.basis.of(self.derivative(q))
        found = self.evaluate(t, q, self._along(x, basis), basis, control)
        if self.as_printed:
            return np.concatenate([found.dq, found.along])
        return np.concatenate([found.dq, basis.S @ found.along + found.across])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Note a basis that has turned by more than the posture has changed."""
        basis = self.basis.of(self.derivative(x[: self.mechanism.nq]))
        if self._before is not None and jump(self._before, basis) > JUMP:
            notes.jumps.append(t)
        self._before = basis
        return None

    def _along(self, x: Array, basis: Basis) -> Array:
        rest = x[self.mechanism.nq :]
        return rest if self.as_printed else basis.S.T @ rest
