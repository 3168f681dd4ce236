"""Consistent motion of a platform on legs: all coordinates from those of its motors."""

from __future__ import annotations

from collections.abc import Sequence

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.loops.legs.complement import complement
from phalanx.equations.loops.legs.coordinates import all_accelerations, platform_velocities
from phalanx.equations.loops.legs.motion import machine_motion
from phalanx.equations.loops.legs.platform import platform_of
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("v_all")
def consistent_velocity(
    mechanism: Mechanism | Model, q: SX, v: SX, *, actuated: Sequence[str] | None = None
) -> SX:
    """Velocities of all coordinates that go with those of the motors, shape (nv,).

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,); only those of the motors are read.
        actuated: As for :func:`recursive_inverse`.

    Reference:
        Khan (2002), eqs. 3.1-3.15.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated)
    motors = platform.motors
    found = complement(platform)
    twist = found.platform(v[motors])
    full = SX(model.nv, 1)
    for leg, rates in zip(platform.legs, found.joints(twist, v[motors]), strict=True):
        for joint, rate in zip(leg.joints, rates, strict=True):
            if joint.v is not None:
                full[joint.v] = rate
    node = model.nodes[platform.node]
    full[node.v : node.v + node.freedom.nv] = platform_velocities(model, platform, twist)
    return full


@equation("a_all")
def consistent_acceleration(
    mechanism: Mechanism | Model, q: SX, v: SX, a: SX, *, actuated: Sequence[str] | None = None
) -> SX:
    """Accelerations of all coordinates that go with those of the motors, shape (nv,).

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,); only those of the motors are read.
        a: Accelerations [m/s² or rad/s²], shape (nv,); only those of the motors are read.
        actuated: As for :func:`recursive_inverse`.

    Reference:
        Khan (2002), eqs. 3.16-3.28.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated)
    motors = platform.motors
    found, twist, motions = machine_motion(platform, v[motors])
    return all_accelerations(model, platform, found, motions, twist, a[motors])


def motor_velocities(model: Model, actuated: Sequence[str] | None = None) -> list[int]:
    """Numbers of the velocities of the motors, leg by leg."""
    return platform_of(model, SX.sym("q", model.mechanism.nq), actuated).motors
