"""Prescribed motion of a machine with loops: postures, motor forces, replay.

The motors' angles are given as functions of time. Postures follow by closing the loops from one
moment to the next, velocities and accelerations from the loops' derivatives, forces from inverse
dynamics. Replaying the forces is a test of forward dynamics: the motion should come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from phalanx.base.cached import cached_property
from phalanx.equations import energy, expression
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.free_joints import motor_velocities
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.methods.actuation import actuation
from phalanx.equations.loops.numbers.bases import held, selector
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory
from phalanx.simulation.formulations.projected import terms_of

Array = NDArray[np.float64]

# between moments of the table, splines of degree 5 are exact to 1e-11 of the forces for motions
# that take seconds; lines between table entries of 10 ms already lose an unstable machine
TABLE_STEP = 5e-3


@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """A motion of all joints, and the forces that make it.

    Attributes:
        mechanism: The machine.
        motors: Numbers of the motors' velocities.
        t: Times [s], shape (k,).
        q: Positions, shape (k, nq).
        v: Velocities, shape (k, nv).
        a: Accelerations, shape (k, nv).
        tau: Forces of the motors [N or N·m], shape (k, motors).
    """

    mechanism: Mechanism
    motors: tuple[int, ...]
    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.t[-1])

    @cached_property
    def _spline(self) -> object:
        wanted = [self.tau, self.angles(self.q), self.v[:, self.motors]]
        return make_interp_spline(self.t, np.hstack(wanted), k=5)

    def angles(self, q: Array) -> Array:
        """Positions of the motors out of those of all joints."""
        return q[..., self._places]

    @cached_property
    def _places(self) -> list[int]:
        m = self.mechanism
        starts = {m.v_slices[j.name].start: m.q_slices[j.name].start for j in m.moving_joints}
        return [starts[k] for k in self.motors]

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Forces, positions and velocities of the motors at any time."""
        n = len(self.motors)
        values = self._spline(t)  # type: ignore[operator]
        return values[:n], values[n : 2 * n], values[2 * n :]

    def position_error(self, t: Array, q: Array) -> Array:
        """How far the motors of another run are from this motion [rad or m], shape (k, motors)."""
        n = len(self.motors)
        wanted = self._spline(t)[:, n : 2 * n]  # type: ignore[operator]
        return self.angles(q) - wanted

    def work(self) -> float:
        """Work of the motors [J], by Simpson's rule over the table."""
        from scipy.integrate import simpson

        power = (self.tau * self.v[:, self.motors]).sum(axis=1)
        return float(simpson(power, x=self.t))

    def energy_change(self) -> float:
        """Energy at the end less that at the start [J]."""
        kernel = compile(expression(energy, self.mechanism))
        first, last = kernel(self.q[[0, -1]], self.v[[0, -1]]).ravel()
        return float(last - first)


def prescribe(
    mechanism: Mechanism,
    actuated: Sequence[str],
    trajectory: Trajectory,
    duration: float,
    guess: Array | None = None,
    step: float = TABLE_STEP,
) -> PrescribedMotion:
    """Postures and forces of a motion that is given at the motors.

    Args:
        mechanism: A machine with loops.
        actuated: Joints with motors, each with one freedom, as many as the machine has.
        trajectory: Their motion.
        duration: How long it takes [s].
        guess: A posture near the first one; all joints at zero when not given.
        step: Time between moments of the table [s].

    Raises:
        OpenLoop: The loops cannot follow the motors; says when.
        InvalidInput: The joints do not drive the machine.
    """
    motors = motor_velocities(mechanism, actuated)
    kernel = compile(expression(actuation, mechanism, actuated=tuple(actuated)))
    terms = terms_of(mechanism)
    N = selector(mechanism.nv, tuple(motors))
    places = [mechanism.q_slices[name].start for name in actuated]
    is_held = np.isin(np.arange(mechanism.nv), motors)

    t = np.linspace(0, duration, round(duration / step) + 1)
    angles, rates, accelerations = trajectory(t)
    q = np.empty((len(t), mechanism.nq))
    v, a = np.empty((2, len(t), mechanism.nv))
    near = mechanism.neutral() if guess is None else np.asarray(guess, dtype=np.float64)
    for k in range(len(t)):
        near = near.copy()
        near[places] = angles[k]
        reached = closed_loops(mechanism).search.close(near, is_held)
        if not reached.closes:
            which = closed_loops(mechanism).open_loops(reached.q)
            raise OpenLoop(mechanism, reached.q, reached.residual, which)
        q[k] = near = reached.q
        _, _, A = terms.place(near)
        basis = held(A, N)
        v[k] = basis.S @ rates[k]
        _, b, dq = terms.motion(near, v[k])
        a[k] = basis.S @ accelerations[k] - basis.R @ b
        # the next guess goes along: Newton then needs one or two steps
        if k + 1 < len(t):
            near = near + (t[k + 1] - t[k]) * dq
    tau = kernel(q, v, a)[0]
    return PrescribedMotion(mechanism, tuple(motors), t, q, v, a, tau)
