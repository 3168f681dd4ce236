"""Formulation with all positions and the motor velocities, for platforms on legs."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import identifier
from phalanx.equations.loops.legs.consistent import consistent_velocity, motor_velocities
from phalanx.equations.loops.legs.recursive import recursive
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import position_rate
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations.formulation import Array, Control, Formulation


class Motors(Formulation):
    """Integrates (q, velocities of the motors) by recursions within each leg.

    Positions of passive joints follow from velocities that close the loops exactly, so loops open
    only by what the integrator leaves.

    Reference:
        Khan (2002), sec. 3.3, variant (ii).
    """

    def __init__(self, mechanism: Mechanism, actuated: Sequence[str] | None = None) -> None:
        """Compile the recursions of a platform on legs; one motor a leg."""
        model = model_of(mechanism)
        self.mechanism = mechanism
        self.motors = motor_velocities(model, actuated)
        x = SX.sym("x", mechanism.nq + len(self.motors))
        tau = SX.sym("tau", mechanism.nv)
        q = x[: mechanism.nq]
        rates = SX(mechanism.nv, 1)
        rates[self.motors] = x[mechanism.nq :]
        v = consistent_velocity(model, q, rates, actuated=actuated)
        a = recursive(model, q, v, tau, actuated=actuated)
        rate = ca.vertcat(position_rate(model, q, v), a[self.motors])
        name = identifier(f"{mechanism.name}_motors")
        self._velocity = compile(ca.Function(f"{name}_v", [x], ca.cse([v]), ["x"], ["v"]))
        self.kernel = compile(
            ca.Function(f"{name}_rate", [x, tau], ca.cse([rate]), ["x", "tau"], ["dx"])
        )

    def begin(self, q: Array, v: Array) -> Array:
        return np.concatenate([q, v[self.motors]])

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], self._velocity.call(x)

    def rate(self, t: float, x: Array, control: Control) -> Array:
        return self.kernel.call(x, control(t, *self.state(t, x)))

    def rates(self, t: Array, x: Array, control: Control) -> Array:
        """Rates of several states, a row each; every state has a lane of its own."""
        tau = [control(float(s), *self.state(float(s), y)) for s, y in zip(t, x, strict=True)]
        return self.kernel.call(x, np.array(tau))


def driven_positions(
    mechanism: Mechanism, actuated: Sequence[str] | None = None
) -> tuple[list[int], list[int]]:
    """Numbers of the velocities of the motors, and of their positions, leg by leg.

    Raises:
        InvalidInput: A motor turns a joint whose positions are not its own coordinates.
    """
    velocities = motor_velocities(model_of(mechanism), actuated)
    owners = {
        k: joint
        for joint in mechanism.moving_joints
        for k in range(*mechanism.v_slices[joint.name].indices(mechanism.nv))
    }
    positions = []
    for k in velocities:
        joint = owners[k]
        q, v = mechanism.q_slices[joint.name], mechanism.v_slices[joint.name]
        if q.stop - q.start != v.stop - v.start:
            raise InvalidInput(
                f"joint '{joint.name}' has a motor and {q.stop - q.start} positions for "
                f"{v.stop - v.start} velocities: drive a hinge, a slide or a universal joint."
            )
        positions.append(q.start + k - v.start)
    return velocities, positions
