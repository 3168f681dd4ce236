"""Compliant stops at the position limits of joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.equations.quantities.joint_springs import plane_axes
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Joint, Mechanism, Mimic, Motion, Planar
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.effective_inertia import inertia_of_joints
from phalanx.simulation.setup.forces.joint_forces import ForceOfEach, OfJoints

RESPONSE = 0.5
"""Frequency of a fitted stop times the step: 12 steps a period."""
ABSORPTION = 1.0
"""Damping of a fitted stop over inertia, times the step; methods bear 2."""
RETURN = 2.5
"""Speed [rad/s or m/s] around which a fitted stop begins to yield: its frequency times depth."""
SOFT = 0.02
"""Depth at which it does at the latest: a part of the range, or [rad or m] without one."""


@final
@dataclass(frozen=True)
class Stops(ForceOfEach):
    """Compliant stops at the position limits: a spring and a damper that only push back.

    Numbers that are not given are fitted to each joint: with its effective inertia I and steps of
    length h, stiffness I (0.5/h)² and damping I/h, in postures within the limits and with all
    stops pressed at once. So they are stable at every step at which the machine itself is, the
    stiffer the shorter the step, unless it passes a posture in which its mass matrix is nearly
    singular. They are based on the machine's nominal numbers: masses that
    are per-run parameters may be down to 60 % of the nominal ones.

    A fitted spring grows with the depth d as d / √(1 + d/D): a run that begins far beyond a limit
    is pushed back, not shot. D is 5 h, and more where the joint's stated effort is to be held, but
    at most 2 % of the joint's range.

    Attributes:
        stiffness: [N·m/rad or N/m] beyond a limit; the spring is linear where it is given.
        damping: [N·m·s/rad or N·s/m] while moving further in; it never pulls.
        fit: Joint name to stiffness, damping and D of its freedoms; filled in by :meth:`fitted`.
    """

    of_all: ClassVar[tuple[str, ...]] = ("stiffness", "damping")
    stores_energy: ClassVar[bool] = True
    stiffness: float | None = None
    damping: float | None = None
    fit: OfJoints | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        stiff, damped = (1.0 if x is None else x for x in (self.stiffness, self.damping))
        if not (0 < stiff < np.inf and 0 <= damped < np.inf):
            raise InvalidInput(
                "stops need a positive stiffness and no negative damping, got "
                f"{self.stiffness} and {self.damping}."
            )

    def fitted(self, mechanism: Mechanism, step: float) -> Stops:
        """With stiffness and damping for every joint."""
        given = self.stiffness is not None and self.damping is not None
        if given or self.fit is not None:
            return self
        stopped = any(has_limits(joint) for joint in mechanism.joints)
        fit = {}
        for name, inertia in inertia_of_joints(mechanism).items() if stopped else ():
            joint = mechanism.joint(name)
            if not has_limits(joint):
                continue
            fit[name] = tuple(np.concatenate(self._fit(joint, inertia, step)).tolist())
        return replace(self, fit=fit)

    def _fit(self, joint: Joint, inertia: Array, step: float) -> tuple[Array, Array, Array]:
        """Stiffness, damping and depth beyond which it yields."""
        if isinstance(joint.motion, Planar):  # its stops turn against its velocities
            inertia = np.array([*[inertia[:2].min()] * 2, inertia[2]])
        most = ABSORPTION * inertia / step
        if self.stiffness is not None:
            stiffness = np.full(len(inertia), self.stiffness)
            return stiffness, np.minimum(2 * np.sqrt(stiffness * inertia), most), _endless(inertia)
        stiffness = inertia * (RESPONSE / step) ** 2
        span, effort = np.asarray(joint.upper) - joint.lower, np.asarray(joint.effort_limit)
        held = np.where(np.isfinite(effort), 2 * effort, 0.0) / np.where(inertia > 0, stiffness, 1)
        soft = np.minimum(
            SOFT * np.where(np.isfinite(span) & (span > 0), span, 1.0),
            np.maximum(RETURN * step / RESPONSE, held),
        )
        return stiffness, most if self.damping is None else np.full(len(most), self.damping), soft

    def numbers(self, joint: Joint) -> Array:
        """Its limits, the lower ones first; stiffness, damping, depth beyond which it yields."""
        nv = joint.motion.nv
        if self.fit is None:
            each = [np.full(nv, self.stiffness), np.full(nv, self.damping), np.full(nv, np.inf)]
        else:
            each = [np.array(self.fit.get(joint.name, (*[0.0] * 2 * nv, *[np.inf] * nv)))]
        return np.concatenate([np.asarray(joint.lower), np.asarray(joint.upper), *each])

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        nv = motion.nv
        if motion.nq != nv:
            return SX(nv, 1)  # limits of quaternions mean nothing
        R = plane_axes(x[2]) if isinstance(motion, Planar) else SX.eye(nv)
        rate, rows = R @ u, []
        for k in range(nv):
            lower, upper, *stop = (numbers[part * nv + k] for part in range(5))
            push = SX(0)
            if not _is_endless(upper):
                push -= _push(x[k] - upper, rate[k], stop, own)
            if not _is_endless(lower):
                push += _push(lower - x[k], -rate[k], stop, own)
            rows.append(push)
        return R.T @ ca.vertcat(*rows)

    def stored_energy(self, model: Model, q: SX, symbols: Mapping[str, SX]) -> SX:
        """Energy in the springs of stops that are pressed; see :class:`JointForce`."""
        mechanism, total = model.mechanism, SX(0)
        given = symbols.get(self._name("stiffness"))
        for joint in mechanism.joints:
            if not has_limits(joint):
                continue
            follows = joint.mimic or Mimic(joint.name)
            x = follows.multiplier * q[mechanism.q_slices[follows.leader]] + follows.offset
            nv, numbers = joint.motion.nv, SX(DM(self.numbers(joint)))
            for k in range(nv):
                lower, upper, stiffness, _, soft = (numbers[part * nv + k] for part in range(5))
                stiffness = stiffness if given is None else given
                for limit, depth in ((upper, x[k] - upper), (lower, lower - x[k])):
                    if not _is_endless(limit):
                        total += stiffness * _spring_energy(ca.fmax(depth, 0), soft)
        return total


def _push(depth: SX, speed: SX, stop: list[SX], own: Mapping[str, SX]) -> SX:
    """Force of a stop that is pressed in by ``depth``, growing at ``speed``."""
    stiffness, damping, soft = stop
    stiffness, damping = own.get("stiffness", stiffness), own.get("damping", damping)
    if not _is_endless(soft):
        pressed = ca.fmax(depth, 0)
        spring = stiffness * pressed / ca.sqrt(1 + pressed / soft)
    else:
        spring = stiffness * depth
    return ca.if_else(depth > 0, ca.fmax(spring + damping * speed, 0), 0)


def _spring_energy(depth: SX, soft: SX) -> SX:
    """Integral of the spring's force over the depth, for a stiffness of 1."""
    if _is_endless(soft):
        return depth**2 / 2
    u = ca.sqrt(1 + depth / soft)
    return soft**2 * (2 * u**3 / 3 - 2 * u + 4 / 3)


def has_limits(joint: Joint) -> bool:
    """Whether stops act in a joint."""
    if joint.motion.nq != joint.motion.nv or not joint.motion.nv:
        return False
    return bool(np.isfinite(joint.lower).any() or np.isfinite(joint.upper).any())


def _endless(like: Array) -> Array:
    return np.full(len(like), np.inf)


def _is_endless(limit: SX) -> bool:
    """Whether a limit is known to be none."""
    return bool(limit.is_constant()) and bool(np.isinf(float(limit)))
