"""Actuators of a model file (motors, servos) as an actuation: one command for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.actuators.subsystem import Actuation, Array, Quantity
from phalanx.base.errors import InvalidInput
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism, Mimic


@final
@dataclass(frozen=True)
class ModelActuators(Actuation):
    """The machine's own ``actuators``: motors and servos, as its model file has them.

    Commands are in the order of ``mechanism.actuators`` and have their names. Together they never
    exert more on a joint than its effort limit.

    >>> hopper = px.load("hopper.xml")
    >>> px.rollout(hopper, q0, v0, actuation=px.ModelActuators(), tau=commands, steps=1000)
    """

    def commands(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Names of the actuators.

        Raises:
            InvalidInput: When the machine has none.
        """
        if not mechanism.actuators:
            raise InvalidInput(
                f"mechanism '{mechanism.name}' has no actuators. Leave actuation= out and give "
                "joint forces, or give it some: replace(mechanism, actuators=[...])."
            )
        return tuple(actuator.name for actuator in mechanism.actuators)

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        """None: a force follows from command and state."""
        self.commands(mechanism)
        return ()

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 0))

    def act(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> tuple[SX, SX]:
        m = model.mechanism
        exerted: dict[str, SX] = {}
        for k, actuator in enumerate(m.actuators):
            length, rate = SX(0), SX(0)
            for name, gear in zip(actuator.joints, actuator.gears.tolist(), strict=True):
                follows = m.joint(name).mimic or Mimic(name)
                x, u = q[m.q_slices[follows.leader]], v[m.v_slices[follows.leader]]
                length += gear * (follows.multiplier * x + follows.offset)
                rate += gear * follows.multiplier * u
            state = ca.vertcat(1, length, rate)
            gain, bias = ca.dot(DM(actuator.gain), state), ca.dot(DM(actuator.bias), state)
            force = gain * _within(command[k], actuator.control_range) + bias
            force = _within(force, actuator.force_range)
            for name, gear in zip(actuator.joints, actuator.gears.tolist(), strict=True):
                exerted[name] = exerted.get(name, SX(0)) + gear * force
        tau = SX.zeros(m.nv, 1)
        for name, force in exerted.items():
            joint = m.joint(name)
            limit = float(np.asarray(joint.effort_limit)[0])
            follows = joint.mimic or Mimic(name)
            held = _within(force, np.array([-limit, limit]))
            tau[m.v_slices[follows.leader]] += follows.multiplier * held
        return tau, SX(0, 1)


def _within(value: SX, ends: Array) -> SX:
    """A number kept within a range, of which an end may be infinite."""
    lower, upper = map(float, ends)
    value = ca.fmin(value, upper) if upper < np.inf else value
    return ca.fmax(value, lower) if lower > -np.inf else value
