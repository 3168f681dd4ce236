"""Method B with the accelerations that the thesis prints (they are wrong).

The thesis integrates velocities of the actuated angles, found by elimination, and takes for what
lies across them η = -σ A⁺ c and γ = A⁺ (-σ A - dA/dt) v, which belong to an orthonormal basis.
With a partition the rate of the integrated numbers is then not the acceleration that is found.
`simulation.formulations.Embedding` has the acceleration that fits.

Reference:
    Khan (2002), eqs. 2.16-2.23 and A.3.
"""

from __future__ import annotations

import numpy as np

from phalanx.equations.loops.numbers.bases import pseudo_inverse
from phalanx.mechanism import Mechanism, library
from phalanx.simulation.formulations.formulation import Array, Control, Formulation
from phalanx.studies.khan import as_written


class PrintedProjection(Formulation):
    """Integrates (coordinates of the thesis, velocities of its motors), 12 numbers, as printed.

    Attributes:
        mechanism: The planar 3-RRR of the library.
        decay: σ, rate at which open loops should close [1/s].
    """

    def __init__(self, decay: float = 10.0) -> None:
        self.mechanism: Mechanism = library.planar_3rrr()
        self.decay = decay

    def begin(self, q: Array, v: Array) -> Array:
        motors = as_written.rates(q, v)[as_written.ACTUATED]
        return np.concatenate([as_written.coordinates(q), motors])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        return as_written.positions(x[:9]), as_written.velocities(x[:9], self._velocity(x))

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, v = x[:9], self._velocity(x)
        A = as_written.jacobian(q)
        T = as_written.partition(A)
        I, b = as_written.inertia_and_bias(q, v)
        across = pseudo_inverse(A) @ (-self.decay * A @ v - as_written.drift(q, v))
        tau = control(t, *self.state(t, x))[[0, 2, 4]]
        force = as_written.motors(tau) - b - I @ across
        return np.concatenate([v, np.linalg.solve(T.T @ I @ T, T.T @ force)])

    def _velocity(self, x: Array) -> Array:
        """T υ + η."""
        q, A = x[:9], as_written.jacobian(x[:9])
        along = as_written.partition(A) @ x[9:]
        return np.asarray(along - self.decay * pseudo_inverse(A) @ as_written.closure(q))
