"""Formulation in motor coordinates alone, for platforms on legs; postures are solved for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.equations import expression
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.legs.consistent import consistent_velocity
from phalanx.equations.loops.legs.recursive import recursive
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation
from phalanx.simulation.formulations.motors import driven_positions


class Minimal(Formulation):
    """Integrates (positions, velocities of the motors), as few numbers as the machine has states.

    Every evaluation begins with a displacement analysis: Newton's method from the last posture that
    was found, motors held. Loops are closed to rounding at every state, whatever the integrator
    leaves; it costs some evaluations of the loops' equations each time.

    Reference:
        Khan (2002), sec. 3.3, variant (i).
    """

    def __init__(self, mechanism: Mechanism, actuated: Sequence[str] | None = None) -> None:
        """Compile the recursions of a platform on legs; one motor a leg."""
        self.mechanism = mechanism
        self.motors, self._places = driven_positions(mechanism, actuated)
        self._held = np.isin(np.arange(mechanism.nv), self.motors)
        self._velocity = compile(expression(consistent_velocity, mechanism, actuated=actuated)).call
        self._acceleration = compile(expression(recursive, mechanism, actuated=actuated)).call
        self._near = mechanism.neutral()

    def begin(self, q: Array, v: Array) -> Array:
        """Return the numbers to integrate, for positions and velocities.

        Raises:
            OpenLoop: The loops do not close with the motors there.
        """
        self._near = q
        return np.concatenate([self._posture(q[self._places])[self._places], v[self.motors]])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        n = len(self.motors)
        q = self._posture(x[:n])
        rates = np.zeros(self.mechanism.nv)
        rates[self.motors] = x[n:]
        return q, self._velocity(q, rates)

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, v = self.state(t, x)
        a = self._acceleration(q, v, control(t, q, v))
        return np.concatenate([x[len(self.motors) :], a[self.motors]])

    def _posture(self, angles: Array) -> Array:
        """The closed posture next to the last one."""
        guess = self._near.copy()
        guess[self._places] = angles
        found = closed_loops(self.mechanism).search.close(guess, self._held)
        if not found.closes:
            which = closed_loops(self.mechanism).open_loops(found.q)
            raise OpenLoop(self.mechanism, found.q, found.residual, which)
        self._near = found.q
        return found.q
