"""Joint sliders: a position as one number a degree of freedom.

Angles and lengths are sliders as they are; a quaternion becomes roll, pitch and yaw (rotations
about fixed x, y, z). So a mechanism has nv sliders whatever its joints, or as many as fit a panel.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.joint import velocity_units
from phalanx.mechanism.pose import Array

# Freedoms up to which each has a slider, and how many have one of more: a page that has to move a
# hundred sliders along with a machine has no time to draw it.
MOST_SLIDERS, FEW_SLIDERS = 100, 12
TURN = ("roll", "pitch", "yaw")
# names of the sliders of a joint that has several
PARTS: dict[str, tuple[str, ...]] = {
    "cylindrical": ("angle", "shift"),
    "universal": ("first", "second"),
    "spherical": TURN,
    "planar": ("x", "y", "angle"),
    "floating": ("x", "y", "z", *TURN),
}
FREE = ("floating", "planar")  # joints that hold nothing


@dataclass(frozen=True)
class JointSlider:
    """A number with a name and a range, an angle [rad] or a length [m]."""

    name: str
    lower: float
    upper: float
    is_angle: bool


def joint_sliders(mechanism: Mechanism, reach: float) -> list[JointSlider]:
    """The sliders of a mechanism, in the order of v.

    Args:
        mechanism: The machine.
        reach: How far lengths without limits go either way [m]; angles without go to ±π.
    """
    made = []
    for joint in joints_with_sliders(mechanism):
        parts, units = PARTS.get(joint.motion.kind, ("",)), velocity_units(joint)
        for part, unit, (lower, upper) in zip(parts, units, _limits(joint), strict=True):
            is_angle = unit == "rad"
            span = np.pi if is_angle else reach
            name = f"{joint.name} {part}".rstrip()
            low = lower if np.isfinite(lower) else min(-span, upper - 2 * span)
            high = upper if np.isfinite(upper) else max(span, low + 2 * span)
            made.append(JointSlider(name, float(low), float(high), is_angle))
    return made


def joints_with_sliders(mechanism: Mechanism) -> tuple[Joint, ...]:
    """The joints that the user poses: the first of a machine that has more than fit a panel."""
    if mechanism.nv <= MOST_SLIDERS:
        return mechanism.moving_joints
    ends = itertools.accumulate(joint.motion.nv for joint in mechanism.moving_joints)
    fit = itertools.takewhile(lambda end: end <= FEW_SLIDERS, ends)
    return mechanism.moving_joints[: len(list(fit))]


def slider_values(mechanism: Mechanism, q: Array) -> Array:
    """Slider values at position ``q``, in the order of v."""
    from scipy.spatial.transform import Rotation

    joints = joints_with_sliders(mechanism)
    values = np.empty(sum(joint.motion.nv for joint in joints))
    for joint in joints:
        own, slider = q[mechanism.q_slices[joint.name]], mechanism.v_slices[joint.name]
        if has_quaternion(joint):
            own = np.concatenate([own[:-4], Rotation.from_quat(own[-4:]).as_euler("xyz")])
        values[slider] = own
    return values


def slider_position(mechanism: Mechanism, values: Array, others: Array | None = None) -> Array:
    """The position at which the sliders stand like this, shape (nq,).

    Args:
        mechanism: The machine.
        values: Of the sliders.
        others: A position, for joints without sliders; every joint at zero when not given.
    """
    from scipy.spatial.transform import Rotation

    q = mechanism.neutral() if others is None else others.copy()
    for joint in joints_with_sliders(mechanism):
        own = values[mechanism.v_slices[joint.name]]
        if has_quaternion(joint):
            turn = Rotation.from_euler("xyz", own[-3:]).as_quat()
            own = np.concatenate([own[:-3], turn])
        q[mechanism.q_slices[joint.name]] = own
    return q


def home(mechanism: Mechanism) -> Array:
    """Every joint at zero, or at the limit nearest to it, shape (nq,)."""
    q = mechanism.neutral()
    for joint in mechanism.moving_joints:
        if not has_quaternion(joint):
            own = mechanism.q_slices[joint.name]
            q[own] = np.clip(q[own], joint.lower, joint.upper)
    return q


def random_posture(mechanism: Mechanism, rng: np.random.Generator) -> Array:
    """Joints anywhere within their limits, shape (nq,); a machine that could fly away stays put."""
    q = mechanism.random_positions(seed=rng)
    at_home = home(mechanism)
    for joint in mechanism.moving_joints:
        if joint.motion.kind in FREE and not np.isfinite(_limits(joint)).all():
            own = mechanism.q_slices[joint.name]
            q[own] = at_home[own]
    return q


def has_quaternion(joint: Joint) -> bool:
    """Whether some of a joint's positions are a quaternion."""
    return joint.motion.nq != joint.motion.nv


def _limits(joint: Joint) -> list[tuple[float, float]]:
    return list(zip(np.asarray(joint.lower), np.asarray(joint.upper), strict=True))
