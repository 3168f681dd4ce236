"""Formulation in minimal coordinates, for loops with a closed form."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import identifier
from phalanx.equations.loops.methods.closed_form import ClosedForm, eliminate
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation

_MATCH = 1e-9  # [m or rad] between a start and the closed form's posture for it


class EliminatedLoops(Formulation):
    """Integrates (z, rates of z), twice as many numbers as freedoms; loops cannot open.

    Attributes:
        independent: Joints whose positions are z.

    Reference:
        Khan (2002), sec. 1.1.1.1.
    """

    def __init__(
        self, mechanism: Mechanism, positions: ClosedForm, independent: Sequence[str]
    ) -> None:
        """Compile the equations of a machine.

        Args:
            mechanism: The machine.
            positions: All positions as functions of z.
            independent: Joints whose positions are z, in that order.

        Raises:
            InvalidInput: The closed form does not fit the machine.
        """
        self.mechanism, self.independent = mechanism, tuple(independent)
        places = [range(*mechanism.q_slices[x].indices(mechanism.nq)) for x in independent]
        self._places = [k for place in places for k in place]
        k = len(self._places)
        x, tau = SX.sym("x", 2 * k), SX.sym("tau", mechanism.nv)
        found = eliminate(mechanism, positions, x[:k], x[k:], tau)
        name = identifier(f"{mechanism.name}_eliminated")
        here = [found.q, found.v]
        rate = ca.vertcat(x[k:], found.acceleration)
        self._state = compile(ca.Function(f"{name}_state", [x], ca.cse(here), ["x"], ["q", "v"]))
        self.kernel = compile(
            ca.Function(f"{name}_rate", [x, tau], ca.cse([rate]), ["x", "tau"], ["dx"])
        )

    def begin(self, q: Array, v: Array) -> Array:
        """Return the numbers to integrate, for positions and velocities.

        Raises:
            InvalidInput: The closed form has another posture or other velocities there, as for
                loops that are open or put together the other way.
        """
        k = len(self._places)
        x = np.concatenate([q[self._places], np.zeros(k)])
        unit = np.array([self._state.call(np.concatenate([x[:k], e]))[1] for e in np.eye(k)]).T
        x[k:] = np.linalg.lstsq(unit, v, rcond=None)[0]
        there, moving = self._state.call(x)
        for name, given, found in (("positions", q, there), ("velocities", v, moving)):
            off = float(np.abs(given - found).max(initial=0.0))
            if not off < _MATCH:
                raise InvalidInput(
                    f"the closed form of '{self.mechanism.name}' has other {name} there, by "
                    f"{off:.3g}: loops are open, or put together the other way. Start from a "
                    "posture of px.assemble on the branch of the closed form."
                )
        return x

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        q, v = self._state.call(x)
        return q, v

    def rate(self, t: float, x: Array, control: Control) -> Array:
        return self.kernel.call(x, control(t, *self.state(t, x)))
