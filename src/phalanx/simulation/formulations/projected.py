"""Common part of projected formulations: terms of a machine, accelerations in free directions.

Velocities obey A v = -∂c/∂t - decay c: loops that are open close like exp(-decay t), and joints
that are driven follow their function of time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import identifier
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.numbers.bases import Basis
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import position_rate
from phalanx.kernel import compile, count_operations
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation


@dataclass(frozen=True)
class DrivenJoint:
    """A joint with a prescribed motion q = f(t) (rheonomic constraint).

    Attributes:
        joint: A joint of one freedom.
        motion: Time [s] to position, velocity and acceleration.
    """

    joint: str
    motion: Callable[[float], tuple[float, float, float]]


class Terms:
    """The terms of a machine's equations, compiled once for all bases.

    Attributes:
        operations: Arithmetic of all of them.
    """

    def __init__(self, mechanism: Mechanism) -> None:
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
        of_place = ca.Function(f"{name}_place", [q], ca.cse(place), ["q"], ["M", "c", "A"])
        of_motion = ca.Function(
            f"{name}_motion", [q, v], ca.cse(motion), ["q", "v"], ["bias", "b", "dq"]
        )
        self.place, self.motion = compile(of_place).call, compile(of_motion).call
        self.operations = count_operations(of_place).total + count_operations(of_motion).total


@lru_cache(maxsize=32)
def terms_of(mechanism: Mechanism) -> Terms:
    """The terms of a machine, compiled once."""
    return Terms(mechanism)


@dataclass(frozen=True)
class EvaluatedTerms:
    """Rates of a machine: of positions, and of velocities along and across its basis."""

    dq: Array
    v: Array
    along: Array
    across: Array


@dataclass(frozen=True)
class Demands:
    """Constraint equations of loops and driven joints at a time and posture.

    Attributes:
        c: How far they are from fulfilled, shape (m,).
        A: Derivative of c along the velocities, shape (m, nv).
        c_t: Derivative of c by time alone, shape (m,).
        c_tt: Its second derivative by time alone, shape (m,).
    """

    c: Array
    A: Array
    c_t: Array
    c_tt: Array


class Projected(Formulation):
    """Base of projected formulations: terms, decay, driven joints, accelerations for a basis."""

    def __init__(
        self, mechanism: Mechanism, decay: float, driven: Sequence[DrivenJoint] = ()
    ) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            decay: Rate at which open loops close [1/s].
            driven: Joints whose motion is given.
        """
        self.mechanism, self.decay, self.driven = mechanism, decay, tuple(driven)
        self.terms = terms_of(mechanism)
        for drive in self.driven:
            if mechanism.joint(drive.joint).motion.nv != 1:
                raise InvalidInput(f"joint '{drive.joint}' has not one freedom; drive others.")
        free = mechanism.nv - len(independent_rows(mechanism))
        if len(self.driven) > free:
            raise InvalidInput(
                f"{len(self.driven)} joints are driven, more than the machine has freedoms with "
                f"its loops closed: {free} for '{mechanism.name}'."
            )
        self._places = [mechanism.q_slices[drive.joint].start for drive in self.driven]
        numbers = [mechanism.v_slices[drive.joint].start for drive in self.driven]
        self._driven_rows = np.eye(mechanism.nv)[numbers]

    def demands(self, t: float, q: Array) -> Demands:
        """Equations of the loops, then those of driven joints."""
        _, c, A = self.terms.place(q)
        driven = np.array([drive.motion(t) for drive in self.driven]).reshape(-1, 3)
        none = np.zeros(len(c))
        return Demands(
            np.concatenate([c, q[self._places] - driven[:, 0]]),
            np.vstack([A, self._driven_rows]),
            np.concatenate([none, -driven[:, 1]]),
            np.concatenate([none, -driven[:, 2]]),
        )

    def velocity(self, demands: Demands, z: Array, basis: Basis) -> Array:
        """Velocities z along the basis, and what demands ask for across it."""
        return basis.S @ z - basis.R @ (demands.c_t + self.decay * demands.c)

    def evaluate(
        self, t: float, q: Array, z: Array, basis: Basis, control: Control
    ) -> EvaluatedTerms:
        """Rates of q, and d/dt of the velocities along S.

        Reference:
            Khan (2002), eqs. 2.16-2.19 and A.10-A.14, with the acceleration across S that belongs
            to R.
        """
        M = self.terms.place(q)[0]
        demands = self.demands(t, q)
        v = self.velocity(demands, z, basis)
        bias, b, dq = self.terms.motion(q, v)
        turning = np.concatenate([b, np.zeros(len(self.driven))])
        rate = demands.A @ v + demands.c_t
        across = -basis.R @ (turning + demands.c_tt + self.decay * rate)
        force = control(t, q, v) - bias - M @ across
        along = np.linalg.solve(basis.S.T @ M @ basis.S, basis.S.T @ force)
        return EvaluatedTerms(dq, v, along, across)

    def derivative(self, q: Array) -> Array:
        """A at a posture."""
        return np.vstack([self.terms.place(q)[2], self._driven_rows])
