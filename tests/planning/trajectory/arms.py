"""Machines whose torques are known in closed form."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.mechanism import Prismatic, Revolute

MASS, LENGTH, GRAVITY = 2.0, 0.5, 9.81


def pendulum(**joint):
    """A point mass on a rod; at zero it hangs, torque = m l² a + m g l sin q."""
    return px.Mechanism(
        "pendulum",
        bodies=[px.Body("base"), px.Body("bob", MASS, com=[0, 0, -LENGTH])],
        joints=[px.Joint("hinge", "base", "bob", Revolute([0, 1, 0]), **joint)],
        gravity=[0, 0, -GRAVITY],
    )


def cart(**joint):
    """A mass on level rails: torque = m a."""
    return px.Mechanism(
        "cart",
        bodies=[px.Body("base"), px.Body("car", MASS)],
        joints=[px.Joint("rails", "base", "car", Prismatic([1, 0, 0]), **joint)],
        gravity=[0, 0, -GRAVITY],
    )


def pendulum_torque(q, a):
    return MASS * LENGTH**2 * a + MASS * GRAVITY * LENGTH * np.sin(q)
