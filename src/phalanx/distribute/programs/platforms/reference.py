"""Reference motion and feedforward torques of the motors, at every stage of a run.

Steps have one length, so the times of Runge-Kutta stages are known beforehand: the beginning,
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

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.motor_forces import motor_forces
from phalanx.equations.quantities.configuration import integrate
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory, cycloid

NEWTON = 10  # steps at most from the posture one time earlier
CLOSED = 1e-9  # [m or rad] before the last step, which squares it


@dataclass(frozen=True)
class Reference:
    """A motion of a machine and what its motors do for it.

    Attributes:
        samples: At every time, torques, positions and rates of the motors, shape
            (times, 3 motors).
        q: Positions of all joints at the beginning, shape (nq,).
        v: Their velocities, shape (nv,).
    """

    samples: Array
    q: Array
    v: Array


@dataclass(frozen=True)
class MotionOfAll:
    """All joints along a motion of the motors, as one processor finds it.

    Attributes:
        q: Positions, shape (times, nq).
        v: Velocities, shape (times, nv).
        a: Accelerations, shape (times, nv).
        rigid: Torques of the motors for the masses alone, shape (times, motors).
        tau: The same with springs, damping and dry friction of the machine.
    """

    q: Array
    v: Array
    a: Array
    rigid: Array
    tau: Array


def half_steps(steps: int, step: float) -> Array:
    """Return the times of Runge-Kutta stages [s], shape (2 steps + 1,)."""
    return np.arange(2 * steps + 1, dtype=np.float64) * (step / 2)


def reference(machine: DividedMachine, motion: Trajectory, times: Array) -> Reference:
    """Return what motors do along a motion of theirs; arguments as for :func:`inverse_along`.

    Torques are those of rigid-body inverse dynamics, as ``computed_torque`` has them: what springs,
    damping and friction need besides is left to feedback.
    """
    found = inverse_along(machine, motion, times)
    theta, rate, _ = motion(times)
    return Reference(np.hstack([found.rigid, theta, rate]), found.q[0], found.v[0])


def inverse_along(machine: DividedMachine, motion: Trajectory, times: Array) -> MotionOfAll:
    """Find postures along a motion of the motors, and their torques by inverse dynamics.

    Args:
        machine: The machine; its neutral posture has to be closed, and is where the motion starts.
        motion: Of the motors.
        times: When, in order [s]; no further apart than Newton's method can follow.

    Raises:
        InvalidInput: The motion is of other motors, or leads where loops do not close.
    """
    compiled = _motion_kernels(machine.mechanism)
    theta, rate, acceleration = checked_motion(machine, motion, times)
    m, n = machine.mechanism, len(machine.motors)
    q = m.neutral()
    check_closed(m, q, np.zeros(m.nv))
    found = MotionOfAll(*(np.empty((len(times), size)) for size in (m.nq, m.nv, m.nv, n, n)))
    for k, t in enumerate(times):
        for _ in range(NEWTON):
            q, opening = compiled.close(q, theta[k])
            if opening.item() <= CLOSED:
                break
        else:
            raise out_of_reach(machine, t, opening.item())
        found.q[k] = q
        at_k = compiled.force(q, rate[k], acceleration[k])
        found.v[k], found.a[k], found.rigid[k], found.tau[k] = at_k
    return found


def checked_motion(
    machine: DividedMachine, motion: Trajectory, times: Array
) -> tuple[Array, Array, Array]:
    """Return positions, rates and accelerations of the motors at some times.

    Raises:
        InvalidInput: The motion is of other motors.
    """
    theta, rate, acceleration = motion(times)
    if theta.shape[1] != len(machine.motors):
        raise InvalidInput(
            f"the motion is of {theta.shape[1]} motors; '{machine.mechanism.name}' has "
            f"{len(machine.motors)}."
        )
    return theta, rate, acceleration


def out_of_reach(machine: DividedMachine, t: float, opening: float) -> InvalidInput:
    """Build the error of a motion that loops do not allow."""
    return InvalidInput(
        f"the motion leads '{machine.mechanism.name}' at t = {t:g} s to where its loops do not "
        f"close (they stay open by {opening:.3g} m or rad); move less."
    )


def from_rest_to_rest(
    machine: DividedMachine, period: float, way: Array | None = None
) -> Trajectory:
    """Return a cycloid of the motors from the neutral posture, rest to rest; still by default.

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
class _MotionKernels:
    """Machine code for postures and torques along a motion.

    Attributes:
        close: (q, positions of the motors) -> q nearer to closed loops, how far they were open.
        force: (q, rates, accelerations of the motors) -> v, a, torques of the motors for the
            masses alone, and with the machine's own forces.
    """

    close: Callable[..., Any]
    force: Callable[..., Any]


@lru_cache(maxsize=16)
def _motion_kernels(m: Mechanism) -> _MotionKernels:
    machine = DividedMachine(m)
    model, motors, n = machine.model, list(machine.motors), len(machine.motors)
    at, still = SX.sym("at", m.nq), SX(machine.model.nv, 1)
    theta, rate, acceleration = (SX.sym(name, n) for name in ("theta", "rate", "acceleration"))

    q = SX(at)
    q[list(machine.motor_positions)] = theta
    here = constraint(model, q, still, machine.rows)
    nearer = integrate(model, q, -machine.across(here.A, here.c))

    T = machine.directions(constraint(model, at, still, machine.rows).A)
    v = T @ rate
    moving = constraint(model, at, v, machine.rows)
    a = T @ acceleration - machine.across(moving.A, moving.b)
    rigid = motor_forces(model, at, v, acceleration, motors=machine.motor_names)[motors]
    tau = rigid - T.T @ machine.own_forces(at, v)

    def compiled(name: str, inputs: dict[str, SX], **outputs: SX) -> Callable[..., Any]:
        results = ca.cse([ca.densify(value) for value in outputs.values()])
        function = ca.Function(name, list(inputs.values()), results, list(inputs), list(outputs))
        return compile_kernel(function).call

    opening = ca.norm_inf(here.c)
    return _MotionKernels(
        compiled("close", {"at": at, "theta": theta}, nearer=nearer, opening=opening),
        compiled(
            "force",
            {"at": at, "rate": rate, "acceleration": acceleration},
            v=v,
            a=a,
            rigid=rigid,
            tau=tau,
        ),
    )
