"""What motors have to do for a motion: torques, positions and rates at every stage of a run.

Steps have one length, so the times at which Runge-Kutta looks are known beforehand: the beginning,
the middle and the end of each step. References are exact there, not read from a coarser table: a
machine that falls away from its motion multiplies what interpolation leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.assembly import check_closed
from phalanx.distribute.machine import Machine
from phalanx.distribute.messages import Array
from phalanx.equations.configuration import integrate
from phalanx.equations.loops.actuation import actuation
from phalanx.equations.loops.closure import constraint
from phalanx.equations.loops.independent import independent_rows
from phalanx.equations.loops.projection import free_directions
from phalanx.errors import InvalidInput
from phalanx.kernel import compile as compile_kernel
from phalanx.simulate.trajectories import Trajectory, cycloid

_NEWTON = 3  # steps from the posture half a step earlier
_CLOSED = 1e-9  # [m or rad]


@dataclass(frozen=True)
class Reference:
    """A motion of a machine and what its motors do for it.

    Attributes:
        samples: At every half step, torques, positions and rates of the motors, shape
            (2 steps + 1, 3 motors).
        q: Positions of all joints at the beginning, shape (nq,).
        v: Their velocities, shape (nv,).
    """

    samples: Array
    q: Array
    v: Array


def reference(machine: Machine, motion: Trajectory, steps: int, step: float) -> Reference:
    """Torques of the motors along a motion of theirs, by inverse dynamics.

    Args:
        machine: The machine; its neutral posture has to be closed, and is where the motion starts.
        motion: Of the motors.
        steps: How many the run has.
        step: Their length [s].

    Raises:
        InvalidInput: The motion is of other motors, or leads where loops do not close.
    """
    follow = compile_kernel(_following(machine)).call
    times = np.arange(2 * steps + 1) * (step / 2)
    theta, rate, acceleration = motion(times)
    if theta.shape[1] != len(machine.motors):
        raise InvalidInput(
            f"the motion is of {theta.shape[1]} motors; '{machine.mechanism.name}' has "
            f"{len(machine.motors)}."
        )
    q = machine.mechanism.neutral()
    check_closed(machine.mechanism, q, np.zeros(machine.mechanism.nv))
    samples = np.empty((len(times), machine.samples))
    n = len(machine.motors)
    first: tuple[Array, Array] | None = None
    for k, t in enumerate(times):
        q, v, tau, opening = follow(q, theta[k], rate[k], acceleration[k])
        if not opening.item() <= _CLOSED:
            raise InvalidInput(
                f"the motion leads '{machine.mechanism.name}' at t = {t:g} s to where its loops "
                f"do not close (they stay open by {opening.item():.3g} m or rad); move less."
            )
        first = first or (q, v)
        samples[k, :n], samples[k, n : 2 * n], samples[k, 2 * n :] = tau, theta[k], rate[k]
    assert first is not None
    return Reference(samples, *first)


def moving(machine: Machine, period: float, way: Array | None = None) -> Trajectory:
    """A motion of the motors from the neutral posture, rest to rest; standing still by default.

    Args:
        machine: The machine.
        period: How long it takes [s].
        way: How far each motor goes [rad or m].

    Raises:
        InvalidInput: The way is not of as many numbers as there are motors.
    """
    start = machine.mechanism.neutral()[list(machine.motor_positions)]
    far = np.zeros(len(start)) if way is None else np.asarray(way, dtype=np.float64)
    if far.shape != start.shape or not np.isfinite(far).all():
        raise InvalidInput(
            f"the way of the motors is {way}; '{machine.mechanism.name}' has {len(start)} motors."
        )
    return cycloid(period, start, start + far)


def _following(machine: Machine) -> ca.Function:
    """``(q nearby, motors' position, rate, acceleration) -> (q, v, tau, opening)``."""
    model, m = machine.model, machine.mechanism
    rows = independent_rows(m)
    names = [joint.name for joint in m.actuated_joints]
    nearby, n = SX.sym("nearby", m.nq), len(machine.motors)
    theta, rate, acceleration = (SX.sym(name, n) for name in ("theta", "rate", "acceleration"))

    q = SX(nearby)
    q[list(machine.motor_positions)] = theta
    still = SX(model.nv, 1)
    for _ in range(_NEWTON):
        here = constraint(model, q, still, rows)
        q = integrate(model, q, -free_directions(model, here.A, names).R @ here.c)
    here = constraint(model, q, still, rows)
    directions = free_directions(model, here.A, names)
    v = directions.T @ rate
    a = directions.T @ acceleration - directions.R @ constraint(model, q, v, rows).b
    tau, _ = actuation(model, q, v, a, actuated=names)
    return ca.Function(
        "following",
        [nearby, theta, rate, acceleration],
        ca.cse([ca.densify(part) for part in (q, v, tau, ca.norm_inf(here.c))]),
        ["nearby", "theta", "rate", "acceleration"],
        ["q", "v", "tau", "opening"],
    )
