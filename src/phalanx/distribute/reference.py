"""What motors have to do for a motion: torques, positions and rates at every stage of a run.

Steps have one length, so the times at which Runge-Kutta looks are known beforehand: the beginning,
the middle and the end of each step. References are exact there, not read from a coarser table: a
machine that falls away from its motion multiplies what interpolation leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.assembly import check_closed
from phalanx.distribute.machine import Machine
from phalanx.distribute.messages import Array
from phalanx.equations.configuration import integrate
from phalanx.equations.loops.closure import constraint
from phalanx.equations.loops.motor_forces import motor_forces
from phalanx.errors import InvalidInput
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.simulate.trajectories import Trajectory, cycloid

_NEWTON = 10  # steps at most from the posture half a step earlier
_CLOSED = 1e-9  # [m or rad] before the last step, which squares it


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
    follow = _following(machine.mechanism)
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
        for _ in range(_NEWTON):
            q, opening = follow.close(q, theta[k])
            if opening.item() <= _CLOSED:
                break
        else:
            raise InvalidInput(
                f"the motion leads '{machine.mechanism.name}' at t = {t:g} s to where its loops "
                f"do not close (they stay open by {opening.item():.3g} m or rad); move less."
            )
        v, tau = follow.force(q, rate[k], acceleration[k])
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


@dataclass(frozen=True)
class _Following:
    """What it takes to follow a motion, compiled.

    Attributes:
        close: (q, positions of the motors) -> q nearer to closed loops, how far they were open.
        force: (q, rates, accelerations of the motors) -> v, torques of the motors.
    """

    close: Callable[..., Any]
    force: Callable[..., Any]


@lru_cache(maxsize=16)
def _following(m: Mechanism) -> _Following:
    machine = Machine(m)
    model, motors, n = machine.model, list(machine.motors), len(machine.motors)
    at, still = SX.sym("at", m.nq), SX(machine.model.nv, 1)
    theta, rate, acceleration = (SX.sym(name, n) for name in ("theta", "rate", "acceleration"))

    q = SX(at)
    q[list(machine.motor_positions)] = theta
    here = constraint(model, q, still, machine.rows)
    nearer = integrate(model, q, -machine.across(here.A, here.c))

    v = machine.directions(constraint(model, at, still, machine.rows).A) @ rate
    tau = motor_forces(model, at, v, acceleration, motors=machine.motor_names)[motors]

    def compiled(name: str, inputs: dict[str, SX], **outputs: SX) -> Callable[..., Any]:
        results = ca.cse([ca.densify(value) for value in outputs.values()])
        function = ca.Function(name, list(inputs.values()), results, list(inputs), list(outputs))
        return compile_kernel(function).call

    opening = ca.norm_inf(here.c)
    return _Following(
        compiled("close", {"at": at, "theta": theta}, nearer=nearer, opening=opening),
        compiled("force", {"at": at, "rate": rate, "acceleration": acceleration}, v=v, tau=tau),
    )
