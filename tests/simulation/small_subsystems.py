"""The smallest subsystems: a drive with a lag, control with a sum, a load that grows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.subsystem import (
    Actuation,
    Quantity,
    Response,
    SampledControl,
    Surroundings,
)
from phalanx.mechanism import Body, Joint, Mechanism, Prismatic


def cart(mass: float = 2.0) -> Mechanism:
    """A mass on a rail along x."""
    return Mechanism(
        "cart",
        [Body("ground"), Body("mass", mass, np.zeros(3), np.eye(3))],
        [Joint("rail", "ground", "mass", Prismatic(np.array([1.0, 0.0, 0.0])))],
    )


@dataclass(frozen=True)
class Lag(Actuation):
    """Forces that follow commands with a time constant: f' = (u - f) / T."""

    constant: float = 0.05
    stiff: bool = False

    def quantities(self, mechanism):
        return (Quantity("drive", "N", self.commands(mechanism), stiff=self.stiff),)

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], mechanism.nv))

    def commands(self, mechanism):
        return tuple(f"{joint.name}.drive" for joint in mechanism.moving_joints)

    def act(self, model, q, v, s, command):
        return s, (command - s) / self.constant


@dataclass(frozen=True)
class ProportionalIntegral(SampledControl):
    """tau = kp e - kd v + ki Σ e, once a step, from a sum that it remembers."""

    kp: float = 4.0
    kd: float = 0.5
    ki: float = 3.0
    step: float = 1e-2

    @property
    def inputs(self) -> Mapping[str, int]:
        return {"target": 1}

    def quantities(self, mechanism):
        return (Quantity("error_sum", "rad·s", ("joint",)), Quantity("torque", "N·m", ("joint",)))

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], 2))

    def sampled(self, model, t, q, v, s, inputs):
        error = inputs["target"] - q
        total = s[0] + error * self.step
        return ca.vertcat(total, self.kp * error - self.kd * v + self.ki * total)

    def command(self, s):
        return s[1]


@dataclass(frozen=True)
class Filling(Surroundings):
    """A body becomes heavier by ``flow`` [kg/s], where it is; nothing else acts."""

    body: str
    mass: float

    @property
    def parameters(self) -> tuple[str, ...]:
        return (f"{self.body}.mass",)

    @property
    def inputs(self) -> Mapping[str, int]:
        return {"flow": 1}

    @property
    def defaults(self):
        return {"flow": [0.0]}

    def quantities(self, mechanism):
        mechanism.frame(self.body)
        return (Quantity("load", "kg", ("load",)),)

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], 1))

    def act(self, model, q, v, s, inputs):
        return Response(SX.zeros(model.nv, 1), inputs["flow"], {self.parameters[0]: self.mass + s})
